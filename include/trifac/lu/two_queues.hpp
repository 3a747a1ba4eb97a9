#pragma once
// Right-looking LU with row interchanges for devices with two queues: the next panel is factored
// beside the update of what lies right of it.

#include <span>

#include "trifac/detail/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// P·A = L·U in place; A: m×n. factor_panel(on, k, b) enqueues the factorization of columns
/// k … k+b−1 from row k on and writes interchanges[k …]. All work is enqueued at once, in a fixed
/// order: what leads to the next panel comes first, in a queue of its own; then the rest of this
/// step, and last its interchanges left of the panel. mn² − n³/3 flops for m ≥ n. LAPACK: getrf.
/// After the GPU-only LU of Martins, Tomás, Chaves, which enqueues up front too; their priority
/// queue, which chooses the next task while others run, this is not.
template <class On, class View, class Panel>
void lu_two_queues(On& on, View A, std::span<index_t> interchanges, index_t block,
                   Panel factor_panel) {
  const index_t m = A.rows(), n = A.cols(), steps = detail::min(m, n);
  on.beside([&](auto& ahead) { factor_panel(ahead, 0, detail::min(block, steps)); }, [] {});
  for (index_t k = 0; k < steps; k += block) {
    //     | …   …    …    …   |    [A11; A21]: b columns, factored
    // A = | …  A11  A12  A13  |    [A12; A22]: the columns of the next panel
    //     | …  A21  A22  A23  |
    const index_t b = detail::min(block, steps - k), next = detail::min(block, steps - k - b);
    const View A11 = A.block(k, k, b, b), A21 = A.block(k + b, k, m - k - b, b);
    const auto bring_up = [&](auto& here, index_t j, index_t count) {
      if (count == 0) return;
      const View top = A.block(k, j, b, count);
      here.swap_rows(A.block(0, j, m, count), k, k + b, interchanges);  // [A12; A22] = P·[A12; A22]
      here.solve_lower(A11, top, diagonal::unit);                       // A12 = L11⁻¹·A12
      here.update(A.block(k + b, j, m - k - b, count), A21, top);       // A22 = A22 − A21·A12
    };
    on.beside(
        [&](auto& ahead) {
          bring_up(ahead, k + b, next);
          if (next > 0) factor_panel(ahead, k + b, next);
        },
        [&] {
          bring_up(on, k + b + next, n - k - b - next);
          on.swap_rows(A.block(0, 0, m, k), k, k + b, interchanges);
        });
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
