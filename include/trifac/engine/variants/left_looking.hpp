#pragma once
// Left-looking blocked Cholesky.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// A = L·Lᴴ in place, lower triangle; each block column receives all earlier ones just before it is
/// factored. n³/3 flops, no workspace. LAPACK: potrf.
template <class On, class View>
void cholesky_left_looking(On& on, View A, index_t block) {
  const index_t n = A.rows();
  for (index_t k = 0; k < n && !on.stopped(); k += block) {
    //     | A00            |
    // A = | A10  A11       |    A11: b×b, this step
    //     | A20  A21   …   |    A20: (n−k−b)×k
    const index_t b = detail::min(block, n - k), below = n - k - b;
    const auto A10 = A.block(k, 0, b, k), A20 = A.block(k + b, 0, below, k);
    const auto A11 = A.block(k, k, b, b), A21 = A.block(k + b, k, below, b);
    on.update_lower(A11, A10);                // A11 = A11 − A10·A10ᴴ
    on.factor_block(A11, k);                  // A11 = L11 with A11 = L11·L11ᴴ
    on.update(A21, A20, adjoint(A10));        // A21 = A21 − A20·A10ᴴ
    on.solve_right_upper(adjoint(A11), A21);  // A21 = A21·L11⁻ᴴ
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
