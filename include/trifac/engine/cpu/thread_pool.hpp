#pragma once
// A pool of threads that spin for 0.1 ms after a call, then sleep until the next one.

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <vector>

#include "trifac/engine/cpu/spin.hpp"
#include "trifac/engine/cpu/team_size.hpp"
#include "trifac/status.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// Threads for one team at a time, started when a team first needs them and joined by the
/// destructor. In a process forked after that the pool has no threads and lends none.
class thread_pool {
 public:
  thread_pool() = default;
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;
  ~thread_pool() {
    if (crew_ == nullptr || process_ != this_process()) return;  // a child has none to join
    // At exit another thread's call may still use its team, which then ends with the process. The
    // lock is not released, so that calls from later destructors get no team.
    if (!teams_.try_lock()) return;
    crew_->end();
    delete crew_;
  }

  /// body() on the calling thread and at the same time on up to size − 1 others, at most 32766;
  /// returns when all that have started are finished. A thread may start late or not at all, so
  /// body() on the calling thread must be able to do all of the work. Returns false without a call
  /// if the pool is in use, belongs to the parent process, or has no memory. body must not throw.
  template <class Body>
  bool run(int size, Body& body) noexcept {
    const std::unique_lock team(teams_, std::try_to_lock);  // in a child it may be locked for ever
    if (!team.owns_lock() || (crew_ != nullptr && process_ != this_process())) return false;
    if (crew_ == nullptr) {
      crew_ = new (std::nothrow) crew;
      if (crew_ == nullptr) return false;
      process_ = this_process();
    }
    using callable = std::remove_const_t<Body>;
    const auto call = [](void* with) { (*static_cast<Body*>(with))(); };
    crew_->begin(size, call, const_cast<callable*>(&body));
    body();
    crew_->finish();
    return true;
  }

 private:
  // The threads and their state word: open places of the team, and threads at work. Not used in a
  // child process.
  class crew {
   public:
    /// call(with) on size − 1 threads, or as many as the system starts, at most open_places.
    void begin(int size, void (*call)(void*), void* with) {
      const int count = std::clamp(size, 1, static_cast<int>(open_places)) - 1;
      start(count);
      call_ = call;
      with_ = with;
      state_ = static_cast<unsigned>(std::min(count, static_cast<int>(threads_.size())));
      state_.notify_all();
    }
    /// Closes the team and waits for the threads that have started.
    void finish() {
      state_ &= ~open_places;
      const auto is_done = [&] { return state_ < one_working; };
      if (spin_until(is_done, spins_before_sleep)) return;
      unsigned now = state_ |= caller_sleeps;
      for (; (now & ~caller_sleeps) != 0; now = state_) state_.wait(now);
      state_ = 0;
    }
    void end() {
      state_ = ended;
      state_.notify_all();
      for (std::thread& t : threads_) t.join();
    }

   private:
    void start(int count) {
#if TRIFAC_EXCEPTIONS
      try {
#endif
        while (static_cast<int>(threads_.size()) < count) threads_.emplace_back([this] { work(); });
#if TRIFAC_EXCEPTIONS
      } catch (...) {  // the team is smaller
      }
#endif
    }
    void work() noexcept {
      for (unsigned now = state_; now != ended;) {
        if ((now & open_places) != 0) {
          if (!state_.compare_exchange_weak(now, now - 1 + one_working)) continue;
          call_(with_);
          now = state_ -= one_working;
          if (now == caller_sleeps) state_.notify_all();
        } else {
          if (!spin_until([&] { return state_ != now; }, spins_before_sleep)) state_.wait(now);
          now = state_;
        }
      }
    }

    // Threads that still spin start after 0.4 µs, sleeping ones after 9.
    static constexpr int spins_before_sleep = 4000;

    static constexpr unsigned open_places = 0x7fff, one_working = 0x8000, ended = ~0u,
                              caller_sleeps = 0x8000'0000;
    std::atomic<unsigned> state_ = 0;
    void (*call_)(void*) = nullptr;
    void* with_ = nullptr;
    std::vector<std::thread> threads_;
  };

  std::mutex teams_;  // held by the caller whose team it is
  crew* crew_ = nullptr;
  long process_ = 0;
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
