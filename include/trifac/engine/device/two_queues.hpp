#pragma once
// Work in the two queues of a device at once.

#include <memory>

#include "trifac/engine/base/config.hpp"
#include "trifac/engine/device/facts.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The second executor of an Executor, which works in the second queue.
template <class Runtime, class Executor>
class two_queues {
 public:
  /// ahead(executor) in the second queue, which has priority, and rest() in the first, concurrently:
  /// after what is enqueued already, before what is enqueued later. With one queue, one after the
  /// other.
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
