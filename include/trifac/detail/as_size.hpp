#pragma once
// From our signed indices to the unsigned ones of the standard library.

#include <cstddef>

#include "trifac/detail/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// n as the standard's containers and spans count; n ≥ 0.
constexpr std::size_t as_size(index_t n) {
  return static_cast<std::size_t>(n);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
