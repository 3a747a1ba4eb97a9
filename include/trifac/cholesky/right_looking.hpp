#pragma once
// Right-looking blocked Cholesky.

#include "trifac/detail/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// A = L·Lᴴ in place, lower triangle; each block column is finished and at once subtracted from all
/// that follows. n³/3 flops, no workspace. LAPACK: potrf (variant RL). Golub, Van Loan, Matrix
/// Computations, 4.2.6.
template <class On, class View>
void cholesky_right_looking(On& on, View A, index_t block) {
  for (index_t k = 0; k < A.rows() && !on.stopped(); k += block) {
    //     | done           |    A11: b×b, this step
    // A = |  …   A11       |
    //     |  …   A21  A22  |    A21: (n−k−b)×b
    const index_t b = detail::min(block, A.rows() - k);
    const auto [A11, A12, A21, A22] = A.trailing(k).split(b, b);
    on.factor_block(A11, k);                  // A11 = L11 with A11 = L11·L11ᴴ
    on.solve_right_upper(adjoint(A11), A21);  // A21 = A21·L11⁻ᴴ
    on.update_lower(A22, A21);                // A22 = A22 − A21·A21ᴴ
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
