#pragma once
// Work in the two queues of a device at once.

#include <memory>

#include "trifac/engine/base/config.hpp"
#include "trifac/engine/device/facts.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The second executor of an Executor, which works in the second queue.
template <class Runtime, class Executor>
class beside {
 public:
  /// ahead(executor) in the second queue, whose work goes before that of the first, and rest()
  /// beside it; both after what was enqueued, and before what comes. One after the other where
  /// there is one queue.
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
