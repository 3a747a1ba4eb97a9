#pragma once
// Kernel texts compiled by NVRTC for one architecture, and loaded without the driver's own library.

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

#include "trifac/backend/cuda/error.hpp"
#include "trifac/backend/device/facts.hpp"
#include "trifac/backend/device/program_cache.hpp"
#include "trifac/kernel/prelude_cuda.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// What NVRTC makes of a program: machine code for a known architecture (or PTX for one that is
/// newer than NVRTC), and what it had to say.
struct cuda_image {
  std::string code, log;
};

/// The --gpu-architecture for a device: its own, or the newest that NVRTC knows, as PTX, which the
/// driver compiles. `capability` is 10·major + minor. Throws backend_error where the device is too
/// old for NVRTC.
inline std::string cuda_architecture(int capability) {
  int count = 0;
  check_nvrtc(nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> known(static_cast<std::size_t>(count));
  check_nvrtc(nvrtcGetSupportedArchs(known.data()), "nvrtcGetSupportedArchs");
  int best = 0;
  for (int k : known)
    if (k <= capability) best = std::max(best, k);
  if (best == 0)
    throw backend_error("CUDA: NVRTC does not compile for compute capability " +
                        std::to_string(capability / 10) + '.' + std::to_string(capability % 10));
  return (best == capability ? "sm_" : "compute_") + std::to_string(best);
}

/// The options of every program: contraction off, as each product is an explicit fma; or fast-math.
inline std::vector<std::string> cuda_options(const program_source& source,
                                             const std::string& architecture) {
  std::vector<std::string> options = {"--gpu-architecture=" + architecture, "--std=c++17",
                                      "--fmad=false"};
  if (source.floats() == float_model::fast) options.back() = "--use_fast_math";
  for (const std::string& d : source.definitions) options.push_back("-D" + d);
  return options;
}

/// The text that NVRTC gets.
inline std::string cuda_text(const program_source& source) {
  std::string text = kernel::prelude_cuda;
  for (const char* part : source.texts) text += part;
  return text;
}

/// Compiles; throws backend_error with the compiler's log.
inline cuda_image compile_cuda(const program_source& source,
                               const std::vector<std::string>& options) {
  struct owner {
    nvrtcProgram program = nullptr;
    ~owner() { nvrtcDestroyProgram(&program); }
  } p;
  const std::string text = cuda_text(source);
  check_nvrtc(nvrtcCreateProgram(&p.program, text.c_str(), source.name, 0, nullptr, nullptr),
              "nvrtcCreateProgram");
  std::vector<const char*> words;
  std::string all;
  for (const std::string& o : options) {
    words.push_back(o.c_str());
    all += (all.empty() ? "" : " ") + o;
  }
  const nvrtcResult result =
      nvrtcCompileProgram(p.program, static_cast<int>(words.size()), words.data());

  const auto fetch = [&p](auto size_of, auto get) {
    std::size_t size = 0;
    check_nvrtc(size_of(p.program, &size), "reading a compiled program's size");
    std::string bytes(size, '\0');
    if (size > 0) check_nvrtc(get(p.program, bytes.data()), "reading a compiled program");
    return bytes;
  };
  cuda_image made;
  made.log = fetch(nvrtcGetProgramLogSize, nvrtcGetProgramLog);
  made.log.erase(std::find(made.log.begin(), made.log.end(), '\0'), made.log.end());
  if (result != NVRTC_SUCCESS)
    throw backend_error("CUDA: the kernels \"" + std::string(source.name) + "\" do not compile (" +
                        all + "): " + nvrtcGetErrorString(result) + '\n' + made.log);
  const bool machine_code = options.front().find("=sm_") != std::string::npos;
  made.code =
      machine_code ? fetch(nvrtcGetCUBINSize, nvrtcGetCUBIN) : fetch(nvrtcGetPTXSize, nvrtcGetPTX);
  return made;
}

/// A loaded program with its kernels.
class cuda_program {
 public:
  explicit cuda_program(const std::string& code) {
    check_cuda(
        cudaLibraryLoadData(&library_, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cudaLibraryLoadData");
  }
  cuda_program(const cuda_program&) = delete;
  cuda_program& operator=(const cuda_program&) = delete;
  ~cuda_program() { cudaLibraryUnload(library_); }

  /// Enqueues groups·items threads of a kernel. Throws backend_error where the arguments have not the
  /// sizes of its parameters: CUDA is given addresses only and would read whatever lies there.
  template <class... Arguments>
  void launch(cudaStream_t to, const char* name, extent groups, extent items,
              const Arguments&... arguments) {
    std::array<const void*, sizeof...(Arguments)> values = {&arguments...};
    const entry& k = find(name, {sizeof(Arguments)...});
    check_cuda(cudaLaunchKernel(k.function(), shape(groups), shape(items),
                                const_cast<void**>(values.data()), 0, to),
               name);
  }
  /// The same for one cluster of `groups`. False, and nothing is enqueued, where the device does not
  /// take such clusters of this kernel.
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
  /// A kernel and the sizes of its parameters; whether it runs in clusters of so many groups.
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
    cudaError_t code = cudaSuccess;
    while ((code = cudaFuncGetParamInfo(made.function(), made.sizes.size(), &offset, &size)) ==
           cudaSuccess)
      made.sizes.push_back(size);
    if (code != cudaErrorInvalidValue) check_cuda(code, "cudaFuncGetParamInfo");
    static_cast<void>(cudaGetLastError());  // of the parameter behind the last
    return kernels_.emplace(name, std::move(made)).first->second;
  }
  /// Whether one such cluster can run: more than 8 groups are for the device to decide.
  static bool fits(const entry& k, const cudaLaunchConfig_t& config) {
    int at_once = 0;
    cudaError_t code =
        cudaFuncSetAttribute(k.function(), cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (code == cudaSuccess) code = cudaOccupancyMaxActiveClusters(&at_once, k.function(), &config);
    if (code != cudaSuccess) static_cast<void>(cudaGetLastError());
    return code == cudaSuccess && at_once > 0;
  }

  cudaLibrary_t library_ = nullptr;
  std::mutex mutex_;
  std::map<std::string, entry, std::less<>> kernels_;
};

/// Makes programs for devices of one compute capability (10·major + minor).
class cuda_program_maker {
 public:
  explicit cuda_program_maker(int capability) : capability_(capability) {}

  /// From disk, or compiled now; for the current device. Throws backend_error with the compiler's
  /// log.
  std::unique_ptr<cuda_program> make(const program_source& source) const {
    const auto options = cuda_options(source, cuda_architecture(capability_));
    const std::string key = key_of(source, options);
    // A stored program that the driver refuses is as good as none.
    if (const auto stored = cache_.load(key)) try {
        return std::make_unique<cuda_program>(*stored);
      } catch (const device_error&) {
      }
    const cuda_image image = compile_cuda(source, options);
    auto made = std::make_unique<cuda_program>(image.code);
    cache_.store(key, image.code);
    return made;
  }
  /// Compiles into the cache for a machine with such a device; needs none itself.
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
