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

/// The first b = min(block, n) columns of A, the part not yet factored, which starts at row and
/// column `first` of the whole matrix; for cholesky_blocked:
///
///       | A11       |    A11: b×b
///   A = |           |
///       | A21  A22  |    A21: (n−b)×b
template <class View>
struct leading_columns {
  View A;
  index_t block, first = 0;

  index_t cols() const { return detail::min(block, A.rows()); }
  index_t rows_below() const { return A.rows() - cols(); }
  View A11() const { return A.block(0, 0, cols(), cols()); }
  View A21() const { return A.block(cols(), 0, rows_below(), cols()); }
  leading_columns next() const { return {A.trailing(cols()), block, first + cols()}; }
};

/// Two launches per panel: the solve of A21, and the update of A22, in which one extra work-group
/// factors the next A11: look-ahead in one queue. Workspace n·block on the device.
template <class View>
struct device_cholesky_panel {
  leading_columns<View> columns;

  index_t rows_below() const { return columns.rows_below(); }
  device_cholesky_panel next() const { return {columns.next()}; }

  template <class On>
  void factor(On& on) const {
    on.factor_block(columns.A11(), columns.first);
  }
  template <class On>
  void solve_below(On& on) const {
    on.solve_below_block(columns.A21());
  }
  template <class On>
  void update(On& on, const device_cholesky_panel& next) const {
    on.update_ahead(next.columns.A, columns.cols(), next.columns.first);
  }
};

/// On an executor with two queues: the second updates and factors all rows of the next panel while
/// the first does the rest of the update. All work is enqueued at once.
template <class View>
struct two_queue_cholesky_panel {
  leading_columns<View> columns;

  index_t rows_below() const { return columns.rows_below(); }
  two_queue_cholesky_panel next() const { return {columns.next()}; }

  template <class On>
  void factor(On& on) const {
    factor_columns(on, columns.A.block(0, 0, columns.A.rows(), columns.cols()), columns.first);
  }
  template <class On>
  void solve_below(On&) const {}  // done by factor()
  template <class On>
  void update(On& on, const two_queue_cholesky_panel& next) const {
    const View A21 = columns.A21(), A22 = next.columns.A;
    const index_t below = rows_below(), b = next.columns.cols(), rest = below - b;
    const auto next_panel = [&](auto& second) {
      update_columns(second, A22.block(0, 0, below, b), A21);
      next.factor(second);
    };
    if (rest == 0) return next_panel(on);
    on.in_two_queues(next_panel, [&] {
      on.update_lower(A22.block(b, b, rest, rest), A21.block(b, 0, rest, A21.cols()));
    });
  }
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
