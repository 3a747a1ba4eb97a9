#pragma once
// The processor time of the calling thread, without the time in which it was not scheduled.

#include <chrono>

#include "trifac/engine/base/config.hpp"

#if __has_include(<time.h>)
  #include <time.h>
#endif

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Since some point in the past; wall time on systems without a clock for threads. A system
/// call.
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
