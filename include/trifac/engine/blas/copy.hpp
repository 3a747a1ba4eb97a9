#pragma once
// Copies of a matrix and of its lower triangle, in plain loops.

#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// B := A. LAPACK: lacpy.
template <class T>
constexpr void copy(matrix_view<const T> A, matrix_view<T> B) {
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) B(i, j) = A(i, j);
}

/// Lower triangle of B := lower triangle of A, diagonal included. LAPACK: lacpy.
template <class T>
constexpr void copy_lower(matrix_view<const T> A, matrix_view<T> B) {
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = j; i < A.rows(); ++i) B(i, j) = A(i, j);
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
