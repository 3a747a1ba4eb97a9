#pragma once
// Whether a device computes with denormal numbers.

#include "trifac/scalar.hpp"

#if TRIFAC_TEST_CUDA_ALONE
  #include "trifac/backend/cuda.hpp"
#else
  #include "trifac/backend/opencl.hpp"
#endif

namespace trifac::test {

/// OpenCL lets a device flush those of float.
template <class T, class Device>
bool keeps_denormals([[maybe_unused]] const Device& on) {
#if TRIFAC_TEST_CUDA_ALONE
  return true;
#else
  cl_device_id id = nullptr;
  clGetCommandQueueInfo(on.session().runtime.queue(), CL_QUEUE_DEVICE, sizeof id, &id, nullptr);
  const cl_device_info what =
      sizeof(real_t<T>) == 8 ? CL_DEVICE_DOUBLE_FP_CONFIG : CL_DEVICE_SINGLE_FP_CONFIG;
  return (trifac::device::opencl_info<cl_device_fp_config>(id, what) & CL_FP_DENORM) != 0;
#endif
}

}  // namespace trifac::test
