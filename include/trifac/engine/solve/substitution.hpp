#pragma once
// Blocked forward and backward substitution.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// B := L⁻¹·B; L: n×n lower triangular, B: n×r. n²·r flops. BLAS: trsm.
template <class On, class T>
void forward_substitution(On& on, operand<T> L, matrix_view<T> B, diagonal diag, index_t block) {
  const index_t n = B.rows(), r = B.cols();
  for (index_t k = 0; k < n; k += block) {
    //     | …         |        | done |
    // L = | …  L11    |    B = |  B1  |    L11: b×b
    //     | …  L21  … |        |  B2  |
    const index_t b = detail::min(block, n - k), below = n - k - b;
    const auto B1 = B.block(k, 0, b, r), B2 = B.block(k + b, 0, below, r);
    on.solve_lower(L.block(k, k, b, b), B1, diag);               // B1 = L11⁻¹·B1
    on.update(B2, L.block(k + b, k, below, b), operand<T>(B1));  // B2 = B2 − L21·B1
  }
}

/// B := U⁻¹·B; U: n×n upper triangular, B: n×r. n²·r flops. BLAS: trsm.
template <class On, class T>
void backward_substitution(On& on, operand<T> U, matrix_view<T> B, diagonal diag, index_t block) {
  const index_t n = B.rows(), r = B.cols();
  for (index_t end = n; end > 0; end -= detail::min(block, end)) {
    //     | …  U01  … |        |  B0  |
    // U = |    U11  … |    B = |  B1  |    U11: b×b
    //     |         … |        | done |
    const index_t b = detail::min(block, end), k = end - b;
    const auto B0 = B.block(0, 0, k, r), B1 = B.block(k, 0, b, r);
    on.solve_upper(U.block(k, k, b, b), B1, diag);       // B1 = U11⁻¹·B1
    on.update(B0, U.block(0, k, k, b), operand<T>(B1));  // B0 = B0 − U01·B1
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
