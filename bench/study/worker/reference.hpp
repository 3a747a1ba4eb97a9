#pragma once
// What a run tells about the processor besides its time: the clock of its core, by a loop whose
// time depends on nothing else, and the processor time of its threads.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace study {

/// Seconds of 20 000 dependent integer multiply-adds, the least of eight tries: another program or
/// the memory delays some of them, a slower clock delays all.
inline double reference_seconds() {
  using clock = std::chrono::steady_clock;
  static volatile std::uint64_t odd = 0x9e3779b97f4a7c15u;
  double least = std::numeric_limits<double>::infinity();
  for (int tries = 0; tries < 8; ++tries) {
    const std::uint64_t factor = odd;
    std::uint64_t x = factor;
    const auto begin = clock::now();
    for (int k = 0; k < 20000; ++k) x = x * factor + 1;
    odd = x | 1;
    least = std::min(least, std::chrono::duration<double>(clock::now() - begin).count());
  }
  return least;
}

/// Processor time of all threads of this process.
inline double processor_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace study
