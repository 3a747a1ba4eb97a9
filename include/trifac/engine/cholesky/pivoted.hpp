#pragma once
// Cholesky with interchanges of rows and columns: of semidefinite matrices; the nest is also that
// of modified.hpp.

#include <span>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/blas/divide.hpp"
#include "trifac/engine/blas/swap_rows.hpp"
#include "trifac/engine/panel/nest_step.hpp"
#include "trifac/engine/simd/core/few_right_hand_sides.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Columns of a panel, where none are asked for.
inline constexpr index_t default_pivoted_block = 64;

/// What the panels of a pivoted Cholesky factorization share.
template <class T>
struct pivoted_state {
  real_t<T> tolerance;              ///< no pivot is as small
  real_t<T> negative;               ///< a diagonal element below this is no rounding error
  std::span<index_t> interchanges;  ///< of rows and columns, n of them
  std::span<real_t<T>> diagonal;    ///< of the Schur complement
  index_t rank = 0;
  index_t begin = 0;  ///< first column of the panel; those on its right still lack its product
  bool done = false;  ///< no pivot is left
  status outcome = {};
};

/// Rows and columns j and i > j of the Hermitian A exchanged, lower triangle.
template <class T>
void exchange(const matrix_view<T>& A, index_t j, index_t i) {
  for (index_t c = 0; c < j; ++c) std::swap(A(j, c), A(i, c));
  for (index_t r = i + 1; r < A.rows(); ++r) std::swap(A(r, j), A(r, i));
  for (index_t r = j + 1; r < i; ++r) {
    const T x = conjugate(A(r, j));
    A(r, j) = conjugate(A(i, r));
    A(i, r) = x;
  }
  A(i, j) = conjugate(A(i, j));
  std::swap(A(j, j), A(i, i));
}

/// c := c − A·x, one column each, in place where A has rows or columns that lie in one piece.
template <class T>
void subtract_column(const matrix_view<T>& c, const operand<T>& A, const operand<T>& x) {
  if constexpr (simd::has_kernels<T>)
    if (simd::are_few_right_hand_sides(A, c)) return simd::subtract_few(c, A, x);
  simd::update(c, A, x);
}

/// Column j of A below the diagonal, which has received the columns of the panel before it.
template <class T>
matrix_view<T> receive_panel(const matrix_view<T>& A, index_t begin, index_t j) {
  //     | …          |
  // A = | …  a11ᵀ    |    a21 = a21 − A21·conj(a11), a11 and A21 from column `begin` on
  //     | …  A21 a21 |
  const index_t below = A.rows() - j - 1;
  const auto a21 = A.block(j + 1, j, below, 1);
  if (below > 0 && j > begin)
    subtract_column(a21, operand<T>(A.block(j + 1, begin, below, j - begin)),
                    adjoint(matrix_view<const T>(A.block(j, begin, 1, j - begin))));
  return a21;
}

/// Columns first … first+width−1 of A, from the diagonal down, receive the columns from … to−1 of
/// L.
template <class T>
void subtract_panel(const matrix_view<T>& A, index_t from, index_t to, index_t first,
                    index_t width) {
  const index_t below = first + width, rest = A.rows() - below;
  const matrix_view<const T> here = A.block(first, from, width, to - from);
  simd::update_lower<T>(A.block(first, first, width, width), here);
  if (rest > 0)
    simd::update(A.block(below, first, rest, width),
                 operand<T>(A.block(below, from, rest, to - from)), adjoint(here));
}

/// Columns k … k+b−1 of A: the largest element of the diagonal is the next pivot; its column
/// receives those before it in the panel. state.done where there are no more pivots.
template <class T>
void factor_pivoted_panel(const matrix_view<T>& A, index_t k, index_t b, pivoted_state<T>& state) {
  using R = real_t<T>;
  const index_t n = A.rows();
  const auto d = [&](index_t i) -> R& { return state.diagonal[as_size(i)]; };
  state.begin = k;
  for (index_t j = k; j < k + b; ++j) {
    index_t largest = j;
    R least = d(j);
    for (index_t i = j; i < n; ++i) {
      if (d(i) > d(largest)) largest = i;
      if (d(i) < least) least = d(i);
    }
    if (!(d(largest) > state.tolerance)) {
      state.done = true;
      if (least < state.negative) state.outcome = status::at(status_kind::not_positive_definite, j);
      return;
    }
    if (largest != j) {
      exchange(A, j, largest);
      std::swap(d(j), d(largest));
    }
    state.interchanges[as_size(j)] = largest;
    const R l = square_root(d(j));
    const auto a21 = receive_panel(A, k, j);
    A(j, j) = T(l);
    blas::divide_column(a21, T(l));
    bool finite = true;
    for (index_t i = j + 1; i < n; ++i) {
      d(i) = d(i) - squared_abs(a21(i - j - 1, 0));
      finite = finite && is_finite(d(i));
    }
    if (!finite) {
      state.done = true;
      state.outcome = status::at(status_kind::not_finite, j);
      return;
    }
    state.rank = j + 1;
  }
}

}  // namespace detail

/// Pᵀ·A·P = L·Lᴴ in place with the interchanges of P, panel by panel, as the state says: that of
/// semidefinite matrices, until no element of the diagonal that is left exceeds the tolerance, or
/// of modified.hpp. A: n×n, lower triangle, its diagonal finite. n²r − nr² + r³/3 flops for rank r.
/// LAPACK: pstrf. Source: Hammarling, Higham, Lucas, PARA 2006.
template <class On, class T, class State>
void cholesky_pivoted(On& on, matrix_view<T> A, index_t block, State& state) {
  const index_t n = A.rows();
  for (index_t k = 0; k < n; k += block) {
    //     | done            |    [A11; A21] = [L11; L21], pivots from all rows below
    // A = |  …   A11        |
    //     |  …   A21   A22  |    A22 = A22 − L21·L21ᴴ
    const index_t b = detail::min(block, n - k), below = n - k - b;
    on.once(nest_step::factor_panel, [&] {
      if (!state.done) factor_pivoted_panel(A, k, b, state);
    });
    // state.done is read inside a piece: outside, another thread may be writing it.
    on.ranges(nest_step::update_lower, below, blas::lower_step, [&](index_t from, index_t to) {
      if (!state.done) detail::subtract_panel(A, state.begin, k + b, k + b + from, to - from);
    });
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
