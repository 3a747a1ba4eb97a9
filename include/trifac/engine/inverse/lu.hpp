#pragma once
// The inverse of A from L\U and the row interchanges, in place.

#include <span>

#include "trifac/engine/inverse/triangle.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// A := A⁻¹ = U⁻¹·L⁻¹·P in place; A: n×n holds L\U. W: n×b, D: b×b scratch. 4n³/3 flops. LAPACK:
/// getri. Source: Du Croz, Higham, IMA J. Numer. Anal. 12, 1992, method D.
template <class On, class T>
void lu_inverse(On& on, matrix_view<T> A, std::span<const index_t> interchanges, matrix_view<T> W,
                matrix_view<T> D) {
  const index_t n = A.rows();
  invert_lower(on, A.transposed(), D);  // A = L\U⁻¹
  for (index_t end = n; end > 0;) {
    //     | … A1  X2 |    X2: the columns of X = U⁻¹·L⁻¹ that are done
    // A = |   L11    |    A1: n×b, U⁻¹ above, L below
    //     |   L21    |    W = [L11; L21], then zeros in A
    const index_t b = detail::min(W.cols(), end), k = end - b, below = n - end;
    const auto A1 = A.block(0, k, n, b), X2 = A.block(0, end, n, below);
    const auto L11 = W.block(0, 0, b, b), L21 = W.block(b, 0, below, b);
    detail::for_columns(on, b, [&](index_t j) {
      for (index_t i = k + j + 1; i < n; ++i) {
        W(i - k, j) = A1(i, j);
        A1(i, j) = T(0);
      }
    });
    on.update(A1, operand<T>(X2), operand<T>(L21));  // A1 = A1 − X2·L21
    on.solve_upper(operand<T>(L11.transposed()), A1.transposed(), diagonal::unit);  // A1·L11⁻¹
    end = k;
  }
  on.swap_rows_back(A.transposed(), 0, n, interchanges);  // A = X·P
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
