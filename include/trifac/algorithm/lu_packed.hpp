#pragma once
// Right-looking LU with row interchanges over panels that keep packed what their right side needs.

#include <cstddef>
#include <span>

#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// P·A = L·U in place with partial pivoting; A: m×n. The next panel is factored as soon as its
/// columns are updated, while the update of the others goes on. The interchanges of later panels
/// reach the columns left of them in one last pass. With block ≥ n there is one panel and nothing
/// else.
///
/// mn² − n³/3 flops for m ≥ n. `memory`: simd::lu_panels_bytes. LAPACK: getrf.
template <class Panel, class On, class T>
void lu_packed(On& on, matrix_view<T> A, std::span<index_t> interchanges, index_t block,
               std::byte* memory) {
  Panel panel(A, interchanges, block, memory);
  on.factor_packed(panel, 0);  // [A11; A21] = Pᵀ·[L11; L21]·U11
  while (!on.stopped() && panel.columns_left() > 0) {
    //     | …   …    …   |
    // A = | …  A11  A12  |    panel: L11, L21 and P; next: the first columns of A22, if it has rows
    //     | …  A21  A22  |
    const Panel next = panel.next();
    on.eliminate_packed(panel,
                        next);  // A12 = L11⁻¹·P·A12, A22 = P·A22 − A21·A12, and the next panel
    if (!next.exists()) break;
    panel = next;
  }
  on.interchange_left_packed(panel);
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
