#pragma once
// Conversions of options (doubles) and indices to the real type of the matrix.

#include <limits>
#include <type_traits>

#include "trifac/engine/base/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// float, and every type that a double converts to without narrowing.
template <class R>
concept FromDouble = std::is_floating_point_v<R> || requires(double x) {
  R{x};
};

/// x as an R; infinity if x exceeds the largest R.
template <class R>
R from_double(double x) {
  if constexpr (std::is_floating_point_v<R>)
    if (static_cast<long double>(x) > static_cast<long double>(std::numeric_limits<R>::max()))
      return std::numeric_limits<R>::infinity();
  return static_cast<R>(x);
}

/// i, |i| ≤ 2⁵³, as an R. A class with constructors from int and double is ambiguous for index_t.
template <class R>
constexpr R from_index(index_t i) {
  if constexpr (FromDouble<R>)
    return static_cast<R>(static_cast<double>(i));
  else
    return static_cast<R>(static_cast<int>(i));
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
