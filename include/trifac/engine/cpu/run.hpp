#pragma once
// A loop nest on a team of threads, whoever starts them.

#include "trifac/engine/cpu/alone.hpp"
#include "trifac/engine/cpu/executor.hpp"
#include "trifac/engine/cpu/member.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// start(worked, each) calls each(size) on each thread of a team and returns true, or returns
/// false, having called nothing: then the nest runs on the calling thread.
template <class Nest, class Start>
void run_on_team(status& outcome, Nest& nest, Start start) {
  team threads_of_call(outcome);
  const auto each = [&](int size) {
    cpu_executor<member> on(threads_of_call, size);
    nest(on);
    on.report_time();
  };
  const auto worked = [&] { return threads_of_call.worked.load(); };
  if (start(worked, each)) return;
  cpu_executor<alone> on(outcome);
  nest(on);
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
