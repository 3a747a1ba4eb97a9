#pragma once
// The arithmetic of calls on batches and of device kernels.

#include <array>
#include <string_view>

namespace trifac {

enum class float_model {
  ieee,  ///< square roots and quotients are rounded correctly
  fast   ///< faster and less accurate, in ways that depend on the backend: docs/batched.md
};

/// The names of the enumerators, in order.
inline constexpr std::array<std::string_view, 2> float_model_names = {"ieee", "fast"};

}  // namespace trifac
