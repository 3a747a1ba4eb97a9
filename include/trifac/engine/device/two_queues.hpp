#pragma once
// Concurrent work in the two queues of a device.

#include <memory>

#include "trifac/engine/base/config.hpp"
#include "trifac/engine/device/facts.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Owns the executor for the second queue.
template <class Runtime, class Executor>
class two_queues {
 public:
  /// Runs ahead(executor) in the second queue, which has priority, concurrently with rest() in the
  /// first; both after everything enqueued before and before everything enqueued later. With one
  /// queue, sequentially.
  template <class Ahead, class Rest>
  void run(Executor& first, Ahead ahead, Rest rest) {
    if constexpr (Runtime::has_second_queue) {
      if (!second_) second_ = std::make_unique<Executor>(first, device_queue::second);
      typename Runtime::second_queue queue(first.runtime());
      ahead(*second_);
      rest();
      queue.join();
    } else {
      ahead(first);
      rest();
    }
  }

 private:
  std::unique_ptr<Executor> second_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
