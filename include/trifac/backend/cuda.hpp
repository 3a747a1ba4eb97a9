#pragma once
// The CUDA backend: NVIDIA GPUs through the CUDA runtime and NVRTC; needs no nvcc, and no driver to
// link or to start. Link with trifac::cuda (CMake) or -lcudart -lnvrtc.

#include <string>
#include <string_view>
#include <vector>

#include "trifac/engine/cuda/runtime.hpp"
#include "trifac/engine/device/policy.hpp"

namespace trifac {
namespace backend {

inline namespace TRIFAC_ABI {

/// A device, a stream, its programs and its scratch memory. Copies are cheap and share them.
/// Several threads may use one backend; their calls share the stream.
///
/// Host matrices are copied to the device and back; device_matrix.hpp keeps matrices on the device.
class cuda : public device_policy<cuda, device::cuda_runtime> {
 public:
  static constexpr std::string_view name = "cuda";
  static constexpr const char* without_device = "no CUDA device was chosen";

  /// Without a device: available() is false. The functions below choose a device; none throws.
  constexpr cuda() = default;

  /// The first device.
  static cuda first() noexcept { return at(0); }
  /// The device with this index, with its own stream.
  static cuda at(int index) noexcept {
    return linked([&](auto& session) {
      const int count = device::count_cuda_devices();
      if (index < 0 || index >= count)
        throw backend_error("CUDA: there is no device " + std::to_string(index) + "; there are " +
                            std::to_string(count));
      session.emplace(index);
    });
  }
  /// Uses the caller's stream, which must outlive the backend; work follows what is already
  /// enqueued.
  static cuda on(cudaStream_t stream) noexcept {
    return linked([&](auto& session) {
      static_cast<void>(device::count_cuda_devices());  // reports a missing driver
      session.emplace(stream);
    });
  }

  /// Names of all devices; empty without devices or driver.
  static std::vector<std::string> devices() {
    std::vector<std::string> names;
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
    for (int k = 0; k < count; ++k) {
      cudaDeviceProp properties{};
      if (cudaGetDeviceProperties(&properties, k) == cudaSuccess)
        names.emplace_back(properties.name);
    }
    static_cast<void>(cudaGetLastError());
    return names;
  }
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
