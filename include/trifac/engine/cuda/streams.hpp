#pragma once
// The two streams of a session, and concurrent work in the second.

#include <cuda_runtime_api.h>

#include <mutex>
#include <utility>

#include "trifac/engine/cuda/handles.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The two streams of a session, on the current device: the session's own or the caller's, and one
/// of higher priority.
class cuda_streams {
 public:
  explicit cuda_streams(cudaStream_t callers) : first_(callers), second_(greatest_priority()) {}
  cuda_streams() : first_(0), second_(greatest_priority()) {}

  cudaStream_t first() const { return first_.get(); }
  cudaStream_t second() const { return second_.get(); }

  /// Orders later commands of `later`, a stream of any device, after those now in `earlier`, a
  /// stream of this device.
  void order(cudaStream_t earlier, cudaStream_t later) {
    const std::scoped_lock lock(mutex_);  // one pair uses the event at a time
    check_cuda(cudaEventRecord(event_.get(), earlier), "cudaEventRecord");
    check_cuda(cudaStreamWaitEvent(later, event_.get(), 0), "cudaStreamWaitEvent");
  }

 private:
  static int greatest_priority() {
    int least = 0, greatest = 0;
    check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest),
               "cudaDeviceGetStreamPriorityRange");
    return greatest;
  }
  cuda_stream first_, second_;
  cuda_event event_;
  std::mutex mutex_;
};

/// The second stream runs concurrently with the first, after the commands already in the first;
/// join() and the destructor make the first wait for it.
class cuda_second_queue {
 public:
  cuda_second_queue(cuda_streams& streams, int device) : streams_(&streams), device_(device) {
    const cuda_device_scope current(device_);
    streams.order(streams.first(), streams.second());
  }
  cuda_second_queue(const cuda_second_queue&) = delete;
  cuda_second_queue& operator=(const cuda_second_queue&) = delete;
  ~cuda_second_queue() {
    try {
      join();
    } catch (...) {  // the device is lost and runs nothing any more
    }
  }
  void join() {
    if (cuda_streams* const s = std::exchange(streams_, nullptr)) {
      const cuda_device_scope current(device_);
      s->order(s->second(), s->first());
    }
  }

 private:
  cuda_streams* streams_;
  int device_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
