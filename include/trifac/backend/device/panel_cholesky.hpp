#pragma once
// A panel of Cholesky in a device's memory, where a launch costs more than a block.

#include "trifac/detail/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The first b = min(block, n) columns of A, which is what is not factored yet, for
/// cholesky_blocked:
///
///       | A11       |    A11: b×b
///   A = |           |
///       | A21  A22  |    A21: (n−b)×b
///
/// Two launches a panel: the solve of A21, and the update of A22, in which a work-group of its own
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

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
