#pragma once
// Fused Cholesky: right-looking over wide panels that are packed as they are factored.

#include <cstddef>

#include "trifac/detail/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// A = L·Lᴴ in place, lower triangle. Each panel is factored left-looking by one kernel, which
/// leaves a packed copy of L21; that copy is both operands of the trailing update. The next panel's
/// diagonal block is factored as soon as it is updated, while the rest of the update goes on. With
/// block ≥ n there is one panel and no update at all.
///
/// n³/3 flops. `memory`: panels.bytes(n, block) for each of two panels, for one if block ≥ n.
template <class Panels, class On, class T>
void cholesky_packed(On& on, const Panels& panels, matrix_view<T> A, index_t block,
                     std::byte* memory) {
  const index_t n = A.rows();
  const auto panel_at = [&](index_t k) {
    const bool second = On::is_team && k / block % 2 == 1;
    const index_t b = detail::min(block, n - k);
    return panels.at(A.trailing(k), b, memory + (second ? panels.bytes(n, block) : 0));
  };

  auto panel = panel_at(0);
  on.factor_packed(panel, 0);  // A11 = L11 with A11 = L11·L11ᴴ
  for (index_t k = block; k < n && !on.stopped(); k += block) {
    //     | L11            |    panel: L11 and A21
    // A = |                |
    //     | A21  A22       |    A22 starts at k, with the next panel
    on.solve_packed(panel);  // A21 = A21·L11⁻ᴴ
    const auto next = panel_at(k);
    on.update_packed(panel, next, k);  // A22 = A22 − A21·A21ᴴ, and the next L11
    panel = next;
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
