#pragma once
// Right-looking blocked LU with row interchanges; how a panel finds its pivots is handed in.

#include <span>

#include "trifac/backend.hpp"
#include "trifac/detail/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// P·A = L·U in place; A: m×n. factor_panel(k, b) factors columns k … k+b−1 from row k on and
/// writes interchanges[k …]. The interchanges of later panels reach the columns left of them in one
/// last pass, each column once. mn² − n³/3 flops for m ≥ n. LAPACK: getrf.
template <class On, class View, class Panel>
void lu_right_looking(On& on, View A, std::span<index_t> interchanges, index_t block,
                      Panel factor_panel) {
  const index_t m = A.rows(), n = A.cols(), steps = detail::min(m, n);
  for (index_t k = 0; k < steps && !on.stopped(); k += block) {
    //     | …   …    …   |
    // A = | …  A11  A12  |    A11: b×b, this step
    //     | …  A21  A22  |    A21: (m−k−b)×b
    const index_t b = detail::min(block, steps - k);
    const auto [A11, A12, A21, A22] = A.trailing(k).split(b, b);
    factor_panel(k, b);  // [A11; A21] = Pᵀ·[L11; L21]·U11
    on.swap_rows(A.block(0, k + b, m, n - k - b), k, k + b,
                 interchanges);                // [A12; A22] = P·[A12; A22]
    on.solve_lower(A11, A12, diagonal::unit);  // A12 = L11⁻¹·A12
    on.update(A22, A21, A12);                  // A22 = A22 − A21·A12
  }
  for (index_t k = 0; k + block < steps; k += block)
    on.swap_rows(A.block(0, k, m, block), k + block, steps, interchanges);
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
