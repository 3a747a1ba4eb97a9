#pragma once
// Triangular solves in plain loops. The specification, and the fallback for any scalar type.

#include "trifac/engine/blas/divide.hpp"
#include "trifac/engine/blas/update.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// B := L⁻¹·B, forward substitution; L: n×n lower triangular, B: n×r. With diagonal::unit the
/// diagonal of L is not read; zeros on a general diagonal are not detected. n²·r flops. BLAS: trsm.
template <Scalar T>
constexpr void solve_lower(operand<T> L, matrix_view<T> B, diagonal diag) {
  for (index_t k = 0; k < B.rows(); ++k) {
    // b_k is complete once divided;  B(k+1:, :) −= l(k+1:, k)·b_k
    if (diag == diagonal::non_unit)
      for (index_t j = 0; j < B.cols(); ++j) B(k, j) = quotient(B(k, j), L(k, k));
    const index_t below = B.rows() - k - 1;
    update(B.block(k + 1, 0, below, B.cols()), L.block(k + 1, k, below, 1), operand<T>(B.row(k)));
  }
}

/// B := U⁻¹·B, backward substitution; U: n×n upper triangular, B: n×r; the diagonal as for
/// solve_lower. n²·r flops. BLAS: trsm.
template <Scalar T>
constexpr void solve_upper(operand<T> U, matrix_view<T> B, diagonal diag) {
  for (index_t k = B.rows() - 1; k >= 0; --k) {
    if (diag == diagonal::non_unit)
      for (index_t j = 0; j < B.cols(); ++j) B(k, j) = quotient(B(k, j), U(k, k));
    update(B.block(0, 0, k, B.cols()), U.block(0, k, k, 1), operand<T>(B.row(k)));
  }
}

/// B := B·U⁻¹; U: n×n upper triangular, B: m×n. As Uᵀ·Xᵀ = Bᵀ this is a forward substitution on the
/// transposed view. m·n² flops. BLAS: trsm.
template <Scalar T>
void solve_right_upper(operand<T> U, matrix_view<T> B) {
  solve_lower(U.transposed(), B.transposed(), diagonal::non_unit);
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
