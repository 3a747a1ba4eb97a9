#pragma once
// Row sizes as powers of two without limits of range, and elements scaled by two powers.

#include <cmath>
#include <limits>
#include <vector>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A size mantissa·2^exponent, mantissa in [½, 1), without limits of range; 0 if mantissa is 0. A
/// non-finite size is larger than all others.
template <class R>
struct binary_size {
  R mantissa = R(0);
  int exponent = std::numeric_limits<int>::min();

  bool is_finite() const { return exponent < std::numeric_limits<int>::max(); }
  bool is_zero() const { return mantissa == R(0); }
  friend bool operator<(const binary_size& a, const binary_size& b) {
    return a.exponent < b.exponent || (a.exponent == b.exponent && a.mantissa < b.mantissa);
  }
  /// The nearest value in the range of R.
  R value() const { return min(std::ldexp(mantissa, exponent), std::numeric_limits<R>::max()); }
};
/// |z|·2^by, for complex z |Re z| + |Im z|.
template <class T>
binary_size<real_t<T>> binary_size_of(const T& z, int by) {
  using R = real_t<T>;
  R size = pivot_size(z);
  binary_size<R> result;
  if (!is_finite(size)) {  // the sum may overflow where that of the halves does not
    if constexpr (is_complex<T>) size = absolute(R(z.real() / 2)) + absolute(R(z.imag() / 2));
    if (!is_finite(size)) return {R(1), std::numeric_limits<int>::max()};
    ++by;
  }
  result.mantissa = std::frexp(size, &result.exponent);
  if (result.is_zero()) return {};
  result.exponent += by;
  return result;
}

/// Scales and their inverses are normal numbers up to this exponent.
template <class R>
inline constexpr int most_scale = std::numeric_limits<R>::max_exponent - 2;

/// The power of two with that exponent, clamped to a valid scale.
template <class R>
R scale_of(int exponent) {
  return std::ldexp(R(1), clamp(exponent, -most_scale<R>, most_scale<R>));
}

/// The size of row i of A·diag(2^others), without limits of range.
template <class T>
binary_size<real_t<T>> exact_size(const matrix_view<const T>& A, index_t i,
                                  const std::vector<int>& others) {
  binary_size<real_t<T>> size;
  for (index_t j = 0; j < A.cols(); ++j)
    size = max(size, binary_size_of(A(i, j), others[as_size(j)]));
  return size;
}

/// exponents[i] := that of the power of two that scales row i of A·diag(2^others) to a size in [1,
/// 2). condition := smallest / largest row size, most := the largest. Status: the first zero or
/// non-finite row, with index first + i.
template <class T>
status even_rows(const matrix_view<const T>& A, const std::vector<int>& others, index_t first,
                 std::vector<int>& exponents, real_t<T>& condition, real_t<T>& most) {
  using R = real_t<T>;
  std::vector<R> sizes(as_size(A.rows())), scales;
  for (int exponent : others) scales.push_back(std::ldexp(R(1), exponent));  // maybe infinite
  const auto take = [&](index_t i, index_t j) {
    R& known = sizes[as_size(i)];
    known = max_or_nan(known, R(pivot_size(A(i, j)) * scales[as_size(j)]));
  };
  if (A.col_stride() == 1)
    for (index_t i = 0; i < A.rows(); ++i)
      for (index_t j = 0; j < A.cols(); ++j) take(i, j);
  else
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i) take(i, j);
  binary_size<R> least, largest;
  exponents.resize(sizes.size());
  for (index_t i = 0; i < A.rows(); ++i) {
    // Normal sizes are exact: underflowed terms were smaller.
    const R& seen = sizes[as_size(i)];
    const bool is_normal =
        seen >= std::numeric_limits<R>::min() && seen <= std::numeric_limits<R>::max();
    const binary_size<R> size = is_normal ? binary_size_of(seen, 0) : exact_size(A, i, others);
    if (!size.is_finite()) return status::at(status_kind::not_finite, first + i);
    if (size.is_zero()) return status::at(status_kind::singular, first + i);
    least = i == 0 ? size : min(least, size);
    largest = max(largest, size);
    exponents[as_size(i)] = 1 - size.exponent;
  }
  most = largest.value();
  condition = std::ldexp(least.mantissa / largest.mantissa, least.exponent - largest.exponent);
  return {};
}

/// row·a·column, even if row·a or row·column overflows or underflows.
template <class T>
T scaled_element(const T& a, const real_t<T>& row, const real_t<T>& column) {
  using R = real_t<T>;
  const auto times = [&](const R& x) {
    const R scale = row * column;
    if (scale >= std::numeric_limits<R>::min() && scale <= std::numeric_limits<R>::max())
      return R(x * scale);
    // Applies exponents last: only the result may leave the range.
    int up = 0, across = 0;
    const R mantissas = std::frexp(row, &up) * std::frexp(column, &across) * 4;
    return std::ldexp(R(x * mantissas), up + across - 2);
  };
  if constexpr (is_complex<T>)
    return T(times(a.real()), times(a.imag()));
  else
    return times(a);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
