#pragma once
// Recursive LU with partial pivoting: a factorization of its own and the panel of the blocked one.

#include <span>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// Columns first … first+count−1 of A := L\U with partial pivoting, by halves of the columns; the
/// rows above `first` and all other columns are not touched. At most `base` columns are factored
/// directly. interchanges[k] is written for the steps k = first … first+min(count, m−first)−1 and
/// counts rows of the whole matrix. (m−first)·count² flops, no workspace. LAPACK: getrf2. Toledo,
/// SIMAX 18(4), 1997.
template <class On, class View>
void lu_recursive(On& on, View A, index_t first, index_t count, std::span<index_t> interchanges,
                  index_t base) {
  const index_t m = A.rows(), rows = m - first, steps = detail::min(count, rows);
  if (on.stopped() || steps == 0) return;
  if (count <= base) {
    on.factor_panel(A.block(first, first, rows, count), first, interchanges);
    return;
  }
  //            n1   n2
  //          | A11  A12 |    A11: n1×n1
  //  panel = |          |
  //          | A21  A22 |    A22: (rows−n1)×n2
  const index_t n1 = detail::max<index_t>(1, steps / 2), n2 = count - n1, next = first + n1;
  const auto [A11, A12, A21, A22] = A.block(first, first, rows, count).split(n1, n1);
  lu_recursive(on, A, first, n1, interchanges, base);  // [A11; A21] = P1ᵀ·[L11; L21]·U11
  on.swap_rows(A.block(0, next, m, n2), first, next, interchanges);  // [A12; A22] = P1·[A12; A22]
  on.solve_lower(A11, A12, diagonal::unit);                          // A12 = L11⁻¹·A12
  on.update(A22, A21, A12);                                          // A22 = A22 − A21·A12
  lu_recursive(on, A, next, n2, interchanges, base);                 // A22 = P2ᵀ·L22·U22
  on.swap_rows(A.block(0, first, m, n1), next, first + steps, interchanges);  // A21 = P2·A21
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
