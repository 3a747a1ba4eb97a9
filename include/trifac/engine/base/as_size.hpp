#pragma once
// Conversions from signed to unsigned indices, and from 1-based to 0-based row numbers.

#include <cstddef>

#include "trifac/engine/base/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// n ≥ 0 as a std::size_t, the size type of standard containers and spans.
constexpr std::size_t as_size(index_t n) {
  return static_cast<std::size_t>(n);
}

/// Row number `row`, counted from `base`, as a 0-based one. Does not overflow: an invalid number
/// stays invalid.
constexpr index_t counted_from_0(index_t row, index_t base) {
  return static_cast<index_t>(static_cast<std::size_t>(row) - static_cast<std::size_t>(base));
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
