#pragma once
// Owned CUDA streams and events, and the current device of a thread. Memory: pool.hpp.

#include <cuda_runtime_api.h>

#include <optional>

#include "trifac/engine/cuda/error.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Makes a device current for this thread; the destructor restores the previous one.
class cuda_device_scope {
 public:
  explicit cuda_device_scope(int device) {
    check_cuda(cudaGetDevice(&before_), "cudaGetDevice");
    if (before_ == device) before_ = -1;
    if (before_ >= 0) check_cuda(cudaSetDevice(device), "cudaSetDevice");
  }
  cuda_device_scope(const cuda_device_scope&) = delete;
  cuda_device_scope& operator=(const cuda_device_scope&) = delete;
  ~cuda_device_scope() {
    if (before_ >= 0) cudaSetDevice(before_);
  }

 private:
  int before_ = -1;
};

/// Destroys a library's handle with its device current; if the device is lost, the call still frees
/// the handle's host memory.
template <class Call>
void end_on_device(int device, Call call) noexcept {
  std::optional<cuda_device_scope> current;
  try {
    current.emplace(device);
  } catch (...) {
  }
  call();
}

/// A stream, destroyed by the destructor if owned.
class cuda_stream {
 public:
  /// A new stream that does not synchronize with the legacy default stream. It precedes streams of
  /// numerically higher priority.
  explicit cuda_stream(int priority) : owned_(true) {
    check_cuda(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority),
               "cudaStreamCreateWithPriority");
  }
  /// The caller's stream.
  explicit cuda_stream(cudaStream_t stream) : stream_(stream) {}
  cuda_stream(const cuda_stream&) = delete;
  cuda_stream& operator=(const cuda_stream&) = delete;
  ~cuda_stream() {
    if (owned_) cudaStreamDestroy(stream_);
  }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
  bool owned_ = false;
};

/// Orders one stream after another.
class cuda_event {
 public:
  cuda_event() {
    check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming),
               "cudaEventCreateWithFlags");
  }
  cuda_event(const cuda_event&) = delete;
  cuda_event& operator=(const cuda_event&) = delete;
  ~cuda_event() { cudaEventDestroy(event_); }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
