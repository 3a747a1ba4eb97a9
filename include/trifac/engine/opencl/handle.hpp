#pragma once
// Exceptions from OpenCL errors, and reference-counted handles of its objects.

#ifndef CL_TARGET_OPENCL_VERSION
  #define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#ifndef CL_VERSION_1_2
  // CL/cl.h was included for less, as StarPU's headers do.
  #error "OpenCL 1.2 is needed: include trifac first, or define CL_TARGET_OPENCL_VERSION as 120"
#endif

#include <new>
#include <string>
#include <utility>

#include "trifac/engine/device/facts.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Throws backend_error with the call's name and OpenCL's error number: device_error if the device
/// is out of memory; std::bad_alloc if the host is.
inline void check_opencl(cl_int code, const char* call) {
  if (code == CL_SUCCESS) return;
  if (code == CL_OUT_OF_HOST_MEMORY) throw std::bad_alloc();
  const std::string what =
      std::string("OpenCL: ") + call + " failed with error " + std::to_string(code);
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE)
    throw device_error(device_fault::out_of_memory, what + " (the device is out of memory)");
  if (code == CL_OUT_OF_RESOURCES)
    throw backend_error(what + " (the device is out of registers, local memory or memory)");
  throw backend_error(what);
}

/// A reference to an OpenCL object; the last one releases it.
template <class Handle, auto release, auto retain>
class opencl_handle {
 public:
  opencl_handle() = default;
  /// Takes ownership of the caller's reference.
  explicit opencl_handle(Handle h) : handle_(h) {}
  /// Adds a reference to the caller's object.
  static opencl_handle shared(Handle h) {
    check_opencl(retain(h), "retaining an object");
    return opencl_handle(h);
  }
  opencl_handle(opencl_handle&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  opencl_handle& operator=(opencl_handle other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~opencl_handle() {
    if (handle_) release(handle_);
  }
  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Handle{}; }

 private:
  Handle handle_{};
};

using opencl_context = opencl_handle<cl_context, clReleaseContext, clRetainContext>;
using opencl_queue = opencl_handle<cl_command_queue, clReleaseCommandQueue, clRetainCommandQueue>;
using opencl_memory = opencl_handle<cl_mem, clReleaseMemObject, clRetainMemObject>;

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
