#pragma once
// The inverse of A from its Cholesky factor, in place.

#include "trifac/engine/inverse/triangle.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// A := A⁻¹ = L⁻ᴴ·L⁻¹ in one sweep over the lower triangle L, in place; A: n×n, other triangle not
/// accessed. Each row block of L⁻¹ is consumed as soon as it is computed: its products are
/// subtracted from the leading part, which holds the negated inverse. Scratch: P: n×b, D, E: b×b.
/// 2n³/3 flops. LAPACK: potri. Source: Bientinesi, Gunter, van de Geijn, TOMS 35(1), 2008.
template <class On, class T>
void cholesky_inverse(On& on, matrix_view<T> A, matrix_view<T> P, matrix_view<T> D,
                      matrix_view<T> E) {
  const index_t n = A.rows();
  for (index_t k = 0; k < n; k += P.cols()) {
    //     | N00           |    N00 = −Σ WᴴW over the rows of W = L⁻¹ that are done
    // A = | W10  L11      |    b×b
    //     | S20  S21  L22 |
    const index_t b = detail::min(P.cols(), n - k);
    const auto A00 = A.block(0, 0, k, k), A10 = A.block(k, 0, b, k), A11 = A.block(k, k, b, b);
    const auto W10_adjoint = P.block(0, 0, k, b), W11 = D.block(0, 0, b, b),
               W11_adjoint = E.block(0, 0, b, b);
    detail::invert_row_block(on, A, k, W11);
    detail::for_columns(on, k, [&](index_t j) {
      for (index_t i = 0; i < b; ++i) {
        W10_adjoint(j, i) = detail::conjugate(A10(i, j));
        A10(i, j) = T(0);
      }
    });
    detail::for_columns(on, b, [&](index_t j) {
      for (index_t i = 0; i < b; ++i) W11_adjoint(j, i) = detail::conjugate(W11(i, j));
      for (index_t i = j; i < b; ++i) A11(i, j) = T(0);
    });
    on.update_lower(A00, W10_adjoint);                              // N00 = N00 − W10ᴴ·W10
    on.update(A10, operand<T>(W11_adjoint), adjoint(W10_adjoint));  // N10 = −W11ᴴ·W10
    on.update_lower(A11, W11_adjoint);                              // N11 = −W11ᴴ·W11
  }
  detail::for_columns(on, n, [&](index_t j) {
    for (index_t i = j; i < n; ++i) A(i, j) = -A(i, j);
  });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
