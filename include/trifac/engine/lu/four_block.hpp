#pragma once
// Blocked LU without pivoting, with four kinds of blocks.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// A = L·U in place, L unit lower triangular; A: m×n, no row is exchanged. The blocks of a step are
/// of four kinds, by whether they lie in its left column and its top row: 1 both, 2 left, 3 top, 4
/// neither; first 1, then all 2 and 3, then all 4. Stops at a pivot that is zero or not finite.
/// 2n³/3 flops for m = n, no workspace. Source: ECE496, 2012, blocked version.
template <class On, class View>
void lu_four_block(On& on, View A, index_t block) {
  const index_t steps = detail::min(A.rows(), A.cols());
  for (index_t k = 0; k < steps && !on.stopped(); k += block) {
    //     | …   …   …  |
    // A = | …   1   3  |    1: b×b
    //     | …   2   4  |
    const index_t b = detail::min(block, steps - k);
    const auto [A11, A12, A21, A22] = A.trailing(k).split(b, b);
    on.factor_block_lu(A11, k);                // 1:  A11 = L11\U11
    on.solve_right_upper(A11, A21);            // 2:  A21 = A21·U11⁻¹
    on.solve_lower(A11, A12, diagonal::unit);  // 3:  A12 = L11⁻¹·A12
    on.update(A22, A21, A12);                  // 4:  A22 = A22 − A21·A12
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
