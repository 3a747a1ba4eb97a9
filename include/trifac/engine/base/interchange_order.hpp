#pragma once
// In which order interchanges are applied: P·B or Pᵀ·B.

#include "trifac/engine/base/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

enum class interchange_order { forward, backward };

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
