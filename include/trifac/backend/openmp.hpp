#pragma once
// The OpenMP backend: one parallel region for a whole factorization, in which all threads walk the
// loop nest. The only header that looks at _OPENMP.

#include <chrono>
#include <string_view>

#include "trifac/backend/serial.hpp"
#include "trifac/backend/team/executor.hpp"
#include "trifac/backend/team/experience.hpp"

#if defined(_OPENMP)
  #include <omp.h>
  #define TRIFAC_OPENMP_SWITCH openmp_on
#else
  #define TRIFAC_OPENMP_SWITCH openmp_off
#endif

namespace trifac {
namespace backend {

// Compiled with and without OpenMP the policy is two types, so that object files of both kinds link
// safely.
inline namespace TRIFAC_OPENMP_SWITCH {

/// A team of OpenMP threads for each call; serial inside a parallel region and where the work is
/// too small to share, and for some calls after a team of this caller that came late
/// (team_experience). No private pool. The bits of the result do not depend on the number of
/// threads.
struct openmp {
  static constexpr std::string_view name = "openmp";

  int threads = 0;  ///< 0: as many as OpenMP would use (OMP_NUM_THREADS, omp_set_num_threads)

  availability available() const noexcept {
#if defined(_OPENMP)
    return {true, ""};
#else
    return {false, "compiled without OpenMP (add -fopenmp)"};
#endif
  }
  static constexpr bool packs_panels = true;       ///< see PackingBackend
  static constexpr bool direct_when_small = true;  ///< see DirectBackend
  friend constexpr bool supports(const openmp&, variant) {
    return true;
  }
};

}  // namespace TRIFAC_OPENMP_SWITCH

inline namespace TRIFAC_ABI {
inline namespace TRIFAC_OPENMP_SWITCH {

/// Work below which a second thread may cost more than it brings, in flops: where two cores share
/// no cache, what they hand over takes the time that they save up to Cholesky of order 400.
inline constexpr double shared_work_threshold = 2.5e7;

/// Threads that a call with so much work will use.
inline int team_size(const openmp& policy, double flops) {
#if defined(_OPENMP)
  if (omp_in_parallel() || flops < shared_work_threshold) return 1;
  return policy.threads > 0 ? policy.threads : omp_get_max_threads();
#else
  static_cast<void>(policy);
  static_cast<void>(flops);
  return 1;
#endif
}

/// Of the calling thread, whatever it factors.
inline team_experience& experience_of_caller() {
  static thread_local team_experience experience;
  return experience;
}

/// Runs a loop nest on a team: every thread calls nest(on). A scalar type whose operations throw
/// ends the program here, as no exception can leave a parallel region.
template <class Nest>
void run(const openmp& policy, status& outcome, double flops, Nest nest) {
  const int threads = team_size(policy, flops);
  if (threads <= 1) return run(serial{}, outcome, flops, nest);
#if defined(_OPENMP)
  using clock = std::chrono::steady_clock;
  team_experience& experience = experience_of_caller();
  const bool as_asked = flops >= threads_as_asked;
  if (!as_asked && !experience.wants_team(flops)) return run(serial{}, outcome, flops, nest);
  team threads_of_call(outcome);
  const auto start = clock::now();
  auto end = start;
  team_experience::duration waited{};
  #pragma omp parallel num_threads(threads)
  {
    team_executor on(threads_of_call, omp_get_thread_num(), omp_get_num_threads());
    nest(on);
    if (omp_get_thread_num() == 0) {
      waited = on.waited();
      end = clock::now();
    }
  }
  const auto now = clock::now();
  if (!as_asked) experience.report(flops, threads, waited + (now - end), now - start);
#endif
}

}  // namespace TRIFAC_OPENMP_SWITCH
}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
