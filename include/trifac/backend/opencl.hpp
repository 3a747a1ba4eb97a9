#pragma once
// The OpenCL backend: CPUs, GPUs and accelerators through the OpenCL loader, the only dependency.
// Link with trifac::opencl (CMake) or -lOpenCL.

#include <string>
#include <string_view>
#include <vector>

#include "trifac/engine/device/policy.hpp"
#include "trifac/engine/opencl/runtime.hpp"

namespace trifac {
namespace backend {

inline namespace TRIFAC_ABI {

/// A device, its queue, its programs and its scratch memory. Copies are cheap and share them.
/// Several threads may use one backend; their calls share one in-order queue.
///
/// Host matrices are copied to the device and back, except that a CPU device works on host memory.
/// device_matrix.hpp keeps matrices on the device.
class opencl : public device_policy<opencl, device::opencl_runtime> {
 public:
  static constexpr std::string_view name = "opencl";
  static constexpr const char* without_device = "no OpenCL device was chosen";

  /// Without a device: available() is false. The functions below choose a device; none throws.
  constexpr opencl() = default;

  /// The first device of a kind, in the order of devices().
  static opencl first(device_kind kind = device_kind::any) noexcept {
    return open([&]() -> cl_device_id {
      for (const entry& e : list())
        if (kind == device_kind::any || (type_of(e.id) & flag_of(kind))) return e.id;
      throw backend_error("OpenCL: there is no device of this kind");
    });
  }
  static opencl first_gpu() noexcept { return first(device_kind::gpu); }
  static opencl first_cpu() noexcept { return first(device_kind::cpu); }
  /// The device at this index of devices().
  static opencl at(int index) noexcept {
    return open([&] {
      const auto all = list();
      if (index < 0 || index >= static_cast<int>(all.size()))
        throw backend_error("OpenCL: there is no device " + std::to_string(index) + "; there are " +
                            std::to_string(all.size()));
      return all[static_cast<std::size_t>(index)].id;
    });
  }
  /// The first device whose name contains `part`.
  static opencl named(std::string_view part) noexcept {
    return open([&]() -> cl_device_id {
      for (const entry& e : list())
        if (e.name.find(part) != std::string::npos) return e.id;
      throw backend_error("OpenCL: no device's name contains \"" + std::string(part) + "\"");
    });
  }
  /// Any device or sub-device, with its own context.
  static opencl on(cl_device_id device) noexcept {
    return open([&] { return device; });
  }
  /// Uses the caller's context and in-order queue, retained for the lifetime of the backend.
  static opencl on(cl_context context, cl_command_queue queue) noexcept {
    return linked([&](auto& session) { session.emplace(context, queue); });
  }

  /// Names of all devices, by platform; empty without devices or a working loader.
  static std::vector<std::string> devices() {
    std::vector<std::string> names;
    try {
      for (const entry& e : list()) names.push_back(e.name);
    } catch (const backend_error&) {
    }
    return names;
  }

 private:
  struct entry {
    cl_device_id id;
    std::string name;
  };

  static cl_device_type type_of(cl_device_id device) {
    cl_device_type type = 0;
    device::check_opencl(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr),
                         "clGetDeviceInfo");
    return type;
  }
  static constexpr cl_device_type flag_of(device_kind kind) {
    return kind == device_kind::cpu   ? CL_DEVICE_TYPE_CPU
           : kind == device_kind::gpu ? CL_DEVICE_TYPE_GPU
                                      : CL_DEVICE_TYPE_ACCELERATOR;
  }
  // Every device of every platform. Throws backend_error if there is none.
  static std::vector<entry> list() {
    cl_uint count = 0;
    if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0)
      throw backend_error("OpenCL: no platform is installed (Debian: pocl-opencl-icd)");
    std::vector<cl_platform_id> platforms(count);
    device::check_opencl(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    std::vector<entry> all;
    for (cl_platform_id p : platforms) {
      if (clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
      std::vector<cl_device_id> ids(count);
      device::check_opencl(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr),
                           "clGetDeviceIDs");
      for (cl_device_id id : ids) {
        char text[256] = "";
        clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof text - 1, text, nullptr);
        all.push_back({id, text});
      }
    }
    if (all.empty()) throw backend_error("OpenCL: no platform has a device");
    return all;
  }

  template <class Choose>
  static opencl open(Choose choose) noexcept {
    return linked([&](auto& session) { session.emplace(choose()); });
  }
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
