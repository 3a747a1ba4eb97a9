// NVRTC and the calls that load kernels: the text is compiled by OpenCL's compiler, with the
// prelude of OpenCL in place of that of CUDA.

#include <nvrtc.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "machine.hpp"
#include "trifac/engine/kernel/arguments.hpp"
#include "trifac/engine/kernel/prelude_cuda.hpp"
#include "trifac/engine/kernel/prelude_opencl.hpp"

using cuda_double::machine;

struct _nvrtcProgram {
  std::string text, log, code;
};

namespace cuda_double {
namespace {

/// What a library was loaded from: "cubin" of the double are the options, a zero, and the text.
constexpr std::string_view header = "double of a cubin\n";

struct library {
  cl_program program = nullptr;
  std::size_t shared_with_launch = 0;
  int blocks = 1;  ///< for which its local arrays are declared: those of a cluster
  std::map<std::string, kernel> kernels;

  ~library() {
    for (auto& [name, k] : kernels) clReleaseKernel(k.handle);
    if (program) clReleaseProgram(program);
  }
};

/// The program, which whoever asked must release. Those that compile stay: a test that begins anew
/// a hundred times does not wait for the compiler each time.
cl_program build(const std::string& text, const std::string& options, std::string& log) {
  static auto& known = *new std::map<std::string, cl_program>;
  engine& e = machine::instance().compute();
  const auto key = options + '\0' + text;
  if (const auto it = known.find(key); it != known.end()) {
    clRetainProgram(it->second);
    return it->second;
  }
  const char* source = text.c_str();
  cl_int code = CL_SUCCESS;
  const cl_program p = clCreateProgramWithSource(e.context, 1, &source, nullptr, &code);
  code = clBuildProgram(p, 1, &e.device, options.c_str(), nullptr, nullptr);
  std::size_t size = 0;
  clGetProgramBuildInfo(p, e.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  log.resize(size);
  clGetProgramBuildInfo(p, e.device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  if (code == CL_SUCCESS) {
    clRetainProgram(p);
    return known[key] = p;
  }
  clReleaseProgram(p);
  return nullptr;
}

/// Whether the CPU's OpenCL can run all kernels of a program: PoCL's local memory is as large as a
/// L2 cache, and a cluster's arrays are all in one work-group.
bool has_room(cl_program p) {
  const cl_device_id device = machine::instance().compute().device;
  cl_ulong room = 0;
  clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof room, &room, nullptr);
  cl_uint count = 0;
  clCreateKernelsInProgram(p, 0, nullptr, &count);
  std::vector<cl_kernel> kernels(count);
  clCreateKernelsInProgram(p, count, kernels.data(), nullptr);
  bool fits = true;
  for (cl_kernel k : kernels) {
    cl_ulong declared = 0;
    clGetKernelWorkGroupInfo(k, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof declared, &declared,
                             nullptr);
    fits = fits && declared <= room;
    clReleaseKernel(k);
  }
  return fits;
}

/// The number that an option defines a name as.
std::size_t value_of(std::string_view name, const std::string& options, std::size_t otherwise) {
  const std::string start = "-D" + std::string(name) + '=';
  const auto found = options.find(start);
  return found == std::string::npos ? otherwise : std::stoul(options.substr(found + start.size()));
}

std::size_t size_of(std::string_view type) {
  for (const auto& [name, size] : {std::pair<std::string_view, std::size_t>{"int", 4},
                                   {"i64", 8},
                                   {"long", 8},
                                   {"float", 4},
                                   {"double", 8},
                                   {"BATCH", sizeof(trifac::kernel::BATCH)},
                                   {"VIEW", sizeof(trifac::kernel::VIEW)},
                                   {"ROUND", sizeof(trifac::kernel::ROUND)}})
    if (type == name) return size;
  return 0;
}

/// The kernel of that name; the parameters' types come from the compiler.
kernel* find_kernel(library& l, const std::string& name) {
  if (const auto it = l.kernels.find(name); it != l.kernels.end()) return &it->second;
  cl_int code = CL_SUCCESS;
  kernel made{clCreateKernel(l.program, name.c_str(), &code), name, {}};
  if (code != CL_SUCCESS) return nullptr;
  cl_ulong shared = 0;
  clGetKernelWorkGroupInfo(made.handle, machine::instance().compute().device,
                           CL_KERNEL_LOCAL_MEM_SIZE, sizeof shared, &shared, nullptr);
  shared /= static_cast<cl_ulong>(l.blocks);
  made.blocks = l.blocks;
  made.with_launch = std::min(l.shared_with_launch, static_cast<std::size_t>(shared));
  made.declared = static_cast<std::size_t>(shared) - made.with_launch;
  made.most_with_launch = static_shared_bytes - std::min(static_shared_bytes, made.declared);
  cl_uint count = 0;
  clGetKernelInfo(made.handle, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
  for (cl_uint k = 0; k < count; ++k) {
    char type[128] = "";
    clGetKernelArgInfo(made.handle, k, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, nullptr);
    const bool is_pointer = std::strchr(type, '*') != nullptr;
    made.parameters.push_back({is_pointer, is_pointer ? sizeof(void*) : size_of(type)});
  }
  return &l.kernels.emplace(name, std::move(made)).first->second;
}

}  // namespace

}  // namespace cuda_double

extern "C" {

const char* nvrtcGetErrorString(nvrtcResult code) {
  return code == NVRTC_ERROR_COMPILATION ? "NVRTC_ERROR_COMPILATION" : "an error of NVRTC";
}
nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = CUDART_VERSION / 1000;
  *minor = -2;  // no version of NVRTC, the second double: programs on disk are kept apart
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* archs) {
  archs[0] = 80;
  archs[1] = 90;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCreateProgram(nvrtcProgram* out, const char* text, const char*, int headers,
                               const char* const*, const char* const*) {
  std::string_view source(text);
  if (headers != 0 || !source.starts_with(trifac::kernel::prelude_cuda))
    return NVRTC_ERROR_INVALID_INPUT;
  source.remove_prefix(std::string_view(trifac::kernel::prelude_cuda).size());
  *out = new _nvrtcProgram{trifac::kernel::prelude_opencl + std::string(source), {}, {}};
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* p) {
  delete std::exchange(*p, nullptr);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char* const* options) {
  auto& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  bool arch = false, has_model = false;  // of floating-point arithmetic
  std::string words = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -cl-kernel-arg-info";
  for (int k = 0; k < count; ++k) {
    const std::string_view o = options[k];
    if (o == "--gpu-architecture=sm_90")
      arch = true;
    else if (o == "--fmad=false")
      has_model = true;
    else if (o == "--use_fast_math")
      has_model = true, words += " -cl-fast-relaxed-math";
    else if (o.starts_with("-D"))
      words += ' ' + std::string(o);
    else if (o != "--std=c++17")
      return NVRTC_ERROR_INVALID_OPTION;
  }
  if (!arch || !has_model) return NVRTC_ERROR_INVALID_OPTION;
  cl_program built = cuda_double::build(p->text, words, p->log);
  if (words.find("-DCLUSTER_ITEMS=") != std::string::npos) {
    const std::string any = words;
    for (int blocks = cuda_double::most_blocks; built && !cuda_double::has_room(built);) {
      clReleaseProgram(built);
      words = any + " -DCLUSTER_MOST=" + std::to_string(blocks /= 2);
      built = cuda_double::build(p->text, words, p->log);
    }
  }
  if (!built) return NVRTC_ERROR_COMPILATION;
  clReleaseProgram(built);
  p->code = std::string(cuda_double::header) + words + '\0' + p->text;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t* size) {
  *size = p->log.size() + 1;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char* log) {
  std::memcpy(log, p->log.c_str(), p->log.size() + 1);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t* size) {
  *size = p->code.size();
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char* code) {
  std::memcpy(code, p->code.data(), p->code.size());
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram, size_t*) {
  return NVRTC_ERROR_INVALID_INPUT;
}
nvrtcResult nvrtcGetPTX(nvrtcProgram, char*) {
  return NVRTC_ERROR_INVALID_INPUT;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t* out, const void* code, cudaJitOption*, void**,
                                unsigned, cudaLibraryOption*, void**, unsigned) {
  CUDA_DOUBLE_ENTER()
  const char* at = static_cast<const char*>(code);
  if (std::strncmp(at, cuda_double::header.data(), cuda_double::header.size()) != 0)
    return m.last_error = cudaErrorInvalidKernelImage;
  at += cuda_double::header.size();
  const std::string options = at, text = at + options.size() + 1;
  auto made = std::make_unique<cuda_double::library>();
  std::string log;
  made->program = cuda_double::build(text, options, log);
  made->shared_with_launch = cuda_double::value_of("LOCAL_WITH_LAUNCH", options, 0);
  if (options.find("-DCLUSTER_ITEMS=") != std::string::npos)
    made->blocks =
        static_cast<int>(cuda_double::value_of("CLUSTER_MOST", options, cuda_double::most_blocks));
  if (!made->program) return m.last_error = cudaErrorInvalidKernelImage;
  *out = reinterpret_cast<cudaLibrary_t>(made.release());
  ++m.seen.live_objects;
  return cudaSuccess;
}
cudaError_t cudaLibraryUnload(cudaLibrary_t l) {
  if (!l) return cudaErrorInvalidResourceHandle;
  auto& m = machine::instance();
  const std::scoped_lock lock(m.lock);
  const auto* const unloaded = reinterpret_cast<cuda_double::library*>(l);
  if (m.sticky_error == cudaSuccess)
    for (const auto& [handle, s] : m.streams)
      for (const auto& c : s->commands)
        for (const auto* k : c.kernels)
          if (const auto own = unloaded->kernels.find(k->name);
              own != unloaded->kernels.end() && &own->second == k)
            m.complain("a program is unloaded while its kernel " + k->name + " runs");
  m.wait_for_all();
  delete unloaded;
  --m.seen.live_objects;
  return cudaSuccess;
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* out, cudaLibrary_t l, const char* name) {
  CUDA_DOUBLE_ENTER()
  auto* k = cuda_double::find_kernel(*reinterpret_cast<cuda_double::library*>(l), name);
  if (!k) return m.last_error = cudaErrorSymbolNotFound;
  *out = reinterpret_cast<cudaKernel_t>(k);
  return cudaSuccess;
}
cudaError_t cudaFuncGetParamInfo(const void* f, size_t index, size_t* offset, size_t* size) {
  CUDA_DOUBLE_ENTER()
  const auto& parameters = static_cast<const cuda_double::kernel*>(f)->parameters;
  if (index >= parameters.size()) return m.last_error = cudaErrorInvalidValue;
  *offset = 0;
  for (size_t k = 0; k <= index; ++k) {
    *size = parameters[k].size;
    const size_t alignment = std::min<size_t>(*size, 8);
    *offset = (*offset + alignment - 1) / alignment * alignment;
    if (k < index) *offset += *size;
  }
  return cudaSuccess;
}

}  // extern "C"
