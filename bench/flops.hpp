#pragma once
// Operation counts by which times become GFLOP/s: the usual ones, whatever an algorithm really
// does.

#include "trifac/scalar.hpp"

namespace bench {

/// Real operations of one multiplication and one addition of T, relative to those of real numbers:
/// (4 + 2 + 2) / 2 for complex ones.
template <class T>
inline constexpr double real_flops = trifac::is_complex<T> ? 4 : 1;

/// A = L·Lᴴ of order n.
template <class T>
constexpr double cholesky_flops(trifac::index_t n) {
  const auto x = static_cast<double>(n);
  return real_flops<T> * x * x * x / 3;
}

/// P·A = L·U of order n.
template <class T>
constexpr double lu_flops(trifac::index_t n) {
  return 2 * cholesky_flops<T>(n);
}

/// Two triangular solves with r right-hand sides.
template <class T>
constexpr double solve_flops(trifac::index_t n, trifac::index_t r) {
  const auto x = static_cast<double>(n);
  return real_flops<T> * 2 * x * x * static_cast<double>(r);
}

}  // namespace bench
