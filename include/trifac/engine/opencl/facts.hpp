#pragma once
// Properties of an OpenCL device.

#include <cstdlib>
#include <string>
#include <string_view>

#include "trifac/engine/opencl/handle.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// A value, or a text, from clGetDeviceInfo. Throws backend_error.
template <class Value>
Value opencl_info(cl_device_id device, cl_device_info what) {
  Value value{};
  check_opencl(clGetDeviceInfo(device, what, sizeof value, &value, nullptr), "clGetDeviceInfo");
  return value;
}
inline std::string opencl_text(cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  check_opencl(clGetDeviceInfo(device, what, 0, nullptr, &size), "clGetDeviceInfo");
  std::string value(size, '\0');
  check_opencl(clGetDeviceInfo(device, what, size, value.data(), nullptr), "clGetDeviceInfo");
  return value.substr(0, value.find('\0'));
}
/// True if the driver caches compiled kernels: PoCL does, unless the user disables it.
inline bool keeps_opencl_programs(cl_device_id device) {
  const char* const setting = std::getenv("POCL_KERNEL_CACHE");
  const std::string version = opencl_text(device, CL_DEVICE_VERSION);
  return (version.find("PoCL") != version.npos || version.find("pocl") != version.npos) &&
         !(setting && std::string_view(setting) == "0");
}
/// The properties that executors need. Throws backend_error.
inline device_facts read_opencl_facts(cl_device_id device) {
  device_facts f;
  f.name = opencl_text(device, CL_DEVICE_NAME);
  f.vendor = opencl_text(device, CL_DEVICE_VENDOR);
  f.driver = opencl_text(device, CL_DEVICE_VERSION) + ' ' + opencl_text(device, CL_DRIVER_VERSION);
  f.is_cpu = opencl_info<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU;
  f.has_double = opencl_info<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  f.keeps_programs = keeps_opencl_programs(device);
  f.exact_division = opencl_info<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG) &
                     CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  f.units = static_cast<int>(opencl_info<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS));
  f.float_width =
      static_cast<int>(opencl_info<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
  f.double_width =
      static_cast<int>(opencl_info<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE));
  f.most_items = opencl_info<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  f.local_bytes = opencl_info<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  f.most_bytes = opencl_info<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  f.all_bytes = opencl_info<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  return f;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
