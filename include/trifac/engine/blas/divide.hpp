#pragma once
// Division by a pivot, in plain loops.

#include <complex>
#include <limits>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// x / y of finite numbers, y ≠ 0, by the formulas below: the C runtime's result depends on
/// processor and compiler. Not inlined, since fused multiply-adds of the caller would change the
/// rounding.
///
/// float: the definition in double precision, where no product overflows. double: with the ratio r
/// of the parts of y, for |c| ≥ |d|:
///   (a + bi) / (c + di) = (a + b·r + (b − a·r)·i) / (c + d·r),   r = d/c
/// and with the parts of both exchanged else. Powers of two keep r and the products normal.
/// Source: Smith, CACM 5(8), 1962; Baudin, Smith, arXiv:1210.4539, 2012, sections 3.2 and 3.4.
[[gnu::noinline]] constexpr std::complex<float> complex_quotient(const std::complex<float>& x,
                                                                 const std::complex<float>& y) {
  const double a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
  const double size = c * c + d * d;
  return {static_cast<float>((a * c + b * d) / size), static_cast<float>((b * c - a * d) / size)};
}
[[gnu::noinline]] constexpr std::complex<double> complex_quotient(const std::complex<double>& x,
                                                                  const std::complex<double>& y) {
  const auto size_of = [](double part) { return part < 0 ? -part : part; };
  const auto exchanged = [](const std::complex<double>& z) {
    return std::complex<double>(z.imag(), z.real());
  };
  const bool steep = size_of(y.real()) < size_of(y.imag());
  const std::complex<double> n = steep ? exchanged(x) : x, m = steep ? exchanged(y) : y;
  double a = n.real(), b = n.imag(), c = m.real(), d = m.imag();
  constexpr double small = 0x1p-900, large = 0x1p900, sums_overflow = 0x1p1022;
  const double pivot = size_of(c), least = detail::min(size_of(a), size_of(b)),
               most = detail::max(size_of(a), size_of(b));
  const bool is_small = pivot < small || (least < small && most < large && pivot < large);
  const double scale = detail::max(pivot, most) >= sums_overflow ? 0.25 : is_small ? 0x1p60 : 1.0;
  a *= scale, b *= scale, c *= scale, d *= scale;
  const double r = d / c, size = d * r + c;
  const bool normal = size_of(r) >= std::numeric_limits<double>::min();
  const double re = ((normal ? b * r : d * (b / c)) + a) / size;
  const double im = (b - (normal ? a * r : d * (a / c))) / size;
  return {re, steep ? -im : im};
}

template <Scalar T>
constexpr T halved(const T& x) {
  using R = real_t<T>;
  if constexpr (is_complex<T>)
    return T(x.real() / R(2), x.imag() / R(2));
  else
    return x / R(2);
}

/// x / pivot. For other complex types, division may use |Re| + |Im| of the pivot: if that
/// overflows, both numbers are halved first, which is exact.
template <Scalar T>
constexpr T quotient(const T& x, const T& pivot) {
  if constexpr (requires { complex_quotient(x, pivot); }) {
    if (detail::is_finite(x) && detail::is_finite(pivot) && pivot != T(0))
      return complex_quotient(x, pivot);
  } else if constexpr (is_complex<T>) {
    if (!detail::is_finite(detail::pivot_size(pivot))) return halved(x) / halved(pivot);
  }
  return x / pivot;
}

/// x := x / pivot, always by division: the reciprocal of a subnormal pivot overflows (LAPACK tests
/// for sfmin).
template <Scalar T>
constexpr void divide_column(matrix_view<T> x, const T& pivot) {
  for (index_t i = 0; i < x.rows(); ++i) x(i, 0) = quotient(x(i, 0), pivot);
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
