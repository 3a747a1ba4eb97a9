#pragma once
// A panel of Cholesky whose steps are block operations on views: for any scalar type and any
// executor, device executors included.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// The first b = min(block, columns) columns of A, which is what is not factored yet; `columns` of
/// its n columns are to be factored:
///
///       | A11       |    A11: b×b
///   A = |           |
///       | A21  A22  |    A21: (n−b)×b
template <class View>
class plain_cholesky_panel {
 public:
  /// A starts at row and column `first` of the whole matrix.
  plain_cholesky_panel(const View& A, index_t columns, index_t block, index_t first = 0)
      : A_(A), columns_(columns), block_(block), first_(first) {}

  /// Of A21; 0 also where no column is left to factor.
  index_t rows_below() const { return cols() > 0 ? A_.rows() - cols() : 0; }
  plain_cholesky_panel next() const {
    return {A_.trailing(cols()), columns_ - cols(), block_, first_ + cols()};
  }

  template <class On>
  void factor(On& on) const {
    on.factor_block(A_.block(0, 0, cols(), cols()), first_);
  }
  template <class On>
  void solve_below(On& on) const {
    const auto [A11, A12, A21, A22] = A_.split(cols(), cols());
    on.solve_right_upper(adjoint(A11), A21);
  }
  template <class On>
  void update(On& on, const plain_cholesky_panel& next) const {
    const auto [A11, A12, A21, A22] = A_.split(cols(), cols());
    on.update_lower(A22, A21);
    next.factor(on);
  }

 private:
  index_t cols() const { return detail::min(block_, columns_); }

  View A_;
  index_t columns_, block_, first_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac
