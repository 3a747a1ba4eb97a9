#pragma once
// Compiled programs, loaded without the driver API, and launches of their kernels.

#include <cuda_runtime_api.h>
#include <nvrtc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trifac/engine/cuda/compile.hpp"
#include "trifac/engine/cuda/error.hpp"
#include "trifac/engine/device/facts.hpp"
#include "trifac/engine/device/program_cache.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// A loaded program with its kernels.
class cuda_program {
 public:
  /// local_bytes: dynamic local memory of every launch, local_with_launch() of the source.
  cuda_program(const std::string& code, std::size_t local_bytes) : local_bytes_(local_bytes) {
    check_cuda(
        cudaLibraryLoadData(&library_, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cudaLibraryLoadData");
  }
  cuda_program(const cuda_program&) = delete;
  cuda_program& operator=(const cuda_program&) = delete;
  ~cuda_program() { cudaLibraryUnload(library_); }

  /// Enqueues groups·items threads of a kernel. Throws backend_error if argument sizes differ from
  /// parameter sizes: CUDA gets only addresses and would read arbitrary memory.
  template <class... Arguments>
  void launch(cudaStream_t to, const char* name, extent groups, extent items,
              const Arguments&... arguments) {
    std::array<const void*, sizeof...(Arguments)> values = {&arguments...};
    const entry& k = find(name, {sizeof(Arguments)...});
    check_cuda(cudaLaunchKernel(k.function(), shape(groups), shape(items),
                                const_cast<void**>(values.data()), local_bytes_, to),
               name);
  }
  /// The same for one cluster of `groups`. Returns false, enqueuing nothing, if the device does not
  /// support such a cluster of this kernel.
  template <class... Arguments>
  bool launch_cluster(cudaStream_t to, const char* name, int groups, extent items,
                      const Arguments&... arguments) {
    std::array<const void*, sizeof...(Arguments)> values = {&arguments...};
    entry& k = find(name, {sizeof(Arguments)...});
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(groups), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = shape({static_cast<std::size_t>(groups)});
    config.blockDim = shape(items);
    config.dynamicSmemBytes = local_bytes_;
    config.stream = to;
    config.attrs = &cluster;
    config.numAttrs = 1;

    const std::scoped_lock lock(mutex_);
    const auto [known, is_new] = k.clusters.try_emplace(groups, false);
    if (is_new) known->second = fits(k, config);
    if (!known->second) return false;
    const auto code = cudaLaunchKernelExC(&config, k.function(), const_cast<void**>(values.data()));
    if (code == cudaErrorInvalidClusterSize || code == cudaErrorInvalidConfiguration) {
      static_cast<void>(cudaGetLastError());
      return known->second = false;
    }
    check_cuda(code, name);
    return true;
  }

 private:
  /// A kernel, the sizes of its parameters, and whether it runs in clusters of each size.
  struct entry {
    cudaKernel_t kernel = nullptr;
    std::vector<std::size_t> sizes;
    std::map<int, bool> clusters;

    const void* function() const { return reinterpret_cast<const void*>(kernel); }
  };
  static dim3 shape(extent e) {
    return {static_cast<unsigned>(e.x), static_cast<unsigned>(e.y), 1};
  }
  entry& find(const char* name, std::initializer_list<std::size_t> sizes) {
    entry& k = find(name);
    if (!std::equal(k.sizes.begin(), k.sizes.end(), sizes.begin(), sizes.end()))
      throw backend_error("CUDA: the arguments for the kernel \"" + std::string(name) +
                          "\" are not its parameters");
    return k;
  }
  entry& find(const char* name) {
    const std::scoped_lock lock(mutex_);
    if (const auto known = kernels_.find(std::string_view(name)); known != kernels_.end())
      return known->second;
    entry made;
    check_cuda(cudaLibraryGetKernel(&made.kernel, library_, name), name);
    std::size_t offset = 0, size = 0;
    if (local_bytes_ > 0)
      check_cuda(cudaFuncSetAttribute(made.function(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(local_bytes_)),
                 "cudaFuncSetAttribute");
    cudaError_t code = cudaSuccess;
    while ((code = cudaFuncGetParamInfo(made.function(), made.sizes.size(), &offset, &size)) ==
           cudaSuccess)
      made.sizes.push_back(size);
    if (code != cudaErrorInvalidValue) check_cuda(code, "cudaFuncGetParamInfo");
    // Clears the error for the index past the last parameter.
    static_cast<void>(cudaGetLastError());
    return kernels_.emplace(name, std::move(made)).first->second;
  }
  /// True if one such cluster can run: more than 8 groups depend on the device.
  static bool fits(const entry& k, const cudaLaunchConfig_t& config) {
    int at_once = 0;
    cudaError_t code =
        cudaFuncSetAttribute(k.function(), cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (code == cudaSuccess) code = cudaOccupancyMaxActiveClusters(&at_once, k.function(), &config);
    if (code != cudaSuccess) static_cast<void>(cudaGetLastError());
    return code == cudaSuccess && at_once > 0;
  }

  cudaLibrary_t library_ = nullptr;
  std::size_t local_bytes_;
  std::mutex mutex_;
  std::map<std::string, entry, std::less<>> kernels_;
};

/// Creates programs for devices of one compute capability (10·major + minor).
class cuda_program_maker {
 public:
  explicit cuda_program_maker(int capability) : capability_(capability) {}

  /// Loaded from disk or compiled, for the current device. Throws backend_error with the compiler's
  /// log.
  std::unique_ptr<cuda_program> make(const program_source& source) const {
    const auto options = cuda_options(source, cuda_architecture(capability_));
    const std::string key = key_of(source, options);
    // A stored program that the driver rejects is ignored.
    if (const auto stored = cache_.load(key)) try {
        return std::make_unique<cuda_program>(*stored, source.local_with_launch());
      } catch (const device_error&) {
      }
    const cuda_image image = compile_cuda(source, options);
    auto made = std::make_unique<cuda_program>(image.code, source.local_with_launch());
    cache_.store(key, image.code);
    return made;
  }
  /// Compiles into the cache for such a device without needing one.
  void store(const program_source& source) const {
    const auto options = cuda_options(source, cuda_architecture(capability_));
    const std::string key = key_of(source, options);
    if (!cache_.load(key)) cache_.store(key, compile_cuda(source, options).code);
  }

 private:
  static std::string key_of(const program_source& source, const std::vector<std::string>& options) {
    int major = 0, minor = 0;
    check_nvrtc(nvrtcVersion(&major, &minor), "nvrtcVersion");
    std::string key = "NVRTC " + std::to_string(major) + '.' + std::to_string(minor) + '\n';
    for (const std::string& o : options) key += o + ' ';
    return key + '\n' + cuda_text(source);
  }

  int capability_;
  program_cache cache_ = program_cache::standard();
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
