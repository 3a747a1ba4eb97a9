#pragma once
// min, max, clamp and |stride|. <algorithm> would cost 0.1 s of compile time per translation unit.

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

/// Distance of neighbours in memory: |stride|.
constexpr index_t distance(index_t stride) {
  return stride < 0 ? -stride : stride;
}

/// The larger of two sizes; NaN if either is NaN.
template <class R>
constexpr const R& max_or_nan(const R& known, const R& size) {
  return size <= known || known != known ? known : size;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
