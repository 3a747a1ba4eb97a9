#pragma once
// A pool of threads that sleep between calls.

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <vector>

#include "trifac/backend/cpu/team_size.hpp"
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
    crew_->end();
    delete crew_;
  }

  /// body() on the calling thread and on up to size − 1 others at the same time; returns when all
  /// that have begun are done. What a thread that starts late would do must not be needed. False,
  /// and nothing done, where the pool is in use, is that of the parent process, or has no memory.
  /// No exception may leave body.
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
    crew_->begin(size - 1, call, const_cast<callable*>(&body));
    body();
    crew_->finish();
    return true;
  }

 private:
  // The threads, and what they wait for. In a child it is left alone: even the destructor of a
  // condition variable waits for its threads.
  class crew {
   public:
    /// call(with) on `count` threads, or as many as the system gives.
    void begin(int count, void (*call)(void*), void* with) {
      start(count);
      {
        const std::lock_guard lock(mutex_);
        call_ = call;
        with_ = with;
        wanted_ = std::min(count, static_cast<int>(threads_.size()));
      }
      wake_.notify_all();
    }
    /// Waits for those that have begun; no other one begins.
    void finish() {
      std::unique_lock lock(mutex_);
      wanted_ = 0;
      done_.wait(lock, [&] { return working_ == 0; });
    }
    void end() {
      {
        const std::lock_guard lock(mutex_);
        ended_ = true;
      }
      wake_.notify_all();
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
      std::unique_lock lock(mutex_);
      while (true) {
        wake_.wait(lock, [&] { return ended_ || wanted_ > 0; });
        if (ended_) return;
        --wanted_;
        ++working_;
        const auto call = call_;
        void* const with = with_;
        lock.unlock();
        call(with);
        lock.lock();
        if (--working_ == 0) done_.notify_one();
      }
    }

    std::mutex mutex_;  // of all that follows but the threads, which the caller of a team starts
    std::condition_variable wake_, done_;
    void (*call_)(void*) = nullptr;
    void* with_ = nullptr;
    int wanted_ = 0, working_ = 0;
    bool ended_ = false;
    std::vector<std::thread> threads_;
  };

  std::mutex teams_;  // held by the caller whose team it is
  crew* crew_ = nullptr;
  long process_ = 0;
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
