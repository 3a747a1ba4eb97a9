#pragma once
// Top-looking blocked Cholesky, also called bordered: the laziest order.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// A = L·Lᴴ in place, lower triangle; block row by block row, nothing below the current one is
/// touched: after a failure in it the rows below are as they were. Fewest writes of the three
/// orders. n³/3 flops, no workspace. LAPACK: SRC/VARIANTS/cholesky/TOP. Source: Proc. IEEE 106(11),
/// 2018.
template <class On, class View>
void cholesky_top_looking(On& on, View A, index_t block) {
  for (index_t k = 0; k < A.rows() && !on.stopped(); k += block) {
    //     | A00            |    A00: k×k, already L00
    // A = | A10  A11       |    A11: b×b, this step
    //     |  …    …    …   |
    const index_t b = detail::min(block, A.rows() - k);
    const auto A00 = A.block(0, 0, k, k), A10 = A.block(k, 0, b, k), A11 = A.block(k, k, b, b);
    on.solve_right_upper(adjoint(A00), A10);  // A10 = A10·L00⁻ᴴ
    on.update_lower(A11, A10);                // A11 = A11 − A10·A10ᴴ
    on.factor_block(A11, k);                  // A11 = L11 with A11 = L11·L11ᴴ
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
