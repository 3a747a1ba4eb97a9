#pragma once
// What a run tells besides its time: the clock of its core, by a loop whose time depends on nothing
// else, and how many threads worked.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>

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

/// How many threads of this process work during a call: their processor time by that of the busiest
/// one, so that waiting for a core that another program has does not count.
class thread_count {
 public:
  thread_count() : before_(seconds()) {}

  double get() const {
    double all = 0, most = 0;
    for (const auto& [thread, now] : seconds()) {
      const auto found = before_.find(thread);
      const double here = now - (found == before_.end() ? 0 : found->second);
      all += here;
      most = std::max(most, here);
    }
    return most > 0 ? all / most : 1;
  }

 private:
  static std::map<long, double> seconds() {
    std::map<long, double> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
      const long thread = std::atol(entry.path().filename().c_str());
      // Linux's clock of a thread of this process by its number, as pthread_getcpuclockid makes it.
      const auto clock = static_cast<clockid_t>(~thread * 8 + 6);
      timespec t;
      if (clock_gettime(clock, &t) == 0)
        found[thread] = static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }
    return found;
  }

  std::map<long, double> before_;
};

}  // namespace study
