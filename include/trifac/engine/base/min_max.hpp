#pragma once
// min, max, clamp and size of numbers: <algorithm>, with all that it includes, would cost each
// translation unit a tenth of a second.

#include "trifac/engine/base/config.hpp"

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

/// How far apart neighbours in memory are, whichever comes first: |stride|.
constexpr index_t distance(index_t stride) {
  return stride < 0 ? -stride : stride;
}

/// The larger of two sizes, NaN where one of them is.
template <class R>
constexpr const R& max_or_nan(const R& known, const R& size) {
  return size <= known || known != known ? known : size;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
