#pragma once
// Recursive Cholesky.

#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// A = L·Lᴴ in place, lower triangle, by halves; blocks of at most `base` rows are factored
/// directly. `first` is the row of the whole matrix at which A starts. The recursion is
/// cache-oblivious: no block size has to fit a cache. n³/3 flops, no workspace. LAPACK: potrf2.
template <class On, class View>
void cholesky_recursive(On& on, View A, index_t first, index_t base) {
  if (on.stopped()) return;
  if (A.rows() <= base) {
    on.factor_block(A, first);
    return;
  }
  //     | A11       |
  // A = |           |    A11: n/2 × n/2
  //     | A21  A22  |
  const index_t half = A.rows() / 2;
  const auto [A11, A12, A21, A22] = A.split(half, half);
  cholesky_recursive(on, A11, first, base);         // A11 = L11 with A11 = L11·L11ᴴ
  on.solve_right_upper(adjoint(A11), A21);          // A21 = A21·L11⁻ᴴ
  on.update_lower(A22, A21);                        // A22 = A22 − A21·A21ᴴ
  cholesky_recursive(on, A22, first + half, base);  // A22 = L22 with A22 = L22·L22ᴴ
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
