#pragma once
// Inverses of small orders: substitutions with the columns of I, a few at a time, each from its
// first nonzero row on.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/panel/small_pieces.hpp"
#include "trifac/engine/simd/core/small_solve.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Largest order for this path. In double it takes 0.2 to 0.5 of the time of the nests for
/// Cholesky, 0.5 to 0.7 for LU (Zen 3, AVX2; complex 0.3 to 0.9).
inline constexpr index_t small_inverse_rows = simd::small_solve_rows;

/// A := [I; 0].
template <class T>
void set_identity(const matrix_view<T>& A) {
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) A(i, j) = T(i == j ? 1 : 0);
}

/// Columns j … j+b−1 of the lower triangle of X := L⁻ᴴ·L⁻¹; rows above it are not written.
///     |  .        |        |  .  |
/// L = |  .  L11   |    X = |  .  |    X1 = L11⁻ᴴ·L11⁻¹·[I; 0], n−j rows and b columns
///     |           |        |  X1 |
template <class T>
void invert_columns_of_cholesky(const matrix_view<const T>& L, const matrix_view<T>& X, index_t j) {
  const index_t rows = L.rows() - j, b = min(small_piece_columns, rows);
  const auto X1 = X.block(j, j, rows, b);
  set_identity(X1);
  simd::solve_small_cholesky(operand<T>(L.block(j, j, rows, rows)), X1);
}

/// Columns j … j+b−1 of X := U⁻¹·L⁻¹; those of L⁻¹ are zero above row j.
template <class T>
void invert_columns_of_lu(const matrix_view<const T>& LU, const matrix_view<T>& X, index_t j) {
  const index_t n = LU.rows(), rows = n - j, b = min(small_piece_columns, rows);
  const auto X1 = X.block(0, j, n, b), below = X.block(j, j, rows, b);
  for (index_t c = 0; c < b; ++c)
    for (index_t i = 0; i < j; ++i) X1(i, c) = T(0);
  set_identity(below);
  simd::solve_small_triangle(operand<T>(LU.block(j, j, rows, rows)), triangle::lower,
                             diagonal::unit, below);
  simd::solve_small_triangle(operand<T>(LU), triangle::upper, diagonal::non_unit, X1);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
