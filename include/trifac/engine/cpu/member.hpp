#pragma once
// A thread of a call, alone or one of a team: the status that threads share, and the pieces of a
// step that they take. Independent of OpenMP: each thread of a team has its `member`.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "trifac/engine/cpu/spin.hpp"
#include "trifac/engine/cpu/thread_time.hpp"
#include "trifac/engine/cpu/timed/stopwatch.hpp"
#include "trifac/engine/panel/nest_step.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Shared by the threads of one call.
struct team {
  explicit team(status& s) : outcome(&s) {}

  status* outcome;                    // written by one piece at a time
  std::atomic<bool> stopped{false};   // set once the pieces that ended the call are all finished
  std::atomic<bool> fallback{false};  // set by a piece that rejects its part of a panel
  // The number of the step in hand and, in the lower half, its next piece; and how many of its
  // pieces are finished.
  alignas(64) std::atomic<std::uint64_t> ticket{0};
  alignas(64) std::atomic<index_t> finished{0};
  std::atomic<index_t> arrived{0};  // pieces of the step in hand that are before another: last_of
  std::atomic<std::int64_t> worked{0};  // nanoseconds, by all members
};

/// One thread of a call, alone or in a team, and the ways to share a step of a nest. All threads of
/// a team call the same ones in the same order. None does anything once the status is fatal.
///
/// A team's step ends when its pieces are finished, not when all threads have reached it: a thread
/// whose core is busy with another program delays only the piece that it is in, and later skips the
/// steps that the others have finished. So only pieces may read what pieces have written.
///
/// Why that is correct: `ticket` only grows, so that a delayed thread cannot take a piece of a step
/// that has ended. Each piece ends with an acq_rel addition to `finished`; the thread whose
/// addition completes it sees what all pieces have written, and publishes that by releasing the
/// next step's ticket, which every thread acquires before it takes a piece or leaves the step.
class member {
 public:
  /// Alone.
  explicit member(status& outcome) : outcome_(&outcome) {}
  /// One of `size` threads.
  member(team& t, int size) : outcome_(t.outcome), team_(&t), size_(size), begin_(thread_time()) {}

  /// True if steps are divided: ranges into pieces, and the next panel is factored while the rest
  /// of a step continues.
  bool is_team() const { return team_ != nullptr; }
  int threads() const { return size_; }
  bool stopped() const { return team_ ? team_->stopped.load() : !outcome_->completed(); }
  /// Adds the working time of this thread to the team's.
  void report_time() {
    const std::chrono::nanoseconds worked = thread_time() - begin_ - waited_;
    team_->worked.fetch_add(worked.count(), std::memory_order_relaxed);
  }

  // A step of a nest, in four forms. `what` names it for a stopwatch.

  /// body() on the first thread that is free.
  template <class Body>
  void once(nest_step what, const Body& body) {
    pieces(what, 1, [&](index_t) { body(); });
  }
  /// body(i) for i = 0 … count−1, each on the next free thread, 0 first. Results must not depend on
  /// which thread runs a piece.
  template <class Body>
  void pieces(nest_step what, index_t count, const Body& body) {
    const auto begin = time();
    share(count, body);
    add_time(what, begin);
  }
  /// body(from, to) for ranges of 0 … count−1, in a team `width` long but the last.
  template <class Body>
  void ranges(nest_step what, index_t count, index_t width, const Body& body) {
    if (!team_) width = std::max<index_t>(count, 1);
    pieces(what, (count + width - 1) / width,
           [&](index_t i) { body(i * width, std::min(count, (i + 1) * width)); });
  }
  /// body(from, to) for parts of 0 … count−1 in whole grains, in a team some for each thread.
  template <class Body>
  void parts(nest_step what, index_t count, index_t grain, const Body& body) {
    const auto begin = time();
    share_parts(count, grain, body);
    add_time(what, begin);
  }

  /// In a piece of a team's step: true for the last of `count` pieces to ask. It sees what all of
  /// them have written, and goes on with what needs it.
  bool last_of(index_t count) {
    if (team_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != count) return false;
    team_->arrived.store(0, std::memory_order_relaxed);
    return true;
  }

