#pragma once
// What the threads of one call share: the status, the barrier, and how a verb's work is dealt out.
// Knows no OpenMP: whoever starts the threads gives each one its team_member.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "trifac/status.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Shared by the threads of one call.
struct team {
  explicit team(status& s) : outcome(&s) {}

  status* outcome;                    // written between barriers by one thread
  std::atomic<bool> stopped{false};   // set when a barrier is complete or all pieces are finished
  std::atomic<bool> fallback{false};  // set by any thread that judges its part of a panel bad
  // Of `taken`: the number of the work in hand and, in the lower half, its next piece; and how many
  // of its pieces are finished.
  alignas(64) std::atomic<std::uint64_t> ticket{0};
  alignas(64) std::atomic<index_t> finished{0};
  alignas(64) std::atomic<int> arrived{0};
  alignas(64) std::atomic<unsigned> phase{0};
};

/// One thread of a team: its place, and the ways to share work. Nobody leaves one before its work
/// is done, so all members must call the same ones in the same order; none does anything once the
/// status is fatal.
class team_member {
 public:
  team_member(team& t, int rank, int size) : team_(&t), rank_(rank), size_(size) {}

  bool stopped() const { return team_->stopped; }
  /// How long this thread has waited for others, short waits left out.
  std::chrono::steady_clock::duration waited() const { return waited_; }

 protected:
  /// body() on the first thread only.
  template <class Body>
  void alone(Body body) {
    if (rank_ == 0 && !stopped()) body();
    barrier();
  }

  /// body(from, to) with this thread's part of 0 … count−1, in whole grains.
  template <class Body>
  void shared(index_t count, index_t grain, Body body) {
    if (!stopped()) {
      const index_t grains = (count + grain - 1) / grain;
      const index_t from = std::min(count, grains * rank_ / size_ * grain);
      const index_t to = std::min(count, grains * (rank_ + 1) / size_ * grain);
      if (from < to) body(from, to);
    }
    barrier();
  }

  /// body(i) for this thread's share of 0 … count−1, dealt in turn: for pieces of unequal size.
  template <class Body>
  void dealt(index_t count, Body body) {
    if (!stopped())
      for (index_t i = rank_; i < count; i += size_) body(i);
    barrier();
  }

  /// body(i) for i = 0 … count−1, each taken by the next free thread, 0 first: for pieces whose
  /// times differ. Results must not depend on who does what. The work is done when its pieces are,
  /// not when everybody has come: a thread whose core is busy elsewhere holds up nobody, and goes
  /// through what the others have finished in the meantime without a stop.
  template <class Body>
  void taken(index_t count, Body body) {
    if (count <= 0 || stopped()) return;
    const std::uint64_t mine = works_++ << 32, end = mine + static_cast<std::uint64_t>(count);
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
    taken(1, [&](index_t) { body(); });
  }

  /// Waits for the team.
  void barrier() {
    const unsigned phase = team_->phase.load(std::memory_order_relaxed);
    if (team_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
      team_->stopped = !team_->outcome->completed();
      team_->arrived.store(0, std::memory_order_relaxed);
      team_->phase.store(phase + 1, std::memory_order_release);
      return;
    }
    wait_until([&] { return team_->phase.load(std::memory_order_acquire) != phase; });
  }

  status& outcome() { return *team_->outcome; }
  std::atomic<bool>& fallback_flag() { return team_->fallback; }
  int rank() const { return rank_; }
  int size() const { return size_; }

 private:
  // Spins briefly, then yields, so that a busy core costs a turn and not a time slice of spinning.
  template <class Condition>
  void wait_until(Condition holds) {
    for (int spins = 0; spins < spins_before_yield; ++spins) {
      if (holds()) return;
      pause();
    }
    const auto start = std::chrono::steady_clock::now();
    while (!holds()) std::this_thread::yield();
    waited_ += std::chrono::steady_clock::now() - start;
  }

  static constexpr int spins_before_yield = 4000;  // about 50 µs

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }

  team* team_;
  int rank_;
  int size_;
  std::chrono::steady_clock::duration waited_{};
  std::uint64_t works_ = 0;  // calls of `taken` so far, the same on every thread
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
