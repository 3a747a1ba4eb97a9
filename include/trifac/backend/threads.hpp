#pragma once
// The backend on std::thread: a team of threads from a pool, without OpenMP.

#include <algorithm>
#include <concepts>
#include <string_view>
#include <thread>

#include "trifac/engine/calls/team.hpp"
#include "trifac/engine/cpu/experience.hpp"
#include "trifac/engine/cpu/serial_policy.hpp"
#include "trifac/engine/cpu/team_size.hpp"
#include "trifac/engine/cpu/thread_pool.hpp"
#include TRIFAC_DEFINITIONS(cpu, run)

namespace trifac {
namespace backend {

/// A team of threads per call, from a pool whose threads sleep between calls. Runs single-threaded
/// inside a team of a pool, if the work is too small to share, while another thread's call uses the
/// pool, for a short time after a team was slower than one thread on small work (team_experience),
/// and in a process forked after the pool had threads. The bits of the result do not depend on the
/// number of threads. Programs link the system's thread library (-pthread).
struct threads {
  static constexpr std::string_view name = "threads";

  /// 0: the number of processors. Calls of best and solve use no more than their work is worth
  /// (cpu/team_size.hpp). Negative: argument error.
  int threads = 0;
  /// The caller's pool, which must outlive the calls; null: one per process, destroyed at exit.
  thread_pool* pool = nullptr;

  availability available() const noexcept {
    if (threads < 0) return {false, "a negative number of threads"};
    return {true, ""};
  }
  /// Checks the policy's own values.
  status check() const {
    return threads < 0 ? status::argument("backend.threads", "is negative") : status();
  }
  static constexpr bool packs_panels = true;    ///< see PackingBackend
  static constexpr bool has_small_path = true;  ///< see SmallPathBackend
  friend constexpr bool supports(const struct threads&, variant) { return true; }
};

inline namespace TRIFAC_ABI {

/// The pool of the process, started by the first call that needs it.
inline thread_pool& process_pool() {
  static thread_pool pool;
  return pool;
}

/// True if the calling thread is in a team of a pool: calls inside it are single-threaded.
inline bool& in_a_team() {
  static thread_local bool inside = false;
  return inside;
}

/// Number of threads for a call with `flops` of work; several per processor, for scaling tests, but
/// fewer than would exhaust the system's threads.
inline int team_size(const threads& policy, double flops) {
  static const int processors =  // queried once: a system call
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int asked = policy.threads > 0 ? policy.threads : processors;
  return threads_for(flops, std::min(asked, std::max(16, 4 * processors)));
}

/// As openmp's: each(size) on the threads of a team, fewer if the pool cannot start as many. If
/// operations of a scalar type throw, the program terminates.
template <class Worked, class Each>
bool start_team(const threads& policy, double flops, const Worked& worked, const Each& each) {
  const int size = team_size(policy, flops);
  if (size <= 1 || in_a_team()) return false;
  return with_experience(flops, worked, [&] {
    const auto body = [&] {
      in_a_team() = true;
      each(size);
      in_a_team() = false;
    };
    return (policy.pool != nullptr ? *policy.pool : process_pool()).run(size, body);
  });
}

/// See TeamBackend.
template <std::same_as<threads> B>
call_team team_for_call(const B& policy) {
  return team_started_by(policy);
}

/// Runs a loop nest on a team: every thread calls nest(on).
template <class Nest>
void run(const threads& policy, status& outcome, double flops, const Nest& nest) {
  run(team_for_call(policy), outcome, flops, nest);
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
