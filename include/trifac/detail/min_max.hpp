#pragma once
// min, max and clamp of numbers: <algorithm>, with all that it includes, would cost each translation
// unit a tenth of a second.

#include "trifac/detail/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <class T>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
constexpr T clamp(T x, T least, T most) {
  return x < least ? least : most < x ? most : x;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
