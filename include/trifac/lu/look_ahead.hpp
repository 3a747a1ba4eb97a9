#pragma once
// Right-looking LU with partial pivoting for devices, where a launch costs more than a block.

#include "trifac/detail/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// P·A = L·U in place, partial pivoting; A: m×n, not empty. Each panel costs two launches: what
/// follows from it right of it, and the update of the rest, in which a work-group of its own brings
/// the next panel to its end: look-ahead in a queue that runs in order. The interchanges of later
/// panels reach the columns left of them in one last pass. mn² − n³/3 flops for m ≥ n; workspace
/// (2m + n)·block on the device. LAPACK: getrf.
template <class On, class View>
void lu_look_ahead(On& on, View A, index_t block) {
  const index_t steps = detail::min(A.rows(), A.cols());
  on.factor_first_panel(A, block);
  for (index_t k = 0; k < steps; k += block) {
    //     | …   …    …   |
    // A = | …  A11  A12  |    [A11; A21]: b columns, factored and still packed
    //     | …  A21  A22  |    A22's first columns are the next panel
    const index_t b = detail::min(block, steps - k), next = detail::min(block, steps - k - b);
    on.finish_panel(A.trailing(k), b, k);                // A12 = L11⁻¹·P·A12, A22 = P·A22
    on.update_ahead(A.trailing(k + b), b, next, k + b);  // A22 = A22 − A21·A12; next panel
  }
  on.swap_left(A, steps, block);
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
