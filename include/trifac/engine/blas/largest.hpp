#pragma once
// Largest elements of a triangle, in plain loops, for max |l_ij| and the growth factor of LU.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// max |a_ij| over the rows from(j) ≤ i < to(j) of every column j; NaN if any element is NaN.
/// LAPACK: lange('M').
template <Scalar T, class From, class To>
constexpr real_t<T> largest(matrix_view<const T> A, From from, To to) {
  real_t<T> most(0);
  if (A.empty()) return most;
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = from(j); i < to(j) && most == most; ++i)
      if (const real_t<T> size = detail::absolute(A(i, j)); !(size <= most)) most = size;
  return most;
}

/// Over all elements.
template <Scalar T>
constexpr real_t<T> largest(matrix_view<const T> A) {
  return largest<T>(
      A, [](index_t) { return index_t(0); }, [&](index_t) { return A.rows(); });
}

/// Over the elements below the diagonal.
template <Scalar T>
constexpr real_t<T> largest_below_diagonal(matrix_view<const T> A) {
  return largest<T>(
      A, [](index_t j) { return j + 1; }, [&](index_t) { return A.rows(); });
}

/// Over the elements on and above the diagonal.
template <Scalar T>
constexpr real_t<T> largest_above_diagonal(matrix_view<const T> A) {
  return largest<T>(
      A, [](index_t) { return index_t(0); },
      [&](index_t j) { return detail::min(j + 1, A.rows()); });
}

/// max |u_ij| / `before`, the largest |a_ij|; 1 of the zero matrix.
template <Scalar T>
constexpr real_t<T> growth_from(const real_t<T>& before, matrix_view<const T> LU) {
  return before == real_t<T>(0) ? real_t<T>(1) : largest_above_diagonal<T>(LU) / before;
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
