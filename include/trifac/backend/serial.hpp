#pragma once
// The serial backend: every block operation runs immediately on the calling thread.

#include "trifac/engine/cpu/executor.hpp"
#include "trifac/engine/cpu/serial_policy.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// The single-threaded executor, as a base class: user-defined backends override what they need.
struct serial_executor : cpu_executor<alone> {
  using cpu_executor::cpu_executor;
};
static_assert(Executor<serial_executor, double>);

/// Runs nest(on) with the single-threaded executor.
template <class Nest>
void run(const serial&, status& outcome, double /*flops*/, Nest nest) {
  cpu_executor<alone> on(outcome);
  nest(on);
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
