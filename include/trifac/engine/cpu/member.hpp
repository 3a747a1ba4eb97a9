#pragma once
// The sharing policy of a team of threads: the status that they share, and the pieces of a step
// that they take. Knows no OpenMP: whoever starts the threads gives each one its `member`.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "trifac/engine/cpu/spin.hpp"
#include "trifac/engine/cpu/thread_time.hpp"
#include "trifac/status.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Shared by the threads of one call.
struct team {
  explicit team(status& s) : outcome(&s) {}

  status* outcome;                    // written by one piece at a time
  std::atomic<bool> stopped{false};   // set once the pieces that ended the call are all finished
  std::atomic<bool> fallback{false};  // set by a piece that finds its part of a panel bad
  // The number of the step in hand and, in the lower half, its next piece; and how many of its
  // pieces are finished.
  alignas(64) std::atomic<std::uint64_t> ticket{0};
  alignas(64) std::atomic<index_t> finished{0};
  std::atomic<std::int64_t> worked{0};  // nanoseconds, by all members
};

/// One thread of a team: the ways to share a step of a nest. A step is over when its pieces are
/// finished, by whomever, not when all threads have reached it: a thread whose core is busy
/// elsewhere delays the piece that it is in and nothing else, and later skips the steps that the
/// others have finished. So all members must call the same ones in the same order, and nothing
/// outside a piece may read what a piece has written. None does anything once the status is fatal.
///
/// Why that is right: `ticket` only grows, so that a delayed thread cannot take a piece of a step
/// that is over. Each piece ends with an acq_rel addition to `finished`; whoever makes it
/// complete has seen what all pieces have written, and hands that on with the release of the next
/// step's ticket, which every thread acquires before it takes a piece or leaves the step.
class member {
 public:
  static constexpr bool is_team = true;  ///< see alone

  member(team& t, int size) : team_(&t), size_(size) {}

  int threads() const { return size_; }
  bool stopped() const { return team_->stopped; }
  /// Adds what this thread has worked to the team's.
  void report_time() {
    const std::chrono::nanoseconds worked = thread_time() - begin_ - waited_;
    team_->worked.fetch_add(worked.count(), std::memory_order_relaxed);
  }

 protected:
  /// body(i) for i = 0 … count−1, each taken by the next free thread, 0 first. Results must not
  /// depend on who does what.
  template <class Body>
  void pieces(index_t count, Body body) {
    if (count <= 0 || stopped()) return;
    const std::uint64_t mine = steps_++ << 32, end = mine + static_cast<std::uint64_t>(count);
    std::uint64_t next = team_->ticket.load(std::memory_order_acquire);
    while (next >= mine && next < end) {
      if (!team_->ticket.compare_exchange_weak(next, next + 1, std::memory_order_acq_rel)) continue;
      body(static_cast<index_t>(next - mine));
      if (team_->finished.fetch_add(1, std::memory_order_acq_rel) + 1 == count) {
        team_->finished.store(0, std::memory_order_relaxed);
        team_->stopped = !team_->outcome->completed();
        team_->ticket.store(mine + (std::uint64_t{1} << 32), std::memory_order_release);
        return;
      }
      next = team_->ticket.load(std::memory_order_acquire);
    }
    wait_until([&] { return team_->ticket.load(std::memory_order_acquire) > end; });
  }

  /// body() on whichever thread comes first.
  template <class Body>
  void once(Body body) {
    pieces(1, [&](index_t) { body(); });
  }

  /// body(from, to) for ranges of 0 … count−1, `width` long but the last.
  template <class Body>
  void ranges(index_t count, index_t width, Body body) {
    pieces((count + width - 1) / width,
           [&](index_t i) { body(i * width, std::min(count, (i + 1) * width)); });
  }

  /// body(from, to) for parts of 0 … count−1 in whole grains, some for each thread.
  template <class Body>
  void parts(index_t count, index_t grain, Body body) {
    const index_t grains = (count + grain - 1) / grain;
    const index_t some = std::min<index_t>(grains, parts_of_each * size_);
    pieces(some, [&](index_t i) {
      body(grains * i / some * grain, std::min(count, grains * (i + 1) / some * grain));
    });
  }

  status& outcome() const { return *team_->outcome; }
  std::atomic<bool>& fallback_flag() { return team_->fallback; }

 private:
  // Spins briefly, then yields, so that a busy core costs a turn and not a time slice of spinning.
  template <class Condition>
  void wait_until(Condition holds) {
    if (spin_until(holds, short_wait)) return;
    const auto start = thread_time();
    if (!spin_until(holds, spins_before_yield))
      while (!holds()) std::this_thread::yield();
    waited_ += thread_time() - start;
  }

  static constexpr int short_wait = 100;           // about 1 µs, not worth two readings of a clock
  static constexpr int spins_before_yield = 4000;  // about 50 µs
  static constexpr index_t parts_of_each = 2;      // a late thread holds up half of its share

  team* team_;
  int size_;
  std::chrono::nanoseconds begin_ = thread_time(), waited_{};  // of this thread's processor time
  std::uint64_t steps_ = 0;  // calls of `pieces` so far, the same on every thread
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
