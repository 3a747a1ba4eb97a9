#pragma once
// Exceptions from error codes of the CUDA runtime and NVRTC.

#include <cuda_runtime_api.h>
#include <nvrtc.h>

#include <string>

#include "trifac/engine/device/facts.hpp"

#if !TRIFAC_EXCEPTIONS
  #error "the device backends need exceptions inside; their try_ calls let none out"
#endif
// cudaLibraryLoadData, since 12.8, loads kernels without the driver API.
#if CUDART_VERSION < 12080
  #error "trifac needs CUDA 12.8 or later"
#endif

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The kind of fault of an error code.
inline device_fault fault_of(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
      return device_fault::out_of_memory;
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorInvalidConfiguration:
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorAssert:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
      return device_fault::launch_failed;
    case cudaErrorDevicesUnavailable:
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorDeviceUninitialized:
    case cudaErrorUnknown:
      return device_fault::device_lost;
    default:
      return device_fault::other;
  }
}

/// True if an error persists in the context and makes the device unusable for this process: the
/// device was lost, or a running kernel failed. A refused launch leaves no trace.
inline bool is_sticky(cudaError_t code) {
  const device_fault fault = fault_of(code);
  return fault == device_fault::device_lost ||
         (fault == device_fault::launch_failed && code != cudaErrorInvalidConfiguration &&
          code != cudaErrorLaunchOutOfResources);
}

/// Throws device_error with the call's name and CUDA's message.
inline void check_cuda(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  // Cleared, so that the caller's next check does not see it.
  static_cast<void>(cudaGetLastError());
  throw device_error(fault_of(code), std::string("CUDA: ") + call + " failed: " +
                                         cudaGetErrorString(code) + " (" + cudaGetErrorName(code) +
                                         ", error " + std::to_string(static_cast<int>(code)) + ")");
}
/// Throws device_error for a failed library call. The fault is that of CUDA's last error if
/// is_sticky(), else `by_code`, from the library's code: other pending CUDA errors may stem from an
/// earlier call.
[[noreturn]] inline void throw_library_error(device_fault by_code, const std::string& what) {
  const cudaError_t cause = cudaGetLastError();
  if (!is_sticky(cause)) throw device_error(by_code, what);
  throw device_error(fault_of(cause), what + ": " + cudaGetErrorString(cause) + " (" +
                                          cudaGetErrorName(cause) + ")");
}
/// The fault of a library's error code, given its codes for two faults.
template <class Code>
device_fault fault_of(Code code, Code no_memory, Code launch_failed) {
  return code == no_memory       ? device_fault::out_of_memory
         : code == launch_failed ? device_fault::launch_failed
                                 : device_fault::other;
}
inline void check_nvrtc(nvrtcResult code, const char* call) {
  if (code != NVRTC_SUCCESS)
    throw backend_error(std::string("NVRTC: ") + call + " failed: " + nvrtcGetErrorString(code));
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
