#pragma once
// The panels of a modified Cholesky factorization: Pᵀ·(A + E)·P = L·Lᴴ of an indefinite A.

#include <cmath>
#include <limits>
#include <span>

#include "trifac/engine/cholesky/pivoted.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// What the panels of a modified Cholesky factorization share. In phase one columns are those of a
/// pivoted factorization, as long as the diagonal that they leave is not too negative; in phase two
/// the pivot has the largest lower Gershgorin bound, and the diagonal is enlarged where it must be.
template <class T>
struct modified_state {
  using R = real_t<T>;
  static constexpr index_t never = -1;

  // The constants of Schnabel and Eskow's experiments.
  R tau = std::cbrt(std::numeric_limits<R>::epsilon());
  R tau_bar = tau * tau;  ///< the least pivot, over γ
  R mu = R(0.1);          ///< how negative the diagonal may become in phase one, over γ

  R gamma;                          ///< max |a_ii|
  std::span<index_t> interchanges;  ///< of rows and columns, n of them
  std::span<R> diagonal;            ///< of the Schur complement
  std::span<R> bounds;              ///< of its rows, in phase two
  std::span<R> E;                   ///< what is added to its diagonal
  index_t phase_two = never;        ///< its first column
  R shift = R(0);                   ///< E of the column before
  index_t begin = 0;                ///< first column of the panel that is not yet subtracted
  bool done = false;
  status outcome = {};

  R& d(index_t i) { return diagonal[as_size(i)]; }
  R& bound(index_t i) { return bounds[as_size(i)]; }
  void stop(index_t j) {
    done = true;
    outcome = status::at(status_kind::not_finite, j);
  }
};

/// Rows and columns j and i exchanged, with what belongs to them.
template <class T>
void exchange(const matrix_view<T>& A, index_t j, index_t i, modified_state<T>& state) {
  if (i == j) return;
  exchange(A, j, i);
  std::swap(state.d(j), state.d(i));
  std::swap(state.bound(j), state.bound(i));
}

/// Column j := that of L with this pivot, a21 being that of the Schur complement below the
/// diagonal.
template <class T>
void take_pivot(const matrix_view<T>& A, index_t j, const real_t<T>& pivot,
                const matrix_view<T>& a21, modified_state<T>& state) {
  if (!is_finite(pivot)) return state.stop(j);
  const real_t<T> l = square_root(pivot);
  A(j, j) = T(l);
  blas::divide_column(a21, T(l));
  for (index_t i = 0; i < a21.rows(); ++i)
    state.d(j + 1 + i) = state.d(j + 1 + i) - squared_abs(a21(i, 0));
}

/// Phase two from column j on: the trailing matrix from column `first` on receives the panel, then
/// its rows have their bounds, a_ii − Σ |a_ik|. `partner`: the row that phase one exchanged with j,
/// which is undone.
template <class T>
void begin_phase_two(const matrix_view<T>& A, index_t j, index_t first, index_t partner,
                     modified_state<T>& state) {
  const index_t n = A.rows();
  if (first < n && state.begin < j) {
    const auto rows = A.block(first, state.begin, n - first, j - state.begin);
    simd::update_lower<T>(A.block(first, first, n - first, n - first), matrix_view<const T>(rows));
  }
  exchange(A, j, partner, state);
  for (index_t i = j; i < n; ++i) state.bound(i) = state.d(i);
  for (index_t k = j; k < n; ++k)
    for (index_t i = k + 1; i < n; ++i) {
      const real_t<T> size = absolute(A(i, k));
      state.bound(i) = state.bound(i) - size;
      state.bound(k) = state.bound(k) - size;
    }
  state.phase_two = state.begin = j;
}

