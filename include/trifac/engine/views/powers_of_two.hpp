#pragma once
// Products with powers of two, exact unless they overflow or underflow.

#include <cmath>

#include "trifac/scalar.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// z·2^exponent.
template <class T>
T times_power_of_two(const T& z, int exponent) {
  if constexpr (is_complex<T>)
    return T(std::ldexp(z.real(), exponent), std::ldexp(z.imag(), exponent));
  else
    return std::ldexp(z, exponent);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