  /// Records the status of a block that starts at row and column `first`; by one piece at a time.
  /// The first failure is kept, but a fatal one replaces a singular one: its index is where the
  /// factorization ended.
  void record(const status& s, index_t first) {
    if (s || (!*outcome_ && s.completed())) return;
    *outcome_ = status::at(s.kind(), first + s.index());
  }
  /// Set by a piece that rejects its part of a panel.
  std::atomic<bool>& fallback_flag() { return team_ ? team_->fallback : fallback_; }

  /// The stopwatch of the steps, or null.
  const stopwatch* watch() const { return watch_; }
  void watch(const stopwatch* watch) { watch_ = watch; }

 protected:
  // Without a stopwatch, for steps that consist of several.

  template <class Body>
  void share(index_t count, const Body& body) {
    turn now = {.count = count > 0 && !stopped() ? count : 0};
    if (team_ && now.count > 0) now.step = steps_++;
    while (take(now)) body(now.piece);
  }
  template <class Body>
  void share_parts(index_t count, index_t grain, const Body& body) {
    const index_t grains = (count + grain - 1) / grain;
    const index_t some = std::min<index_t>(grains, team_ ? parts_of_each * size_ : 1);
    share(some, [&](index_t i) {
      body(grains * i / some * grain, std::min(count, grains * (i + 1) / some * grain));
    });
  }

  status& outcome() const { return *outcome_; }

  stopwatch::clock::time_point time() const {
    return watch_ ? stopwatch::clock::now() : stopwatch::clock::time_point();
  }
  void add_time(nest_step what, stopwatch::clock::time_point begin) const {
    if (watch_) watch_->add(what, begin);
  }

 private:
  /// The piece in hand of a step.
  struct turn {
    index_t count;
    index_t piece = -1;
    std::uint64_t step = 0;
  };

  /// The next piece; false where the step is over.
  bool take(turn& now) {
    return team_ && now.count > 0 ? take_of_team(now) : ++now.piece < now.count;
  }
  [[gnu::noinline]] bool take_of_team(turn& now) {
    const std::uint64_t begin = now.step << 32, end = begin + static_cast<std::uint64_t>(now.count);
    if (now.piece >= 0 &&
        team_->finished.fetch_add(1, std::memory_order_acq_rel) + 1 == now.count) {
      team_->finished.store(0, std::memory_order_relaxed);
      team_->stopped = !outcome_->completed();
      team_->ticket.store(begin + (std::uint64_t{1} << 32), std::memory_order_release);
      return false;
    }
    std::uint64_t next = team_->ticket.load(std::memory_order_acquire);
    while (next >= begin && next < end) {
      if (!team_->ticket.compare_exchange_weak(next, next + 1, std::memory_order_acq_rel)) continue;
      now.piece = static_cast<index_t>(next - begin);
      return true;
    }
    wait_until([&] { return team_->ticket.load(std::memory_order_acquire) > end; });
    return false;
  }

  // Spins briefly, then yields: a thread that shares its core must not spin for a time slice.
  template <class Condition>
  void wait_until(Condition holds) {
    if (spin_until(holds, short_wait)) return;
    const auto start = thread_time();
    if (!spin_until(holds, spins_before_yield))
      while (!holds()) std::this_thread::yield();
    waited_ += thread_time() - start;
  }

  static constexpr int short_wait = 100;           // pauses; to take the time would cost as much
  static constexpr int spins_before_yield = 4000;  // about 0.1 ms
  static constexpr index_t parts_of_each = 2;      // a late thread delays half of its share

  status* outcome_;
  team* team_ = nullptr;
  int size_ = 1;
  std::atomic<bool> fallback_ = false;           // of a thread alone
  std::chrono::nanoseconds begin_{}, waited_{};  // of this thread's processor time
  std::uint64_t steps_ = 0;  // steps of the team so far, the same on every thread
  const stopwatch* watch_ = nullptr;
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
