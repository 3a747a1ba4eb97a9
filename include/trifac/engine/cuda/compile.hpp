#pragma once
// Kernel texts compiled by NVRTC for one architecture.

#include <nvrtc.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "trifac/engine/cuda/error.hpp"
#include "trifac/engine/device/facts.hpp"
#include "trifac/engine/kernel/prelude_cuda.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// NVRTC's output: machine code for a known architecture (or PTX for one newer than NVRTC), and the
/// log.
struct cuda_image {
  std::string code, log;
};

/// --gpu-architecture for a device: its own, or the newest known to NVRTC, as PTX, which the driver
/// compiles. `capability` is 10·major + minor. Throws backend_error if NVRTC no longer supports the
/// device.
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

/// The options of every program: no contraction, since products are explicit fmas; or fast-math.
inline std::vector<std::string> cuda_options(const program_source& source,
                                             const std::string& architecture) {
  std::vector<std::string> options = {"--gpu-architecture=" + architecture, "--std=c++17",
                                      "--fmad=false"};
  if (source.floats() == float_model::fast) options.back() = "--use_fast_math";
  for (const std::string& d : source.definitions) options.push_back("-D" + d);
  return options;
}

/// The complete text for NVRTC.
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

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
