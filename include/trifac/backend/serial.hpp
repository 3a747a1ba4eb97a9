#pragma once
// The serial backend: every block operation runs at once on the calling thread.

#include "trifac/backend/cpu/executor.hpp"

namespace trifac {
namespace backend {

/// One thread, no dependency; always available; every variant and every scalar type.
struct serial {
  static constexpr std::string_view name = "serial";
  availability available() const noexcept { return {true, ""}; }
  static constexpr bool packs_panels = true;    ///< see PackingBackend
  static constexpr bool has_small_path = true;  ///< see SmallPathBackend
  friend constexpr bool supports(const serial&, variant) { return true; }
};

inline namespace TRIFAC_ABI {

/// The executor of one thread, to inherit from: a backend of your own redefines what it likes.
struct serial_executor : cpu_executor<alone> {
  using cpu_executor::cpu_executor;
};

/// Runs a loop nest: nest(on) with the executor of one thread.
template <class Nest>
void run(const serial&, status& outcome, double /*flops*/, Nest nest) {
  cpu_executor<alone> on(outcome);
  nest(on);
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