/// Column j in phase one; else phase two begins there.
template <class T>
void factor_phase_one_column(const matrix_view<T>& A, index_t j, modified_state<T>& state) {
  using R = real_t<T>;
  const index_t n = A.rows();
  index_t largest = j;
  R least = state.d(j);
  for (index_t i = j; i < n; ++i) {
    if (state.d(i) > state.d(largest)) largest = i;
    least = min(least, state.d(i));
  }
  const R pivot = state.d(largest);
  if (pivot < state.tau_bar * state.gamma || least < -state.mu * pivot)
    return begin_phase_two(A, j, j, j, state);
  exchange(A, j, largest, state);
  const matrix_view<T> a21 = receive_panel(A, state.begin, j);
  const R inverse = R(1) / square_root(pivot);
  for (index_t i = 0; i < a21.rows(); ++i) {
    const R rest = state.d(j + 1 + i) - squared_abs(T(a21(i, 0) * inverse));
    // Not finite, too: phase two tells the column that is to blame.
    if (!(rest >= -state.mu * state.gamma)) return begin_phase_two(A, j, j + 1, largest, state);
  }
  state.interchanges[as_size(j)] = largest;
  take_pivot(A, j, pivot, a21, state);
}

/// The last two columns: both elements of the diagonal get the same.
template <class T>
void factor_last_columns(const matrix_view<T>& A, index_t j, modified_state<T>& state) {
  using R = real_t<T>;
  const matrix_view<T> a21 = receive_panel(A, state.begin, j);
  const R first = state.d(j) / 2, second = state.d(j + 1) / 2;  // the sum may overflow
  const R mean = first + second, half = first - second;
  const R radius = std::hypot(half, absolute(a21(0, 0))), smallest = mean - radius;
  const R target = max(state.tau * 2 * radius / (1 - state.tau), state.tau_bar * state.gamma);
  if (!is_finite(target)) return state.stop(j);
  const R shift = max(max(R(0), target - smallest), state.shift);
  for (index_t k : {j, j + 1}) {
    state.E[as_size(k)] = shift;
    // No pivot is smaller than the smallest eigenvalue, but for rounding errors.
    const R pivot = max(state.d(k) + shift, target / 2);
    take_pivot(A, k, pivot, A.block(k + 1, k, A.rows() - k - 1, 1), state);
    if (state.done) return;
  }
  state.done = true;
}

/// Column j in phase two, or the last two.
template <class T>
void factor_phase_two_column(const matrix_view<T>& A, index_t j, modified_state<T>& state) {
  using R = real_t<T>;
  const index_t n = A.rows();
  if (n - j == 2) return factor_last_columns(A, j, state);
  index_t best = j;
  for (index_t i = j; i < n; ++i)
    if (state.bound(i) > state.bound(best)) best = i;
  exchange(A, j, best, state);
  state.interchanges[as_size(j)] = best;
  const matrix_view<T> a21 = receive_panel(A, state.begin, j);
  R sum(0);
  for (index_t i = 0; i < a21.rows(); ++i) sum = sum + absolute(a21(i, 0));
  if (!is_finite(sum)) return state.stop(j);
  // The only column that is left has no sum: its own size stands for it.
  const R d = state.d(j), least = state.tau_bar * state.gamma;
  const R target = max(n - j > 1 ? sum : -d * state.tau / (1 - state.tau), least);
  const R shift = max(max(R(0), target - d), state.shift);
  const R pivot = max(d + shift, target / 2);  // the target, but for rounding errors
  state.E[as_size(j)] = state.shift = shift;
  if (pivot != sum)
    for (index_t i = 0; i < a21.rows(); ++i)
      state.bound(j + 1 + i) = state.bound(j + 1 + i) + absolute(a21(i, 0)) * (1 - sum / pivot);
  take_pivot(A, j, pivot, a21, state);
}

/// Columns k … k+b−1 of A; in phase two the last two at once.
template <class T>
void factor_pivoted_panel(const matrix_view<T>& A, index_t k, index_t b, modified_state<T>& state) {
  state.begin = k;
  for (index_t j = k; j < k + b && !state.done; ++j) {
    if (state.phase_two == modified_state<T>::never) factor_phase_one_column(A, j, state);
    if (state.phase_two != modified_state<T>::never && !state.done)
      factor_phase_two_column(A, j, state);
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
