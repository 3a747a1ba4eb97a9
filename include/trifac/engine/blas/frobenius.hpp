#pragma once
// Frobenius norms, free of overflow and underflow.

#include <limits>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// Σ scaled(|a_ij|)² over the rows from(j) ≤ i < to(j) of every column j, in four chains of sums.
template <class T, class From, class To, class Scaled>
real_t<T> sum_of_squares(const matrix_view<const T>& A, From from, To to, Scaled scaled) {
  using R = real_t<T>;
  R chain[4] = {R(0), R(0), R(0), R(0)};
  const auto add = [&](index_t c, const T& a) {
    const R size = scaled(detail::absolute(a));
    chain[c] = chain[c] + size * size;
  };
  for (index_t j = 0; j < A.cols(); ++j) {
    index_t i = from(j);
    const index_t last = to(j);
    for (; i + 4 <= last; i += 4)
      for (index_t c = 0; c < 4; ++c) add(c, A(i + c, j));
    for (; i < last; ++i) add(0, A(i, j));
  }
  return (chain[0] + chain[1]) + (chain[2] + chain[3]);
}

/// √sum(|·|), or m·√sum(|·| / m) with the largest size m = largest() where squares leave the range
/// of the type. NaN of a NaN.
template <class R, class Sum, class Largest>
R root_of_sum(Sum sum, Largest largest) {
  using limits = std::numeric_limits<R>;
  if constexpr (detail::has_limits<R>) {
    const R squares = sum([](const R& size) { return size; });
    if (squares <= limits::max() &&
        squares >= limits::min() / limits::epsilon() / limits::epsilon())
      return detail::square_root(squares);
  }
  const R m = largest();
  if (m == R(0) || !detail::is_finite(m)) return m;
  return m * detail::square_root(sum([&](const R& size) { return R(size / m); }));
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
