#pragma once
// Whether other programs disturb what is measured: what they use of the cores, as
// bench/study/conditions.py finds it.

#ifdef __linux__
  #include <sched.h>
#endif
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <istream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tune {

/// Cores that others may use beyond the idle ones.
inline constexpr double most_load = 0.1;

/// Seconds that these cores have worked, for anyone, or that a hypervisor took, in the text of
/// /proc/stat with so many ticks in a second; none where it does not tell.
inline std::optional<double> busy_seconds(std::istream& stat, const std::set<int>& cores,
                                          double ticks) {
  double total = 0;
  bool told = false;
  for (std::string line; std::getline(stat, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (!name.starts_with("cpu") || name == "cpu" || !cores.contains(std::stoi(name.substr(3))))
      continue;
    double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, stolen = 0;
    if (words >> user >> nice >> system >> idle >> wait >> irq >> soft >> stolen) {
      total += user + nice + system + irq + soft + stolen;
      told = true;
    }
  }
  if (!told) return std::nullopt;
  return total / ticks;
}

/// The clock, what the cores have worked for anyone, and what for this process, in seconds.
struct load_sample {
  double at = 0, busy = 0, own = 0;
};

/// Cores that others used between two samples.
inline double others_between(const load_sample& a, const load_sample& b) {
  if (!(b.at > a.at)) return 0;
  return std::max(0.0, ((b.busy - a.busy) - (b.own - a.own)) / (b.at - a.at));
}

/// How many cores other programs use. Knows nothing where /proc/stat does not tell.
class load {
 public:
  load() {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
      for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &set)) cores_.insert(core);
#endif
    take();
  }

  int cores() const {
    return static_cast<int>(cores_.size());
  }
  double now() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  /// The mean since then, or of the last second where that is longer: the kernel counts in
  /// hundredths of a second.
  std::optional<double> others(double since) {
    if (!take()) return std::nullopt;
    const load_sample& last = samples_.back();
    std::size_t begin = 0;
    while (begin + 2 < samples_.size() && samples_[begin + 1].at <= std::min(since, last.at - 1))
      ++begin;
    samples_.erase(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(begin));
    return others_between(samples_.front(), samples_.back());
  }

 private:
  bool take() {
    std::ifstream stat("/proc/stat");
    const auto busy = busy_seconds(stat, cores_, static_cast<double>(sysconf(_SC_CLK_TCK)));
    rusage own = {};
    if (!busy || getrusage(RUSAGE_SELF, &own) != 0) return false;
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    samples_.push_back({now(), *busy, seconds(own.ru_utime) + seconds(own.ru_stime)});
    return true;
  }

  std::set<int> cores_;
  std::vector<load_sample> samples_;
};

}  // namespace tune
