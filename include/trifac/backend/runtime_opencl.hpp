#pragma once
// OpenCL as the device executors see it: device, queue, memory, programs, launches, with every
// handle released on every path. A CUDA runtime has the same members; device.hpp is written over
// either.

#ifndef CL_TARGET_OPENCL_VERSION
  #define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trifac/backend/device_facts.hpp"
#include "trifac/backend/program_cache.hpp"
#include "trifac/kernel/prelude_opencl.hpp"
#include "trifac/status.hpp"

#if !TRIFAC_EXCEPTIONS
  #error "the device backends need exceptions inside; their try_ calls let none out"
#endif

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Throws backend_error with the call's name and OpenCL's error number.
inline void check_opencl(cl_int code, const char* call) {
  if (code == CL_SUCCESS) return;
  if (code == CL_OUT_OF_HOST_MEMORY) throw std::bad_alloc();
  const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES;
  throw backend_error(std::string("OpenCL: ") + call + " failed with error " +
                      std::to_string(code) + (memory ? " (the device is out of memory)" : ""));
}

/// A reference to an OpenCL object; the last one releases it.
template <class Handle, auto release, auto retain>
class opencl_handle {
 public:
  opencl_handle() = default;
  /// Takes over the caller's reference.
  explicit opencl_handle(Handle h) : handle_(h) {}
  /// One more reference to an object that the caller keeps.
  static opencl_handle shared(Handle h) {
    check_opencl(retain(h), "retaining an object");
    return opencl_handle(h);
  }
  opencl_handle(opencl_handle&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  opencl_handle& operator=(opencl_handle other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~opencl_handle() {
    if (handle_) release(handle_);
  }
  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Handle{}; }

 private:
  Handle handle_{};
};

using opencl_context = opencl_handle<cl_context, clReleaseContext, clRetainContext>;
using opencl_queue = opencl_handle<cl_command_queue, clReleaseCommandQueue, clRetainCommandQueue>;
using opencl_memory = opencl_handle<cl_mem, clReleaseMemObject, clRetainMemObject>;
using opencl_program = opencl_handle<cl_program, clReleaseProgram, clRetainProgram>;
using opencl_kernel = opencl_handle<cl_kernel, clReleaseKernel, clRetainKernel>;

class opencl_runtime {
 public:
  using handle = cl_mem;         ///< what a kernel argument refers to
  using memory = opencl_memory;  ///< an allocation
  static constexpr std::string_view name = "opencl";
  static constexpr bool has_vectors = true;    ///< REALV may be wider than one element
  static constexpr bool shares_memory = true;  ///< a CPU device works on the host's memory
  static constexpr bool has_second_queue = false;
  static constexpr bool has_library = false;

