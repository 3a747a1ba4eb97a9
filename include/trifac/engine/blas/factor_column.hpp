#pragma once
// Cholesky element by element: a diagonal element, a column below it, a row left of it. A is read,
// L is written; in place, A and L are the same view. Accepts any view with operator()(i, j).

#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// Checks a Cholesky pivot: 0 < d ≤ the largest finite number. NaN, ∞ and −∞ are not_finite.
template <class R>
constexpr status check_pivot(const R& d, index_t j) {
  if (!detail::is_finite(d)) return status::at(status_kind::not_finite, j);
  if (!(d > R(0))) return status::at(status_kind::not_positive_definite, j);
  return {};
}

/// The status for the column `bad` of a bad pivot, which is still in A; −1: there is none.
template <class View>
constexpr status status_of_pivot(const View& A, index_t bad) {
  return bad < 0 ? status() : check_pivot(detail::real_part(A(bad, bad)), bad);
}

/// l_jj = sqrt(d) for the pivot d; L is not written if d is not a valid pivot.
template <class View, class R>
constexpr status set_diagonal(const View& L, index_t j, const R& d) {
  const status s = check_pivot(d, j);
  if (s) L(j, j) = typename View::value_type(detail::square_root(d));
  return s;
}

/// l_jj = sqrt(a_jj − Σ_{k<j} |l_jk|²).
template <class Source, class View>
constexpr status factor_diagonal(const Source& A, const View& L, index_t j) {
  auto d = detail::real_part(A(j, j));
  for (index_t k = 0; k < j; ++k) d = d - detail::squared_abs(L(j, k));
  return set_diagonal(L, j, d);
}

/// l_jj = sqrt(a_jj − sums[j]), where factor_column has accumulated sums[j].
template <class Source, class View, class R>
status factor_diagonal(const Source& A, const View& L, index_t j, const R* sums) {
  return set_diagonal(L, j, R(detail::real_part(A(j, j)) - sums[j]));
}

/// a_ij − Σ_{first≤k<last} l_ik·conj(l_jk).
template <class Source, class View>
constexpr auto reduced_element(const Source& A, const View& L, index_t i, index_t j, index_t first,
                               index_t last) {
  typename View::value_type x = A(i, j);
  for (index_t k = first; k < last; ++k)
    x = detail::subtract_product(x, L(i, k), detail::conjugate(L(j, k)));
  return x;
}

/// l_ij = (a_ij − Σ_{k<j} l_ik·conj(l_jk)) / l_jj for the rows from ≤ i < to.
template <class Source, class View>
constexpr void factor_column(const Source& A, const View& L, index_t j, index_t from, index_t to) {
  const auto pivot = detail::real_part(L(j, j));
  for (index_t i = from; i < to; ++i) L(i, j) = reduced_element(A, L, i, j, 0, j) / pivot;
}

/// The same, and sums[i] += |l_ij|² for the later diagonal elements.
template <class Source, class View, class R>
void factor_column(const Source& A, const View& L, index_t j, index_t from, index_t to, R* sums) {
  factor_column(A, L, j, from, to);
  for (index_t i = from; i < to; ++i) sums[i] = sums[i] + detail::squared_abs(L(i, j));
}

/// l_ij for row i and columns from ≤ j < to in order; the terms of columns before `from` are
/// already subtracted.
template <class Source, class View>
void factor_row(const Source& A, const View& L, index_t i, index_t from, index_t to) {
  for (index_t j = from; j < to; ++j)
    L(i, j) = reduced_element(A, L, i, j, from, j) / detail::real_part(L(j, j));
}

/// l_ij := a_ij − Σ_{first≤k<last} l_ik·conj(l_jk) for row i and columns from ≤ j < to: prepares a
/// factor_row that starts in the middle of a row.
template <class Source, class View>
void reduce_row(const Source& A, const View& L, index_t i, index_t first, index_t last,
                index_t from, index_t to) {
  for (index_t j = from; j < to; ++j) L(i, j) = reduced_element(A, L, i, j, first, last);
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
