#pragma once
// From signed indices to unsigned ones, and from those that count from 1.

#include <cstddef>

#include "trifac/engine/base/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// n as the standard's containers and spans count; n ≥ 0.
constexpr std::size_t as_size(index_t n) {
  return static_cast<std::size_t>(n);
}

/// A row number that counts from `base`, counted from 0. Nothing overflows: a number that is no row
/// stays none.
constexpr index_t counted_from_0(index_t row, index_t base) {
  return static_cast<index_t>(static_cast<std::size_t>(row) - static_cast<std::size_t>(base));
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
