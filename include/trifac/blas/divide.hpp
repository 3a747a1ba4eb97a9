#pragma once
// Division by a pivot, in plain loops.

#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

template <Scalar T>
constexpr T halved(const T& x) {
  using R = real_t<T>;
  if constexpr (is_complex<T>)
    return T(x.real() / R(2), x.imag() / R(2));
  else
    return x / R(2);
}

/// x / pivot. Quotients of complex numbers may be computed by way of |Re| + |Im| of the pivot: where
/// that overflows both numbers are halved first, which changes no digit.
template <Scalar T>
constexpr T quotient(const T& x, const T& pivot) {
  if constexpr (is_complex<T>)
    if (!detail::is_finite(detail::pivot_size(pivot))) return halved(x) / halved(pivot);
  return x / pivot;
}

/// x := x / pivot, by division throughout: the reciprocal of a subnormal pivot overflows (LAPACK
/// guards it by sfmin).
template <Scalar T>
constexpr void divide_column(matrix_view<T> x, const T& pivot) {
  for (index_t i = 0; i < x.rows(); ++i) x(i, 0) = quotient(x(i, 0), pivot);
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
