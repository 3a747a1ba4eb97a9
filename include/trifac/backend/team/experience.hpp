#pragma once
// Whether a caller should try a team of threads again so soon.

#include <algorithm>
#include <chrono>

#include "trifac/detail/config.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// What a calling thread has seen of its teams. Where another program keeps a core busy, a team ends
/// when its thread there has had its turn: a few milliseconds, many times what a small factorization
/// needs. So after a late team small calls of no more work run on one thread for ten times as long
/// as that team was waited for, so that no more than a tenth is lost; at most for `longest_pause`.
/// Others always have their team.
class team_experience {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr clock::duration longest_pause = std::chrono::milliseconds(500);
  static constexpr double small = 5e8;  ///< flops: 10 ms of a fast core

  /// For a call of so many flops.
  bool wants_team(double flops, clock::time_point now) const {
    return flops > late_ || now >= until_;
  }

  /// A call of `flops` on `threads` threads has taken `all` until `now`, and its first thread has
  /// waited for others for `waited`. Late is a team of two that waited a quarter of the time; of more
  /// threads each may wait longer before one alone would have done better.
  void report(double flops, int threads, clock::duration waited, clock::duration all,
              clock::time_point now) {
    const bool late =
        waited > std::chrono::milliseconds(1) && 2 * threads * (all - waited) < 3 * all;
    if (!late || flops > small) return;
    late_ = flops;
    until_ = now + std::min<clock::duration>(10 * waited, longest_pause);
  }

 private:
  double late_ = 0;  // flops of the last late team
  clock::time_point until_{};
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
