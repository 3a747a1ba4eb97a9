#pragma once
// √x in constant expressions: std::sqrt is not constexpr before C++26.

#include <cstdint>
#include <limits>

#include "trifac/engine/base/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// √x for 0 < x < ∞, correctly rounded: 54 binary digits, each from two digits of the radicand,
/// then one rounding. That suffices for float, too: 54 ≥ 2·24 + 2.
constexpr double square_root_by_digits(double x) {
  double scale = 1;
  for (; x >= 4; x /= 4) scale *= 2;
  for (; x < 1; x *= 4) scale /= 2;
  const auto radicand = static_cast<std::uint64_t>(x * 0x1p52);  // 2⁵² ≤ radicand < 2⁵⁴
  std::uint64_t root = 0, rest = 0;
  for (int shift = 52; shift >= -54; shift -= 2) {
    rest = rest << 2 | (shift >= 0 ? radicand >> shift & 3 : 0);
    const std::uint64_t trial = root << 2 | 1;
    root <<= 1;
    if (rest < trial) continue;
    rest -= trial;
    root |= 1;
  }
  // The root of a number with 53 digits is never halfway between two of them.
  return static_cast<double>((root + 1) >> 1) * 0x1p-52 * scale;
}

/// √x in a constant expression.
template <class R>
constexpr R constant_square_root(const R& x) {
  if (!(x > R(0)) || x > std::numeric_limits<R>::max())
    return x < R(0) ? std::numeric_limits<R>::quiet_NaN() : x;
  return static_cast<R>(square_root_by_digits(static_cast<double>(x)));
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
