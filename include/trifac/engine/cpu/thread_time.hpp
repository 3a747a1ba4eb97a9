#pragma once
// The processor time of the calling thread: what it has worked, however long it stood in a queue of
// the scheduler.

#include <chrono>

#include "trifac/engine/base/config.hpp"

#if __has_include(<time.h>)
  #include <time.h>
#endif

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Since some point in the past; wall time on systems without a clock for threads. Costs a call of
/// the system.
inline std::chrono::nanoseconds thread_time() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
#else
  return std::chrono::steady_clock::now().time_since_epoch();
#endif
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
