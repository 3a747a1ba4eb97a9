#pragma once
// OpenCL programs: compiled from source, or loaded from the program cache.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trifac/engine/device/program_cache.hpp"
#include "trifac/engine/kernel/prelude_opencl.hpp"
#include "trifac/engine/opencl/handle.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// A compiled program with its kernels.
class opencl_program {
 public:
  cl_kernel kernel(const char* kernel_name) {
    const auto known = kernels_.find(std::string_view(kernel_name));
    auto& k = known != kernels_.end() ? known->second : kernels_[kernel_name];
    if (!k) {
      cl_int code;
      k = kernel_handle(clCreateKernel(program_.get(), kernel_name, &code));
      check_opencl(code, kernel_name);
      changed_ = true;
    }
    return k.get();
  }

 private:
  using program_handle = opencl_handle<cl_program, clReleaseProgram, clRetainProgram>;
  using kernel_handle = opencl_handle<cl_kernel, clReleaseKernel, clRetainKernel>;

  friend class opencl_program_maker;
  program_handle program_;
  std::map<std::string, kernel_handle, std::less<>> kernels_;
  std::string key_;
  bool from_source_ = false;
  bool changed_ = false;  // a kernel was used that may be missing from the stored binary
};

/// Creates programs for one device; `facts` must outlive this object.
class opencl_program_maker {
 public:
  opencl_program_maker(cl_device_id device, const device_facts& facts)
      : device_(device), facts_(facts) {}

  /// Loaded from disk or compiled. Throws backend_error with the compiler's log.
  std::unique_ptr<opencl_program> make(cl_context context, const program_source& source) const {
    auto p = std::make_unique<opencl_program>();
    p->key_ = key_of(source);
    if (load_binary(context, *p)) return p;
    std::vector<const char*> texts = {kernel::prelude_opencl};
    texts.insert(texts.end(), source.texts.begin(), source.texts.end());
    cl_int code;
    p->program_ = opencl_program::program_handle(clCreateProgramWithSource(
        context, static_cast<cl_uint>(texts.size()), texts.data(), nullptr, &code));
    check_opencl(code, "clCreateProgramWithSource");
    const std::string options = options_of(source);
    if (clBuildProgram(p->program_.get(), 1, &device_, options.c_str(), nullptr, nullptr))
      throw backend_error("OpenCL: the kernels \"" + std::string(source.name) +
                          "\" do not compile for " + facts_.name + " (" + options + "):\n" +
                          build_log(p->program_.get()));
    p->from_source_ = true;
    return p;
  }
  /// Stores the program if one of its kernels was first used since it was last stored.
  void store(opencl_program& p) const {
    if (cache_.folder().empty() || !p.from_source_ || !std::exchange(p.changed_, false)) return;
    std::size_t size = 0;
    if (clGetProgramInfo(p.program_.get(), CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr))
      return;
    std::string binary(size, '\0');
    char* data = binary.data();
    if (size > 0 &&
        !clGetProgramInfo(p.program_.get(), CL_PROGRAM_BINARIES, sizeof data, &data, nullptr))
      cache_.store(p.key_, binary);
  }

 private:
  std::string options_of(const program_source& source) const {
    std::string options = "-cl-std=CL1.2";
    if (source.floats() == float_model::fast)
      options += " -cl-fast-relaxed-math";
    else if (facts_.exact_division)
      options += " -cl-fp32-correctly-rounded-divide-sqrt";
    for (const std::string& d : source.definitions) options += " -D " + d;
    return options;
  }
  std::string key_of(const program_source& source) const {
    std::string key = facts_.name + '\n' + facts_.vendor + '\n' + facts_.driver + '\n' +
                      options_of(source) + '\n' + kernel::prelude_opencl;
    for (const char* text : source.texts) key += text;
    return key;
  }

  std::string build_log(cl_program p) const {
    std::size_t size = 0;
    clGetProgramBuildInfo(p, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    clGetProgramBuildInfo(p, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return log;
  }

  // A binary that the driver rejects is ignored.
  bool load_binary(cl_context context, opencl_program& p) const {
    const auto binary = cache_.load(p.key_);
    if (!binary) return false;
    const auto* bytes = reinterpret_cast<const unsigned char*>(binary->data());
    const std::size_t size = binary->size();
    cl_int accepted = CL_SUCCESS, code = CL_SUCCESS;
    opencl_program::program_handle loaded(
        clCreateProgramWithBinary(context, 1, &device_, &size, &bytes, &accepted, &code));
    if (code != CL_SUCCESS || accepted != CL_SUCCESS) return false;
    if (clBuildProgram(loaded.get(), 1, &device_, nullptr, nullptr, nullptr)) return false;
    p.program_ = std::move(loaded);
    return true;
  }

  cl_device_id device_;
  const device_facts& facts_;
  program_cache cache_ = program_cache::standard();
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
