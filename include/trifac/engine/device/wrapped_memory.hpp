#pragma once
// Host memory used as device memory, for devices that share it.

#include <cstdint>

#include "trifac/engine/device/session.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// True if the runtime's device works on host memory.
template <class Runtime>
bool works_on_host_memory(const session<Runtime>& s) {
  return Runtime::shares_memory && s.runtime.facts().is_cpu;
}

/// Host memory that the device may access from wrap() to give_back() or destruction.
template <class Runtime, bool = Runtime::shares_memory>
class wrapped_memory {
 public:
  wrapped_memory() = default;
  wrapped_memory(const wrapped_memory&) = delete;
  wrapped_memory& operator=(const wrapped_memory&) = delete;
  /// Waits until the device's commands on the memory have completed.
  ~wrapped_memory() {
    if (!holds()) return;
    Runtime& r = *runtime_;
    try {
      r.finish();
      give_back();
      r.finish();
    } catch (...) {  // the queue is broken and runs nothing any more
    }
  }
  void wrap(Runtime& runtime, void* data, std::uint64_t bytes) {
    memory_ = runtime.wrap(data, bytes);
    runtime_ = &runtime;
    bytes_ = bytes;
  }
  /// Enqueues the transfer back to the host, if held: after finishing the queue, the host sees the
  /// results of all earlier commands. So one wait serves all memory of a call.
  void give_back() {
    if (!holds()) return;
    runtime_->give_back(memory_.get(), bytes_);
    runtime_ = nullptr;
  }
  bool holds() const { return runtime_ != nullptr; }
  typename Runtime::handle get() const { return memory_.get(); }

 private:
  Runtime* runtime_ = nullptr;
  std::uint64_t bytes_ = 0;
  typename Runtime::memory memory_;
};

/// For runtimes whose devices have separate memory: does nothing.
template <class Runtime>
class wrapped_memory<Runtime, false> {
 public:
  void wrap(Runtime&, void*, std::uint64_t) {}
  void give_back() {}
  bool holds() const { return false; }
  typename Runtime::handle get() const { return {}; }
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
