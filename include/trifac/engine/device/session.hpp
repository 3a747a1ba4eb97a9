#pragma once
// The session that copies of a device backend share: runtime, scratch memory, times.

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "trifac/engine/device/facts.hpp"

namespace trifac::device {

/// Wall-clock seconds of the parts of one call on host memory. copy_in and copy_out are 0 if the
/// device works on host memory.
struct device_times {
  double copy_in = 0, run = 0, copy_out = 0;
};

inline namespace TRIFAC_ABI {

/// Shared by all copies of one backend.
template <class Runtime>
class session {
 public:
  using memory = typename Runtime::memory;

  template <class... Arguments>
  explicit session(Arguments... arguments) : runtime(arguments...) {}

  /// Device memory that returns to the session on destruction, possibly before the commands that
  /// use it have run: the queue is in order.
  class scratch {
   public:
    scratch() = default;
    scratch(session& owner, memory m, std::uint64_t bytes, device_queue queue)
        : owner_(&owner), memory_(std::move(m)), bytes_(bytes), queue_(queue) {}
    scratch(scratch&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          memory_(std::move(other.memory_)),
          bytes_(other.bytes_),
          queue_(other.queue_) {}
    scratch& operator=(scratch other) noexcept {
      std::swap(owner_, other.owner_);
      std::swap(memory_, other.memory_);
      std::swap(bytes_, other.bytes_);
      std::swap(queue_, other.queue_);
      return *this;
    }
    ~scratch() {
      if (owner_) owner_->take_back(std::move(memory_), bytes_, queue_);
    }
    typename Runtime::handle get() const { return memory_.get(); }
    std::uint64_t bytes() const { return bytes_; }

   private:
    session* owner_ = nullptr;
    memory memory_;
    std::uint64_t bytes_ = 0;
    device_queue queue_ = device_queue::first;
  };

  /// At least `bytes` bytes, contents unspecified: the smallest free piece that fits and is at most
  /// twice as large, else a new one. Each queue has its own pieces: only commands of the same queue
  /// are ordered after those that used a piece before.
  scratch borrow(std::uint64_t bytes, device_queue queue = device_queue::first) {
    {
      const std::scoped_lock lock(mutex_);
      auto& pieces = free_[static_cast<std::size_t>(queue)];
      auto best = pieces.end();
      for (auto it = pieces.begin(); it != pieces.end(); ++it)
        if (it->second >= bytes && it->second / 2 <= bytes &&
            (best == pieces.end() || it->second < best->second))
          best = it;
      if (best != pieces.end()) {
        scratch found(*this, std::move(best->first), best->second, queue);
        pieces.erase(best);
        return found;
      }
    }
    return scratch(*this, allocate(bytes, queue), bytes, queue);
  }

  /// Device memory. Where the device has no more, the pieces that are kept for later calls are
  /// released first.
  memory allocate(std::uint64_t bytes, device_queue queue = device_queue::first) {
    try {
      return from_runtime(bytes, queue);
    } catch (const device_error& e) {
      if (e.fault() != device_fault::out_of_memory || take_free().empty()) throw;
    }
    runtime.finish();  // they are free once the commands so far have run
    return from_runtime(bytes, queue);
  }

  /// Removes and returns the memory that is not borrowed.
  std::vector<std::pair<memory, std::uint64_t>> take_free() {
    const std::scoped_lock lock(mutex_);
    auto all = std::exchange(free_[0], {});
    for (auto& piece : std::exchange(free_[1], {})) all.push_back(std::move(piece));
    return all;
  }

  device_times times() const {
    const std::scoped_lock lock(mutex_);
    return times_;
  }
  void set_times(const device_times& t) {
    const std::scoped_lock lock(mutex_);
    times_ = t;
  }

  Runtime runtime;

 private:
  static constexpr std::size_t most_free = 24;

  memory from_runtime(std::uint64_t bytes, device_queue queue) {
    if constexpr (Runtime::has_second_queue)
      if (queue == device_queue::second) return runtime.allocate_in_second_queue(bytes);
    return runtime.allocate(bytes);
  }
  void take_back(memory m, std::uint64_t bytes, device_queue queue) noexcept {
    try {
      const std::scoped_lock lock(mutex_);
      auto& pieces = free_[static_cast<std::size_t>(queue)];
      if (pieces.size() == most_free) pieces.erase(pieces.begin());
      pieces.emplace_back(std::move(m), bytes);
    } catch (...) {  // no memory for the list: release it instead
    }
  }

  mutable std::mutex mutex_;
  std::array<std::vector<std::pair<memory, std::uint64_t>>, 2> free_;  // by queue
  device_times times_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
