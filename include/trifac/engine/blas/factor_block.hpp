#pragma once
// Factorizations of one block without row interchanges, in plain loops: Cholesky and LU.

#include "trifac/engine/blas/divide.hpp"
#include "trifac/engine/blas/factor_column.hpp"
#include "trifac/engine/blas/update.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// Lower triangle of A := L with A = L·Lᴴ, by columns; A: n×n, strict upper triangle not accessed.
/// n³/3 flops. LAPACK: potf2.
template <Scalar T>
constexpr status factor_block(matrix_view<T> A) {
  for (index_t j = 0; j < A.rows(); ++j) {
    if (const status s = factor_diagonal(A, A, j); !s) return s;
    factor_column(A, A, j, j + 1, A.rows());
  }
  return {};
}

/// A := L\U with A = L·U, L unit lower triangular, by elimination (kij); A: m×n. Stops at a zero or
/// non-finite pivot. 2n³/3 flops for m = n.
template <Scalar T>
constexpr status factor_block_lu(matrix_view<T> A) {
  for (index_t k = 0; k < A.rows() && k < A.cols(); ++k) {
    //     | u_kk  u12 |    l21 = a21 / u_kk
    // A = |           |
    //     | a21   A22 |    A22 = A22 − l21·u12
    const T pivot = A(k, k);
    if (!detail::is_finite(pivot)) return status::at(status_kind::not_finite, k);
    if (pivot == T(0)) return status::at(status_kind::zero_pivot, k);
    const auto [u, u12, l21, A22] = A.trailing(k).split(1, 1);
    divide_column(l21, pivot);
    update(A22, operand<T>(l21), operand<T>(u12));
  }
  return {};
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
