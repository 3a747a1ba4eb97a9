#pragma once
// Whether a call may use a team: not for a while after a team that was slower than one thread.

#include <algorithm>
#include <chrono>
#include <limits>

#include "trifac/engine/base/config.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// The last teams of a calling thread. If another program keeps a core busy, a team ends only after
/// the scheduler has run its thread there: some milliseconds, many times a small factorization. So
/// after a team that was slower than one thread, calls of no more work run on one thread for twenty
/// times the time lost, and twice as long after each further slow team, up to `longest_pause`. That
/// loses about a twentieth on the whole, and as much again to OpenMP's threads, which spin for
/// milliseconds after a team. Calls with more flops use their team, and what a large one took does
/// not count.
class team_experience {
 public:
  using clock = std::chrono::steady_clock;
  using duration = clock::duration;
  static constexpr duration longest_pause = std::chrono::milliseconds(500);
  static constexpr duration large = std::chrono::milliseconds(20);  ///< on one thread

  /// True if a call of so many flops may use a team.
  bool allows_team(double flops, clock::time_point now) const {
    return flops > late_ || now >= until_;
  }

  /// Records a team that took `all` until `now` for `flops`. worked: the sum of its threads'
  /// working times, about an eighth more than one thread would need, as they share caches.
  void report(double flops, duration worked, duration all, clock::time_point now) {
    if (worked > large || flops == std::numeric_limits<double>::infinity()) return;
    const duration lost = all - (worked - worked / 8);
    pause_ = lost > duration::zero() ? std::min(std::max(20 * lost, 2 * pause_), longest_pause)
                                     : duration::zero();
    late_ = flops;
    until_ = now + pause_;
  }

 private:
  double late_ = 0;  // flops of the last team
  duration pause_{};
  clock::time_point until_{};
};

/// The calling thread's, for all of its calls.
inline team_experience& experience_of_caller() {
  static thread_local team_experience experience;
  return experience;
}

/// start(), unless the caller's experience forbids a team; returns whether it has started one.
/// worked(): afterwards the sum of its threads' working times in nanoseconds.
template <class Worked, class Start>
bool with_experience(double flops, const Worked& worked, const Start& start) {
  using clock = team_experience::clock;
  team_experience& experience = experience_of_caller();
  const auto begin = clock::now();
  if (!experience.allows_team(flops, begin) || !start()) return false;
  const auto now = clock::now();
  experience.report(flops, std::chrono::nanoseconds(worked()), now - begin, now);
  return true;
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
