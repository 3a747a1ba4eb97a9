#pragma once
// Right-looking blocked Cholesky for devices, where a launch costs more than a block.

#include "trifac/detail/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// A = L·Lᴴ in place, lower triangle. Each panel costs two launches: the solve of the rows below
/// the diagonal block, and one launch that updates the rest and, in a work-group of its own, brings
/// the next diagonal block to its end: look-ahead in a queue that runs in order. n³/3 flops;
/// workspace n·block on the device. LAPACK: potrf (variant RL).
template <class On, class View>
void cholesky_look_ahead(On& on, View A, index_t block) {
  const index_t n = A.rows();
  on.factor_block(A.block(0, 0, detail::min(block, n), detail::min(block, n)), 0);
  for (index_t k = 0; k + block < n; k += block) {
    //     | done           |    A11: b×b, already L11
    // A = |  …   A11       |
    //     |  …   A21  A22  |    A22's leading block is the next A11
    const index_t next = k + block;
    on.solve_below_block(A.block(next, k, n - next, block));  // A21 = A21·L11⁻ᴴ, packed
    on.update_ahead(A.trailing(next), block, next);  // A22 = A22 − A21·A21ᴴ; next A11 = L11
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
