#pragma once
// backend::serial as a policy. Its executor is in cpu/run.hpp.

#include <concepts>

#include "trifac/backend.hpp"
#include "trifac/engine/calls/team.hpp"

namespace trifac {
namespace backend {

/// One thread, no dependency; always available; every variant and every scalar type.
struct serial {
  static constexpr std::string_view name = "serial";
  constexpr availability available() const noexcept { return {true, ""}; }
  static constexpr bool packs_panels = true;    ///< see PackingBackend
  static constexpr bool has_small_path = true;  ///< see SmallPathBackend
  friend constexpr bool supports(const serial&, variant) { return true; }
};

/// See TeamBackend. Not for policies that derive from this one, which have other executors.
template <std::same_as<serial> B>
constexpr call_team team_for_call(const B&) {
  return {};
}

}  // namespace backend
}  // namespace trifac
