#pragma once
// Products: C −= A·B and C −= A·Aᴴ in plain loops. The specification, and the fallback for any
// scalar type.

#include <utility>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// True if the row stride of A is at most its column stride.
template <class T>
constexpr bool prefers_columns(matrix_view<T> A) {
  return detail::distance(A.row_stride()) <= detail::distance(A.col_stride());
}

/// C := C − A·B; C: m×n, A: m×k, B: k×n, C overlaps neither A nor B. Each element of C is one chain
/// of sums in the order of k, so its bits do not depend on the partition of C. 2·m·n·k flops. BLAS:
/// gemm.
template <Scalar T>
constexpr void update(matrix_view<T> C, operand<T> A, operand<T> B) {
  if (!prefers_columns(C)) {  // Cᵀ −= Bᵀ·Aᵀ
    C = C.transposed();
    A = std::exchange(B, A.transposed()).transposed();
  }
  for (index_t j = 0; j < C.cols(); ++j)
    for (index_t k = 0; k < A.cols(); ++k) {
      const T b = B(k, j);
      for (index_t i = 0; i < C.rows(); ++i)
        C(i, j) = detail::subtract_product(C(i, j), A(i, k), b);
    }
}

/// Columns of C per step of update_lower, for any number of threads.
inline constexpr index_t lower_step = 48;

/// The lower triangle of columns from … from+lower_step−1 of C := C − A·Aᴴ, from being a multiple
/// of lower_step.
template <Scalar T>
void update_lower_step(matrix_view<T> C, matrix_view<const T> A, index_t from) {
  const index_t n = C.rows(), width = n - from < lower_step ? n - from : lower_step,
                below = from + width;
  for (index_t j = from; j < below; ++j) {
    for (index_t k = 0; k < A.cols(); ++k) {
      const T b = detail::conjugate(A(j, k));
      for (index_t i = j; i < below; ++i) C(i, j) = detail::subtract_product(C(i, j), A(i, k), b);
    }
    C(j, j) = T(detail::real_part(C(j, j)));
  }
  update(C.block(below, from, n - below, width), operand<T>(A.block(below, 0, n - below, A.cols())),
         adjoint(A.block(from, 0, width, A.cols())));
}

/// Lower triangle of C := C − A·Aᴴ; C: n×n, A: n×k. The diagonal of a Hermitian C is real:
/// imaginary parts are set to zero. n²·k flops. BLAS: syrk, herk.
template <Scalar T>
void update_lower(matrix_view<T> C, matrix_view<const T> A) {
  for (index_t from = 0; from < C.rows(); from += lower_step) update_lower_step(C, A, from);
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
