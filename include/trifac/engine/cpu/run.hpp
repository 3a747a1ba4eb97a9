#pragma once
// Runs a loop nest on the threads of a call.

#include <thread>

#include "trifac/engine/calls/team.hpp"
#include "trifac/engine/cpu/executor.hpp"
#include "trifac/engine/cpu/member.hpp"
#include "trifac/engine/cpu/serial_policy.hpp"
#include "trifac/engine/cpu/timed/stopwatch.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// What the threads of a team share.
template <class Nest>
struct team_work {
  backend::team shared;
  const Nest& nest;
  const backend::stopwatch* watch;  ///< of the calling thread
  std::thread::id caller = std::this_thread::get_id();

  static void each(void* work, int size) {
    auto& self = *static_cast<team_work*>(work);
    backend::cpu_executor on(self.shared, size);
    if (std::this_thread::get_id() == self.caller) on.watch(self.watch);
    self.nest(on);
    on.report_time();
  }
  static std::int64_t worked(void* work) { return static_cast<team_work*>(work)->shared.worked; }
};

}  // namespace detail

/// nest(on) on each thread of a team, or on the calling thread if that is faster.
template <class Nest>
void run(const call_team& team, status& outcome, double flops, const Nest& nest) {
  using clock = backend::stopwatch::clock;
  const backend::stopwatch stopwatch{team.times};
  const backend::stopwatch* const watch = team.times ? &stopwatch : nullptr;
  const auto begin = watch ? clock::now() : clock::time_point();
  bool done = false;
  if (team.start) {
    using work = detail::team_work<Nest>;
    work shared = {backend::team(outcome), nest, watch};
    done = team.start(team.policy, flops, work::each, work::worked, &shared);
  }
  if (!done) {
    backend::cpu_executor on(outcome);
    on.watch(watch);
    nest(on);
  }
  if (watch) team.times->add_call(std::chrono::duration<double>(clock::now() - begin).count());
}

}  // namespace TRIFAC_ABI

namespace backend {
inline namespace TRIFAC_ABI {

/// The executor of one thread, as a base class: a user's backend redefines block operations.
struct serial_executor : cpu_executor {
  using cpu_executor::cpu_executor;
};
static_assert(Executor<serial_executor, double>);

/// Runs a loop nest: nest(on) with the executor of one thread.
template <class Nest>
void run(const serial&, status& outcome, double /*flops*/, const Nest& nest) {
  cpu_executor on(outcome);
  nest(on);
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
