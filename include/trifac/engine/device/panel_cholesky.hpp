#pragma once
// Panels of Cholesky in device memory, where a launch costs more than a block.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// C := C − A·A1ᴴ in the columns of C from the diagonal down; A1: the top rows of A, as many as C
/// has columns.
template <class On, class View>
void update_columns(On& on, const View& C, const View& A) {
  const index_t c = C.cols(), below = C.rows() - c;
  const View A1 = A.block(0, 0, c, A.cols());
  on.update_lower(C.block(0, 0, c, c), A1);
  if (below > 0) on.update(C.block(c, 0, below, c), A.block(c, 0, below, A.cols()), adjoint(A1));
}

/// [A11; A21] := [L11; A21·L11⁻ᴴ]; A: m×b with m ≥ b, at row and column `first` of the matrix.
/// Halves the columns recursively down to the executor's widest block: the second level of
/// blocking.
template <class On, class View>
void factor_columns(On& on, const View& A, index_t first) {
  const index_t m = A.rows(), b = A.cols(), widest = on.widest_block();
  if (b <= widest) {
    on.factor_block(A.block(0, 0, b, b), first);
    if (m > b) on.solve_below_block(A.block(b, 0, m - b, b));
    return;
  }
  const index_t h = (b / 2 + widest - 1) / widest * widest;
  const View right = A.block(h, h, m - h, b - h);
  factor_columns(on, A.block(0, 0, m, h), first);
  update_columns(on, right, A.block(h, 0, m - h, h));
  factor_columns(on, right, first + h);
}

/// The first b = min(block, n) columns of A, the part not yet factored, for cholesky_blocked:
///
///       | A11       |    A11: b×b
///   A = |           |
///       | A21  A22  |    A21: (n−b)×b
///
/// Two launches per panel: the solve of A21, and the update of A22, in which one extra work-group
/// factors the next A11: look-ahead in one queue. Workspace n·block on the device.
template <class View>
class device_cholesky_panel {
 public:
  /// A starts at row and column `first` of the whole matrix.
  device_cholesky_panel(const View& A, index_t block, index_t first = 0)
      : A_(A), block_(block), first_(first) {}

  index_t rows_below() const { return A_.rows() - cols(); }
  device_cholesky_panel next() const { return {A_.trailing(cols()), block_, first_ + cols()}; }

  template <class On>
  void factor(On& on) const {
    on.factor_block(A_.block(0, 0, cols(), cols()), first_);
  }
  template <class On>
  void solve_below(On& on) const {
    on.solve_below_block(A_.block(cols(), 0, rows_below(), cols()));
  }
  template <class On>
  void update(On& on, const device_cholesky_panel& next) const {
    on.update_ahead(next.A_, cols(), next.first_);
  }

 private:
  index_t cols() const { return detail::min(block_, A_.rows()); }

  View A_;
  index_t block_, first_;
};

/// The same columns for cholesky_blocked on an executor with two queues: the second updates and
/// factors all rows of the next panel while the first does the rest of the update. All work is
/// enqueued at once.
template <class View>
class two_queue_cholesky_panel {
 public:
  /// A starts at row and column `first` of the whole matrix.
  two_queue_cholesky_panel(const View& A, index_t block, index_t first = 0)
      : A_(A), block_(block), first_(first) {}

  index_t rows_below() const { return A_.rows() - cols(); }
  two_queue_cholesky_panel next() const { return {A_.trailing(cols()), block_, first_ + cols()}; }

  template <class On>
  void factor(On& on) const {
    factor_columns(on, A_.block(0, 0, A_.rows(), cols()), first_);
  }
  template <class On>
  void solve_below(On&) const {}  // done by factor()
  template <class On>
  void update(On& on, const two_queue_cholesky_panel& next) const {
    const index_t below = rows_below(), b = next.cols(), rest = below - b;
    const View A21 = A_.block(cols(), 0, below, cols());
    const auto next_panel = [&](auto& second) {
      update_columns(second, next.A_.block(0, 0, below, b), A21);
      next.factor(second);
    };
    if (rest == 0) return next_panel(on);
    on.in_two_queues(next_panel, [&] {
      on.update_lower(next.A_.block(b, b, rest, rest), A21.block(b, 0, rest, cols()));
    });
  }

 private:
  index_t cols() const { return detail::min(block_, A_.rows()); }

  View A_;
  index_t block_, first_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
