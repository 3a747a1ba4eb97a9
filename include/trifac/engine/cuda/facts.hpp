#pragma once
// Properties of a CUDA device.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "trifac/engine/cuda/error.hpp"
#include "trifac/engine/device/facts.hpp"
#include "trifac/engine/kernel/lu_cluster_step.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Properties of a CUDA device; its compute capability is 10·major + minor.
struct cuda_facts : device_facts {
  int capability = 0;
};

/// The number of GPUs. Without a driver CUDA calls the driver too old: backend_error says what is
/// missing.
inline int count_cuda_devices() {
  int count = 0, driver = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  const bool no_driver = code == cudaErrorInsufficientDriver &&
                         cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0;
  if (no_driver || code == cudaErrorNoDevice) {
    static_cast<void>(cudaGetLastError());
    throw backend_error("CUDA: no NVIDIA GPU with a driver");
  }
  check_cuda(code, "cudaGetDeviceCount");
  return count;
}

/// Throws backend_error if the device cannot be queried or has no memory pools.
inline cuda_facts read_cuda_facts(int device) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  int driver = 0, runtime = 0;
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  int has_pools = 0;
  check_cuda(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, device),
             "cudaDeviceGetAttribute");
  if (!has_pools)
    throw backend_error("CUDA: " + std::string(properties.name) + " has no memory pools");
  const auto version = [](int v) {
    return std::to_string(v / 1000) + '.' + std::to_string(v % 1000 / 10);
  };
  cuda_facts f;
  f.capability = 10 * properties.major + properties.minor;
  f.name = properties.name;
  f.vendor = "NVIDIA";
  f.driver = "driver for CUDA " + version(driver) + ", runtime " + version(runtime) +
             ", compute capability " + std::to_string(properties.major) + '.' +
             std::to_string(properties.minor);
  f.has_double = true;
  f.exact_division = true;
  f.units = properties.multiProcessorCount;
  f.most_items = static_cast<std::size_t>(properties.maxThreadsPerBlock);
  f.local_bytes = properties.sharedMemPerBlockOptin;
  int has_clusters = 0;  // from compute capability 9.0 on
  check_cuda(cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, device),
             "cudaDeviceGetAttribute");
  if (has_clusters) f.cluster = kernel::cluster_most;
  f.most_bytes = f.all_bytes = properties.totalGlobalMem;
  return f;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
