#pragma once
// How many threads a call's work is worth, and in which process a thread runs.

#if __has_include(<unistd.h>)
  #include <unistd.h>
#endif

#include "trifac/engine/base/config.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Work below which a second thread may cost more than it brings, in flops: where two cores share
/// no cache, what they hand over takes the time that they save up to Cholesky of order 400.
inline constexpr double shared_work_threshold = 2.5e7;

/// Work that is worth one more thread: a piece of each step.
inline constexpr double work_of_a_thread = 8e6;

/// Threads for so much work, at most `most`.
constexpr int threads_for(double flops, int most) {
  if (flops < shared_work_threshold) return 1;
  return flops < most * work_of_a_thread ? static_cast<int>(flops / work_of_a_thread) : most;
}

/// The number of this process; always 0 on systems without fork.
inline long this_process() {
#if __has_include(<unistd.h>)
  return ::getpid();
#else
  return 0;
#endif
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
