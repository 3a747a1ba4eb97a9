#pragma once
// LU without pivoting, element by element.

#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// A = L·U in place by right-looking elimination (kij), L unit lower triangular; A: m×n. No row is
/// exchanged: for diagonally dominant matrices. Stops at a pivot that is zero or not finite. 2n³/3
/// flops for m = n, no workspace. Source: ECE496, 2012, non-blocked version.
template <class On, class View>
void lu_unblocked(On& on, View A) {
  for (index_t k = 0; k < A.rows() && k < A.cols() && !on.stopped(); ++k) {
    //     | …   …    …   |
    // A = | …  a11  a12  |    a11: 1×1, the pivot
    //     | …  a21  A22  |
    const auto [a11, a12, a21, A22] = A.trailing(k).split(1, 1);
    on.factor_block_lu(a11, k);      // u11 = a11, which must not be zero
    on.solve_right_upper(a11, a21);  // l21 = a21 / u11
    on.update(A22, a21, a12);        // A22 = A22 − l21·u12
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
