#pragma once
// The inverse of a triangle, in place.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/panel/nest_step.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/scalar.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// body(j) for each column of a matrix, shared among threads.
template <class On, class Body>
void for_columns(On& on, index_t cols, const Body& body) {
  on.parts(nest_step::copy, cols, 4, [&](index_t from, index_t to) {
    for (index_t j = from; j < to; ++j) body(j);
  });
}

/// D := L⁻¹ as a full matrix; L: b×b lower triangular.
template <class On, class T>
void invert_block(On& on, const matrix_view<T>& L, const matrix_view<T>& D) {
  for_columns(on, D.cols(), [&](index_t j) {
    for (index_t i = 0; i < D.rows(); ++i) D(i, j) = T(i == j ? 1 : 0);
  });
  on.solve_lower(operand<T>(L), D, diagonal::non_unit);
}

/// One step of the inverse of a lower triangle. On entry, rows from k on hold −L·W in the columns
/// already done, W = L⁻¹; on return, row block k is that of W except for A11, which is unchanged,
/// and D = W11.
///
///     | W00           |
/// A = | S10  L11      |    S10 = −L10·W00, S20 = −L20·W00; L11: b×b
///     | S20  L21  L22 |
template <class On, class T>
void invert_row_block(On& on, const matrix_view<T>& A, index_t k, const matrix_view<T>& D) {
  const index_t b = D.rows(), below = A.rows() - k - b;
  const auto A10 = A.block(k, 0, b, k), A11 = A.block(k, k, b, b);
  const auto A20 = A.block(k + b, 0, below, k), A21 = A.block(k + b, k, below, b);
  invert_block(on, A11, D);                                  // D = L11⁻¹
  on.solve_lower(operand<T>(A11), A10, diagonal::non_unit);  // W10 = L11⁻¹·S10
  on.update(A20, operand<T>(A21), operand<T>(A10));          // S20 = S20 − L21·W10
  on.solve_upper(operand<T>(A11.transposed()), A21.transposed(), diagonal::non_unit);
  for_columns(on, b, [&](index_t j) {  // S21 = −L21·L11⁻¹
    for (index_t i = 0; i < below; ++i) A21(i, j) = -A21(i, j);
  });
}

}  // namespace detail

/// A := L⁻¹ in place; A: n×n, lower triangle L, other triangle not accessed; D: b×b scratch. n³/3
/// flops. LAPACK: trtri. Source: Bientinesi, Gunter, van de Geijn, TOMS 35(1), 2008.
template <class On, class T>
void invert_lower(On& on, matrix_view<T> A, matrix_view<T> D) {
  for (index_t k = 0; k < A.rows(); k += D.rows()) {
    const index_t b = detail::min(D.rows(), A.rows() - k);
    const auto inverse = D.block(0, 0, b, b), A11 = A.block(k, k, b, b);
    detail::invert_row_block(on, A, k, inverse);
    detail::for_columns(on, b, [&](index_t j) {  // A11 = L11⁻¹
      for (index_t i = j; i < b; ++i) A11(i, j) = inverse(i, j);
    });
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
