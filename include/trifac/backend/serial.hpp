#pragma once
// The serial backend: every block operation runs at once on the calling thread.

#include "trifac/engine/cpu/executor.hpp"
#include "trifac/engine/cpu/serial_policy.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// The executor of one thread, to inherit from: a backend of your own redefines what it likes.
struct serial_executor : cpu_executor<alone> {
  using cpu_executor::cpu_executor;
};
static_assert(Executor<serial_executor, double>);

/// Runs a loop nest: nest(on) with the executor of one thread.
template <class Nest>
void run(const serial&, status& outcome, double /*flops*/, Nest nest) {
  cpu_executor<alone> on(outcome);
  nest(on);
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
