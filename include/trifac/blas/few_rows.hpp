#pragma once
// A few rows and columns whose number is known at compile time: Cholesky, LU and the solves by scalars
// in registers, part of their caller, and constant expressions. Multiplied and added separately
// unless the compiler's flags fuse them: with the bits of the instruction set `baseline`.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "trifac/detail/as_size.hpp"
#include "trifac/detail/inline.hpp"
#include "trifac/detail/ordinary_pivots.hpp"
#include "trifac/detail/square_root.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// Up to these orders real matrices are factored by scalars: Cholesky of order 4 in a third, of order
/// 8 in two thirds of the time; LU of order 4 in a quarter, of order 6 in a third. LU of order 8
/// would be as fast, too, but each instance costs a second to compile.
inline constexpr index_t few_rows_of_cholesky = 8, few_rows_of_lu = 6;

namespace few_rows {

using detail::as_size;
using detail::least_ordinary_pivot;

template <class R>
constexpr R scalar_fnma(R a, R b, R c) {
  return c - a * b;
}
/// As in the tiles of `baseline`, which have vectors of 16 bytes.
template <class R>
constexpr bool pivot_by_square(int j) {
  return j % 4 != 0 && j % static_cast<int>(16 / sizeof(R)) != 0;
}
template <class R>
constexpr R scalar_root(R x) {
  return std::is_constant_evaluated() ? detail::constant_square_root(x) : std::sqrt(x);
}
template <class R>
constexpr auto scalar_key(R x) {
  using key = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
  return static_cast<key>(std::bit_cast<key>(x) << 1);
}
template <class R>
constexpr bool is_ordinary_pivot(R x) {
  using range = detail::ordinary_pivots<R>;
  const R size = x < 0 ? -x : x;
  return size >= range::least && size <= range::most;
}

#include "trifac/blas/few_rows_cholesky.inl"
#include "trifac/blas/few_rows_lu.inl"

/// A triangle of N rows: its elements, and the inverses of its diagonal.
template <int N, class R>
struct few_rows_triangle {
  const R* at;
  index_t down, along;

  constexpr R operator()(int i, int k) const { return at[i * down + k * along]; }
};

/// x := L⁻¹·x, or with the transposed view of an upper triangle its own.
template <diagonal Diagonal, int N, class R>
TRIFAC_INLINE constexpr void substitute_forward(const few_rows_triangle<N, R>& L, const R* inverse,
                                                R* x) {
  TRIFAC_UNROLL
  for (int k = 0; k < N; ++k) {
    if (Diagonal == diagonal::general) x[k] *= inverse[k];
    TRIFAC_UNROLL
    for (int i = k + 1; i < N; ++i) x[i] = scalar_fnma(L(i, k), x[k], x[i]);
  }
}
/// x := U⁻¹·x.
template <diagonal Diagonal, int N, class R>
TRIFAC_INLINE constexpr void substitute_backward(const few_rows_triangle<N, R>& U, const R* inverse,
                                                 R* x) {
  TRIFAC_UNROLL
  for (int k = N - 1; k >= 0; --k) {
    if (Diagonal == diagonal::general) x[k] *= inverse[k];
    TRIFAC_UNROLL
    for (int i = 0; i < k; ++i) x[i] = scalar_fnma(U(i, k), x[k], x[i]);
  }
}

/// The inverses of a diagonal, 1 for an element zero, which divides nothing. False where one is not
/// finite.
template <int N, class R>
TRIFAC_INLINE constexpr bool invert_diagonal(const few_rows_triangle<N, R>& A, R* inverse) {
  bool finite = true;
  TRIFAC_UNROLL
  for (int k = 0; k < N; ++k) {
    const R pivot = A(k, k);
    if (std::is_constant_evaluated() && !is_ordinary_pivot(pivot)) return false;
    inverse[k] = R(1) / (pivot == R(0) ? R(1) : pivot);
    finite &= inverse[k] - inverse[k] == R(0);
  }
  return finite;
}

/// step(x) on each column x of B, which is read and written once.
template <int N, class R, class Step>
TRIFAC_INLINE constexpr void for_each_column(const matrix_view<R>& B, Step step) {
  for (index_t j = 0; j < B.cols(); ++j) {
    R x[as_size(N)];
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) x[i] = B(i, j);
    step(x);
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) B(i, j) = x[i];
  }
}

}  // namespace few_rows

/// B := L⁻ᵀ·L⁻¹·B with the lower triangle L of the N×N matrix A; B: N×r. False, and B unchanged,
/// where an element of the diagonal has no finite inverse.
template <int N, class R>
TRIFAC_INLINE constexpr bool solve_few_rows_cholesky(const R* A, index_t down, index_t along,
                                                     const matrix_view<R>& B) {
  using namespace few_rows;
  const few_rows_triangle<N, R> L = {A, down, along}, U = {A, along, down};
  R inverse[detail::as_size(N)];
  if (!invert_diagonal(L, inverse)) return false;
  for_each_column<N>(B, [&](R* x) {
    substitute_forward<diagonal::general>(L, inverse, x);
    substitute_backward<diagonal::general>(U, inverse, x);
  });
  return true;
}

/// B := op(A)⁻¹·B with P·A = L·U, op being the transpose or none. Else as above.
template <int N, class R>
TRIFAC_INLINE constexpr bool solve_few_rows_lu(const R* A, index_t down, index_t along,
                                               const index_t* interchanges, operation op,
                                               const matrix_view<R>& B) {
  using namespace few_rows;
  const few_rows_triangle<N, R> LU = {A, down, along}, transposed = {A, along, down};
  R inverse[detail::as_size(N)];
  if (!invert_diagonal(LU, inverse)) return false;
  const auto exchange = [&](R* x, int k) {
    const R y = x[interchanges[k]];
    x[interchanges[k]] = x[k];
    x[k] = y;
  };
  if (op == operation::none)
    for_each_column<N>(B, [&](R* x) {
      TRIFAC_UNROLL
      for (int k = 0; k < N; ++k) exchange(x, k);
      substitute_forward<diagonal::unit>(LU, inverse, x);
      substitute_backward<diagonal::general>(LU, inverse, x);
    });
  else
    for_each_column<N>(B, [&](R* x) {
      substitute_forward<diagonal::general>(transposed, inverse, x);
      substitute_backward<diagonal::unit>(transposed, inverse, x);
      TRIFAC_UNROLL
      for (int k = N - 1; k >= 0; --k) exchange(x, k);
    });
  return true;
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
