#pragma once
// The OpenMP backend: one parallel region for a whole factorization, in which all threads run the
// loop nest. The only header that tests _OPENMP.

#include <algorithm>
#include <atomic>
#include <concepts>
#include <string_view>
#include <thread>

#include "trifac/engine/calls/team.hpp"
#include "trifac/engine/cpu/experience.hpp"
#include "trifac/engine/cpu/serial_policy.hpp"
#include "trifac/engine/cpu/team_size.hpp"
#include TRIFAC_DEFINITIONS(cpu, run)

#if defined(_OPENMP)
  #include <omp.h>
  #define TRIFAC_OPENMP_SWITCH openmp_on
#else
  #define TRIFAC_OPENMP_SWITCH openmp_off
#endif

namespace trifac {
namespace backend {

// The policy is a different type with and without OpenMP, so that object files of both kinds can be
// linked together.
inline namespace TRIFAC_OPENMP_SWITCH {

/// A team of OpenMP threads per call. Runs single-threaded inside a parallel region, if the work is
/// too small to share, for a short time after a team was slower than one thread on small work
/// (team_experience), and in a process forked after its calling thread had a team, since those
/// threads do not exist in the child. No private pool. The bits of the result do not depend on the
/// number of threads.
struct openmp {
  static constexpr std::string_view name = "openmp";

  /// 0: OpenMP's default (OMP_NUM_THREADS, omp_set_num_threads). A call uses at most
  /// most_threads(), and best and solve no more than their work is worth (cpu/team_size.hpp).
  /// Negative: argument error.
  int threads = 0;

  availability available() const noexcept {
#if defined(_OPENMP)
    if (threads < 0) return {false, "a negative number of threads"};
    return {true, ""};
#else
    return {false, "compiled without OpenMP (add -fopenmp)"};
#endif
  }
  /// Checks the policy's own values.
  status check() const {
    return threads < 0 ? status::argument("backend.threads", "is negative") : status();
  }
  static constexpr bool packs_panels = true;    ///< see PackingBackend
  static constexpr bool has_small_path = true;  ///< see SmallPathBackend
  friend constexpr bool supports(const openmp&, variant) {
    return true;
  }
};

}  // namespace TRIFAC_OPENMP_SWITCH

/// pid of this thread's first team (0: none). One variable for all compiler flags.
inline thread_local long process_of_teams = 0;

inline namespace TRIFAC_ABI {
inline namespace TRIFAC_OPENMP_SWITCH {

#if defined(_OPENMP)
/// The largest team: several threads per processor, for scaling tests, but fewer than would exhaust
/// the system's threads, upon which OpenMP's runtime aborts the process.
inline int most_threads() {
  return std::max(16, 4 * omp_get_num_procs());
}

/// True if the threads of this thread's teams belong to the parent of this forked process: GCC's
/// runtime would wait for them forever.
inline bool has_lost_its_team() {
  const long process = this_process();
  if (process_of_teams == 0) process_of_teams = process;
  return process_of_teams != process;
}
#endif

/// Number of threads for a call with `flops` of work.
inline int team_size(const openmp& policy, double flops) {
#if defined(_OPENMP)
  if (omp_in_parallel()) return 1;
  const int asked = policy.threads > 0 ? policy.threads : omp_get_max_threads();
  return threads_for(flops, std::min(asked, most_threads()));
#else
  static_cast<void>(policy);
  static_cast<void>(flops);
  return 1;
#endif
}

/// Calls each(size) on each thread of a team of `size`; returns false, with nothing called, if one
/// thread is better. worked(): their working time in nanoseconds. If operations of a scalar type
/// throw, the program terminates, as no exception can leave a parallel region.
template <class Worked, class Each>
bool start_team(const openmp& policy, double flops, const Worked& worked, const Each& each) {
#if defined(_OPENMP)
  const int threads = team_size(policy, flops);
  if (threads <= 1 || has_lost_its_team()) return false;
  return with_experience(flops, worked, [&] {
    std::atomic<int> done = 0;
  #pragma omp parallel num_threads(threads)
    {
      const int size = omp_get_num_threads();
      each(size);
      // Waits like the end of the region, but yielding: OpenMP runtimes spin for milliseconds, on a
      // core that another thread of the team may need.
      ++done;
      while (done < size) std::this_thread::yield();
    }
    return true;
  });
#else
  static_cast<void>(policy), static_cast<void>(flops), static_cast<void>(worked);
  static_cast<void>(each);
  return false;
#endif
}

/// See TeamBackend.
template <std::same_as<openmp> B>
call_team team_for_call(const B& policy) {
  return team_started_by(policy);
}

/// Runs a loop nest on a team: every thread calls nest(on).
template <class Nest>
void run(const openmp& policy, status& outcome, double flops, const Nest& nest) {
  run(team_for_call(policy), outcome, flops, nest);
}

}  // namespace TRIFAC_OPENMP_SWITCH
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
