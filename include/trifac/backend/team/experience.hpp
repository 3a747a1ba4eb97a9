#pragma once
// Whether a caller should try a team of threads again.

#include <algorithm>
#include <chrono>

#include "trifac/detail/config.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// What a calling thread has seen of its teams. Where another program keeps a core busy, a small
/// factorization that waits for a thread on that core takes a time slice of the scheduler, many
/// times what one thread would need; so after a late team some calls, of no more work than that
/// one, go on alone.
class team_experience {
 public:
  using duration = std::chrono::steady_clock::duration;

  /// For a call of so many flops.
  bool wants_team(double flops) {
    if (alone_ == 0 || flops > late_) return true;
    --alone_;
    return false;
  }

  /// A call of `flops` on `threads` threads has taken `all`, and its first thread has waited for
  /// others for `waited`. Late is a team of two that waited a quarter of the time; of more threads
  /// each may wait longer before one alone would have done better.
  void report(double flops, int threads, duration waited, duration all) {
    const bool late =
        waited > std::chrono::milliseconds(1) && 2 * threads * (all - waited) < 3 * all;
    pause_ = late ? std::clamp(2 * pause_, 2, 64) : 0;
    alone_ = pause_;
    late_ = flops;
  }

 private:
  int pause_ = 0;    // calls alone after the last team
  int alone_ = 0;    // of them, still to come
  double late_ = 0;  // flops of the last team
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
