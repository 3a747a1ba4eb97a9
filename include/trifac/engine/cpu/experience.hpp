#pragma once
// Whether a caller should try a team of threads again so soon.

#include <algorithm>
#include <chrono>
#include <limits>

#include "trifac/engine/base/config.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// What a calling thread has seen of its teams. Where another program keeps a core busy, a team
/// ends when its thread there has had its turn: some milliseconds, many times what a small
/// factorization needs. So after a team that brought nothing, calls of no more work run on one
/// thread for twenty times as long as was lost, and twice as long after each further one, up to
/// `longest_pause`: about a twentieth is lost on the whole, and as much again to OpenMP's threads,
/// which spin for milliseconds after a team. Large calls always have their team.
class team_experience {
 public:
  using clock = std::chrono::steady_clock;
  using duration = clock::duration;
  static constexpr duration longest_pause = std::chrono::milliseconds(500);
  static constexpr duration large = std::chrono::milliseconds(20);  ///< on one thread

  /// For a call of so many flops.
  bool wants_team(double flops, clock::time_point now) const {
    return flops > late_ || now >= until_;
  }

  /// A team has taken `all` until `now` for `flops`; its threads have worked for `worked` together,
  /// about an eighth longer than one thread would have, as they share caches.
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

/// Of the calling thread, whatever it factors.
inline team_experience& experience_of_caller() {
  static thread_local team_experience experience;
  return experience;
}

/// start() where the caller's experience speaks for a team: it returns true, or false where it has
/// started none. worked() is then the time that the team's threads have worked, in nanoseconds.
template <class Worked, class Start>
bool with_experience(double flops, const Worked& worked, const Start& start) {
  using clock = team_experience::clock;
  team_experience& experience = experience_of_caller();
  const auto begin = clock::now();
  if (!experience.wants_team(flops, begin) || !start()) return false;
  const auto now = clock::now();
  experience.report(flops, std::chrono::nanoseconds(worked()), now - begin, now);
  return true;
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
