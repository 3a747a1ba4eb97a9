#pragma once
// Options, which are doubles, in the type of the matrix.

#include <limits>
#include <type_traits>

#include "trifac/detail/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// x as an R; infinity where R has no number as large.
template <class R>
R from_double(double x) {
  if constexpr (std::is_floating_point_v<R>)
    if (static_cast<long double>(x) > static_cast<long double>(std::numeric_limits<R>::max()))
      return std::numeric_limits<R>::infinity();
  return static_cast<R>(x);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
