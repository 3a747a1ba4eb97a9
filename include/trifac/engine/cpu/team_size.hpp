#pragma once
// The number of threads for the work of a call, and the id of the process.

#if __has_include(<unistd.h>)
  #include <unistd.h>
#endif

#include "trifac/engine/base/config.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Flops below which calls use one thread: on two cores without a shared cache, transfers between
/// them take as long as the second one saves up to Cholesky of order 400.
inline constexpr double shared_work_threshold = 2.5e7;

/// Flops per thread, so that each thread has a piece of every step.
inline constexpr double work_of_a_thread = 8e6;

/// The number of threads for so many flops, at most `most`.
constexpr int threads_for(double flops, int most) {
  if (flops < shared_work_threshold) return 1;
  return flops < most * work_of_a_thread ? static_cast<int>(flops / work_of_a_thread) : most;
}

/// The id of this process; always 0 on systems without fork.
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
