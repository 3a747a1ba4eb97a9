#pragma once
// A Hermitian matrix or its Cholesky factor as a lower triangle, whichever triangle is stored.

#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The view in which the triangle `part` is the lower one; copied member by member: see the note
/// above check_view (call/call.hpp).
template <class T>
constexpr matrix_view<T> lower_view(const matrix_view<T>& A, triangle part) {
  const bool upper = part == triangle::upper;
  return {A.data(), upper ? A.cols() : A.rows(), upper ? A.rows() : A.cols(),
          upper ? A.col_stride() : A.row_stride(), upper ? A.row_stride() : A.col_stride()};
}

/// The lower triangle of op(A), of which `part` is stored. Aᵀ = conj(A), so the transposed upper
/// triangle of A is the lower one of conj(A). The same holds for factors: A = Uᴴ·U is L·Lᴴ with L =
/// Uᴴ, the conjugate of Uᵀ.
template <class T>
constexpr operand<T> lower_operand(const matrix_view<const T>& A, triangle part,
                                   operation op = operation::none) {
  const bool upper = part == triangle::upper;
  return {upper ? A.transposed() : A, is_complex<T> && upper != (op == operation::transpose)};
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
