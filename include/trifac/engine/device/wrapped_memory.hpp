#pragma once
// The host's own memory as device memory, for devices that share it.

#include <cstdint>

#include "trifac/engine/device/session.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Whether a runtime's device works on the host's memory.
template <class Runtime>
bool works_on_host_memory(const session<Runtime>& s) {
  return Runtime::shares_memory && s.runtime.facts().is_cpu;
}

/// Memory of the host that the device has from wrap() to give_back(), or as long as this lives.
template <class Runtime, bool = Runtime::shares_memory>
class wrapped_memory {
 public:
  wrapped_memory() = default;
  wrapped_memory(const wrapped_memory&) = delete;
  wrapped_memory& operator=(const wrapped_memory&) = delete;
  /// Not before the device's commands on it have ended.
  ~wrapped_memory() {
    if (!holds()) return;
    Runtime& r = *runtime_;
    try {
      r.finish();
      give_back();
      r.finish();
    } catch (...) {  // the queue is broken: nothing runs any more
    }
  }
  void wrap(Runtime& runtime, void* data, std::uint64_t bytes) {
    memory_ = runtime.wrap(data, bytes);
    runtime_ = &runtime;
    bytes_ = bytes;
  }
  /// Enqueues what gives the host the memory back, where it is held: once the queue is finished it
  /// has what the commands before wrote. One wait then serves all memory of a call.
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

/// Of a runtime whose devices have memory of their own: nothing.
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