  /// A new context and in-order queue for a device, a sub-device too.
  explicit opencl_runtime(cl_device_id device) : device_(device), facts_(read_facts(device)) {
    cl_int code;
    context_ = opencl_context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code));
    check_opencl(code, "clCreateContext");
    queue_ = opencl_queue(clCreateCommandQueue(context_.get(), device, 0, &code));
    check_opencl(code, "clCreateCommandQueue");
  }
  /// The caller's context and in-order queue.
  opencl_runtime(cl_context context, cl_command_queue queue)
      : device_(device_of(queue)),
        facts_(read_facts(device_)),
        context_(opencl_context::shared(context)),
        queue_(opencl_queue::shared(queue)) {
    cl_command_queue_properties properties = 0;
    check_opencl(
        clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr),
        "clGetCommandQueueInfo");
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
      throw backend_error("OpenCL: the queue runs out of order; trifac needs one that is in order");
  }

  const device_facts& facts() const { return facts_; }
  cl_context context() const { return context_.get(); }
  cl_command_queue queue() const { return queue_.get(); }

  /// Memory on the device. Throws backend_error naming the limit where one allocation cannot be so
  /// large.
  memory allocate(std::uint64_t bytes) const {
    check_size(bytes);
    return create(CL_MEM_READ_WRITE, bytes, nullptr);
  }
  /// The host's own memory as device memory, for devices that share it: nothing is copied.
  memory wrap(void* data, std::uint64_t bytes) const {
    check_size(bytes);
    return create(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, data);
  }
  /// Device memory as the host sees it until unmap(); waits for the commands before.
  void* map(handle m, std::uint64_t offset, std::uint64_t bytes) const {
    cl_int code;
    void* p = clEnqueueMapBuffer(queue(), m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, offset, bytes, 0,
                                 nullptr, nullptr, &code);
    check_opencl(code, "clEnqueueMapBuffer");
    return p;
  }
  void unmap(handle m, void* data) const {
    check_opencl(clEnqueueUnmapMemObject(queue(), m, data, 0, nullptr, nullptr),
                 "clEnqueueUnmapMemObject");
  }

  /// Copies; write and read wait until the host's memory is free again, and so for all before them.
  void write(handle to, std::uint64_t offset, const void* from, std::uint64_t bytes) const {
    if (bytes == 0) return;
    check_opencl(
        clEnqueueWriteBuffer(queue(), to, CL_TRUE, offset, bytes, from, 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
  }
  void read(handle from, std::uint64_t offset, void* to, std::uint64_t bytes) const {
    if (bytes == 0) return;
    check_opencl(
        clEnqueueReadBuffer(queue(), from, CL_TRUE, offset, bytes, to, 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  }
  /// Bytes from one allocation to another, in the queue.
  void copy(handle from, handle to, std::uint64_t bytes) const {
    check_opencl(clEnqueueCopyBuffer(queue(), from, to, 0, 0, bytes, 0, nullptr, nullptr),
                 "clEnqueueCopyBuffer");
  }
  /// Bytes set to zero, in the queue.
  void clear(handle what, std::uint64_t bytes) const {
    const cl_uchar zero = 0;
    check_opencl(clEnqueueFillBuffer(queue(), what, &zero, 1, 0, bytes, 0, nullptr, nullptr),
                 "clEnqueueFillBuffer");
  }
  /// Waits for everything in the queue.
  void finish() const { check_opencl(clFinish(queue()), "clFinish"); }
  /// Hands everything in the queue to the device without waiting.
  void flush() const { check_opencl(clFlush(queue()), "clFlush"); }

  /// A compiled program with its kernels.
  class program {
   public:
    cl_kernel kernel(const char* kernel_name) {
      const auto known = kernels_.find(std::string_view(kernel_name));
      auto& k = known != kernels_.end() ? known->second : kernels_[kernel_name];
      if (!k) {
        cl_int code;
        k = opencl_kernel(clCreateKernel(program_.get(), kernel_name, &code));
        check_opencl(code, kernel_name);
        changed_ = true;
      }
      return k.get();
    }

   private:
    friend class opencl_runtime;
    opencl_program program_;
    std::map<std::string, opencl_kernel, std::less<>> kernels_;
    std::string key_;
    bool from_source_ = false;
    bool changed_ = false;  // a kernel was used that the stored binary may not hold
  };

  /// The program of that source: from memory, from disk, or compiled now. Throws backend_error with
  /// the compiler's log.
  program& load(const program_source& source) {
    std::string name_and_definitions = source.name;
    for (const std::string& d : source.definitions) name_and_definitions += ' ' + d;
    const std::scoped_lock lock(mutex_);
    auto& slot = programs_[name_and_definitions];
    if (!slot) slot = build(source);
    return *slot;
  }
  /// How many programs are loaded.
  std::size_t programs() {
    const std::scoped_lock lock(mutex_);
    return programs_.size();
  }
  /// Stores what was compiled since the last time. After use, as some drivers compile a kernel when
  /// it first runs. Not where the driver keeps programs itself: PoCL, when asked for a binary,
  /// compiles every kernel a second time, which would double the time of a first call.
  void save_programs() {
    if (cache_.folder().empty() || facts_.keeps_programs) return;
    const std::scoped_lock lock(mutex_);
    for (auto& [key, p] : programs_)
      if (p && p->from_source_ && std::exchange(p->changed_, false)) store(*p);
  }

  /// Enqueues groups·items work-items of a kernel. Arguments by their type: handles, index_t, int,
  /// float, double.
  template <class... Arguments>
  void launch(program& from, const char* kernel_name, extent groups, extent items,
              const Arguments&... arguments) {
    const std::size_t global[2] = {groups.x * items.x, groups.y * items.y};
    const std::size_t local[2] = {items.x, items.y};
    const std::scoped_lock lock(mutex_);  // a kernel's arguments belong to the kernel
    const cl_kernel k = from.kernel(kernel_name);
    cl_uint position = 0;
    (check_opencl(clSetKernelArg(k, position++, sizeof arguments, &arguments), kernel_name), ...);
    check_opencl(clEnqueueNDRangeKernel(queue(), k, 2, nullptr, global, local, 0, nullptr, nullptr),
                 kernel_name);
  }

 private:
  memory create(cl_mem_flags flags, std::uint64_t bytes, void* data) const {
    cl_int code;
    memory m(clCreateBuffer(context_.get(), flags, bytes > 0 ? bytes : 1, data, &code));
    check_opencl(code, "clCreateBuffer");
    return m;
  }
  void check_size(std::uint64_t bytes) const {
    if (bytes > facts_.most_bytes)
      throw backend_error("OpenCL: " + std::to_string(bytes) + " bytes are wanted in one piece; " +
                          facts_.name + " allows " + std::to_string(facts_.most_bytes) +
                          " (CL_DEVICE_MAX_MEM_ALLOC_SIZE)");
  }

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

  std::unique_ptr<program> build(const program_source& source) const {
    auto p = std::make_unique<program>();
    p->key_ = key_of(source);
    if (load_binary(*p)) return p;
    std::vector<const char*> texts = {kernel::prelude_opencl};
    texts.insert(texts.end(), source.texts.begin(), source.texts.end());
    cl_int code;
    p->program_ = opencl_program(clCreateProgramWithSource(
        context_.get(), static_cast<cl_uint>(texts.size()), texts.data(), nullptr, &code));
    check_opencl(code, "clCreateProgramWithSource");
    const std::string options = options_of(source);
    if (clBuildProgram(p->program_.get(), 1, &device_, options.c_str(), nullptr, nullptr))
      throw backend_error("OpenCL: the kernels \"" + std::string(source.name) +
                          "\" do not compile for " + facts_.name + " (" + options + "):\n" +
                          build_log(p->program_.get()));
    p->from_source_ = true;
    return p;
  }
  std::string build_log(cl_program p) const {
    std::size_t size = 0;
    clGetProgramBuildInfo(p, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    clGetProgramBuildInfo(p, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return log;
  }

  // A binary that the driver refuses is as good as none.
  bool load_binary(program& p) const {
    const auto binary = cache_.load(p.key_);
    if (!binary) return false;
    const auto* bytes = reinterpret_cast<const unsigned char*>(binary->data());
    const std::size_t size = binary->size();
    cl_int accepted = CL_SUCCESS, code = CL_SUCCESS;
    opencl_program loaded(
        clCreateProgramWithBinary(context_.get(), 1, &device_, &size, &bytes, &accepted, &code));
    if (code != CL_SUCCESS || accepted != CL_SUCCESS) return false;
    if (clBuildProgram(loaded.get(), 1, &device_, nullptr, nullptr, nullptr)) return false;
    p.program_ = std::move(loaded);
    return true;
  }
  void store(const program& p) const {
    std::size_t size = 0;
    if (clGetProgramInfo(p.program_.get(), CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr))
      return;
    std::string binary(size, '\0');
    char* data = binary.data();
    if (size > 0 &&
        !clGetProgramInfo(p.program_.get(), CL_PROGRAM_BINARIES, sizeof data, &data, nullptr))
      cache_.store(p.key_, binary);
  }

  template <class Value>
  static Value info(cl_device_id device, cl_device_info what) {
    Value value{};
    check_opencl(clGetDeviceInfo(device, what, sizeof value, &value, nullptr), "clGetDeviceInfo");
    return value;
  }
  static std::string text(cl_device_id device, cl_device_info what) {
    std::size_t size = 0;
    check_opencl(clGetDeviceInfo(device, what, 0, nullptr, &size), "clGetDeviceInfo");
    std::string value(size, '\0');
    check_opencl(clGetDeviceInfo(device, what, size, value.data(), nullptr), "clGetDeviceInfo");
    return value.substr(0, value.find('\0'));
  }
  // PoCL does, unless its users forbid it.
  static bool keeps_programs(cl_device_id device) {
    const char* const setting = std::getenv("POCL_KERNEL_CACHE");
    const std::string version = text(device, CL_DEVICE_VERSION);
    return (version.find("PoCL") != version.npos || version.find("pocl") != version.npos) &&
           !(setting && std::string_view(setting) == "0");
  }
  static cl_device_id device_of(cl_command_queue queue) {
    cl_device_id device = nullptr;
    check_opencl(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr),
                 "clGetCommandQueueInfo");
    return device;
  }
  static device_facts read_facts(cl_device_id device) {
    device_facts f;
    f.name = text(device, CL_DEVICE_NAME);
    f.vendor = text(device, CL_DEVICE_VENDOR);
    f.driver = text(device, CL_DEVICE_VERSION) + ' ' + text(device, CL_DRIVER_VERSION);
    f.is_cpu = info<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU;
    f.has_double = info<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    f.keeps_programs = keeps_programs(device);
    f.exact_division = info<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG) &
                       CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    f.units = static_cast<int>(info<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS));
    f.float_width = static_cast<int>(info<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
    f.double_width = static_cast<int>(info<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE));
    f.most_items = info<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    f.local_bytes = info<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
    f.most_bytes = info<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    f.all_bytes = info<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    return f;
  }

  cl_device_id device_;
  device_facts facts_;
  opencl_context context_;
  opencl_queue queue_;
  program_cache cache_ = program_cache::standard();
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<program>> programs_;  // by name and definitions
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
