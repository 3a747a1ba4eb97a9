// The calls that launch kernels. A cluster of blocks is one work-group, of which each block is a
// part: kernel/prelude_opencl.hpp.

#include <algorithm>
#include <bit>
#include <cstring>

#include "machine.hpp"

using cuda_double::machine;

namespace cuda_double {
namespace {

/// Runs a kernel with arguments that were copied.
cudaError_t run_kernel(const kernel& k, dim3 grid, dim3 block, unsigned cluster,
                       const std::vector<std::vector<std::byte>>& arguments) {
  machine& m = machine::instance();
  if (machine::strikes(m.due.kernel)) return cudaErrorLaunchFailure;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const auto at = static_cast<cl_uint>(a);
    cl_int code = CL_SUCCESS;
    if (k.parameters[a].is_pointer) {
      void* p = nullptr;
      std::memcpy(&p, arguments[a].data(), sizeof p);
      if (p && !m.is_device_pointer(p)) {
        m.complain("the kernel " + k.name + " got a pointer that is not the device's");
        return cudaErrorIllegalAddress;
      }
      code = clSetKernelArgSVMPointer(k.handle, at, p);
    } else {
      code = clSetKernelArg(k.handle, at, arguments[a].size(), arguments[a].data());
    }
    if (code != CL_SUCCESS) {
      m.complain("argument " + std::to_string(a) + " of the kernel " + k.name + " was refused");
      return cudaErrorInvalidValue;
    }
  }
  const std::size_t local[3] = {std::size_t{block.x} * cluster, block.y, block.z};
  const std::size_t global[3] = {grid.x / cluster * local[0], grid.y * local[1], grid.z * local[2]};
  engine& e = m.compute();
  if (clEnqueueNDRangeKernel(e.queue, k.handle, 3, nullptr, global, local, 0, nullptr, nullptr) ||
      clFinish(e.queue)) {
    m.complain("the kernel " + k.name + " did not run");
    return cudaErrorLaunchFailure;
  }
  return cudaSuccess;
}

/// A launch in a stream, with the arguments as they are now.
cudaError_t launch(const void* f, dim3 grid, dim3 block, unsigned cluster, void** values,
                   std::size_t shared, cudaStream_t s) {
  auto& m = machine::instance();
  ++m.seen.launches;
  if (machine::strikes(m.due.launch)) return cudaErrorLaunchOutOfResources;
  const auto threads = std::size_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > 1024 || grid.x == 0 || grid.y == 0 || grid.z == 0 ||
      grid.x > 2147483647u || grid.y > 65535 || grid.z > 65535)
    return cudaErrorInvalidConfiguration;
  const auto& k = *static_cast<const kernel*>(f);
  if (shared > k.most_with_launch) return cudaErrorInvalidValue;
  if (shared < k.with_launch || k.declared > static_shared_bytes) {
    m.complain("the kernel " + k.name + " uses more shared memory than it has");
    return cudaErrorInvalidValue;
  }
  std::vector<std::vector<std::byte>> arguments;
  for (std::size_t a = 0; a < k.parameters.size(); ++a) {
    const auto* from = static_cast<const std::byte*>(values[a]);
    arguments.emplace_back(from, from + k.parameters[a].size);
  }
  return m.enqueue(s,
                   [&k, grid, block, cluster, arguments] {
                     return run_kernel(k, grid, block, cluster, arguments);
                   },
                   {&k});
}
/// The blocks of a cluster along the first axis; false where they do not divide the grid, or are no
/// power of two, for which nothing is known.
bool read_cluster(const cudaLaunchConfig_t& c, unsigned& cluster) {
  if (c.numAttrs != 1 || c.attrs[0].id != cudaLaunchAttributeClusterDimension) return false;
  const auto& size = c.attrs[0].val.clusterDim;
  cluster = size.x;
  return size.y == 1 && size.z == 1 && std::has_single_bit(size.x) && c.gridDim.x % size.x == 0;
}
bool has_room(const void* f, unsigned cluster) {
  const auto& k = *static_cast<const kernel*>(f);
  return static_cast<int>(cluster) <= std::min(machine::instance().cluster, k.blocks) &&
         (cluster <= 8 || k.large_clusters);
}

}  // namespace

}  // namespace cuda_double

extern "C" {

cudaError_t cudaLaunchKernel(const void* f, dim3 grid, dim3 block, void** values, size_t shared,
                             cudaStream_t s) {
  CUDA_DOUBLE_ENTER()
  return m.last_error = cuda_double::launch(f, grid, block, 1, values, shared, s);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* f, void** values) {
  CUDA_DOUBLE_ENTER()
  ++m.seen.clusters;
  unsigned cluster = 0;
  if (machine::strikes(m.due.cluster) || !cuda_double::read_cluster(*c, cluster) ||
      !cuda_double::has_room(f, cluster))
    return m.last_error = cudaErrorInvalidClusterSize;
  return m.last_error = cuda_double::launch(f, c->gridDim, c->blockDim, cluster, values,
                                            c->dynamicSmemBytes, c->stream);
}
cudaError_t cudaFuncSetAttribute(const void* f, cudaFuncAttribute what, int value) {
  CUDA_DOUBLE_ENTER()
  // A kernel is given to others as const, as nobody else changes one.
  auto& k = *static_cast<cuda_double::kernel*>(const_cast<void*>(f));
  const auto bytes = static_cast<std::size_t>(value);
  if (what == cudaFuncAttributeNonPortableClusterSizeAllowed)
    k.large_clusters = value != 0;
  else if (what == cudaFuncAttributeMaxDynamicSharedMemorySize && value >= 0 &&
           k.declared + bytes <= cuda_double::most_shared_bytes)
    k.most_with_launch = bytes;
  else
    return m.last_error = cudaErrorInvalidValue;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters(int* count, const void* f, const cudaLaunchConfig_t* c) {
  CUDA_DOUBLE_ENTER()
  unsigned cluster = 0;
  if (!cuda_double::read_cluster(*c, cluster)) return m.last_error = cudaErrorInvalidClusterSize;
  *count = cuda_double::has_room(f, cluster) ? 1 : 0;
  return cudaSuccess;
}

}  // extern "C"
