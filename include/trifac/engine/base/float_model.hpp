#pragma once
// The arithmetic of a call on a batch, or of a device's kernels.

#include <array>
#include <string_view>

namespace trifac {

enum class float_model {
  ieee,  ///< roots and quotients are rounded correctly
  fast   ///< less exact and faster; what that means is the backend's: docs/batched.md
};

/// The names of the enumeration, in its order.
inline constexpr std::array<std::string_view, 2> float_model_names = {"ieee", "fast"};

}  // namespace trifac
