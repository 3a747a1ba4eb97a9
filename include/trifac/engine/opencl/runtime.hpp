#pragma once
// OpenCL as a runtime of the device executors: device, queue, memory, programs, launches, all
// released by destructors. Counterpart of cuda/runtime.hpp; device/ works with either.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "trifac/engine/device/program_table.hpp"
#include "trifac/engine/opencl/facts.hpp"
#include "trifac/engine/opencl/program.hpp"

#if !TRIFAC_EXCEPTIONS
  #error "the device backends need exceptions inside; their try_ calls let none out"
#endif

namespace trifac::device {
inline namespace TRIFAC_ABI {

class opencl_runtime {
 public:
  using handle = cl_mem;         ///< a kernel argument
  using memory = opencl_memory;  ///< an allocation
  using program = opencl_program;
  static constexpr std::string_view name = "opencl";
  static constexpr bool has_vectors = true;    ///< REALV may be wider than one element
  static constexpr bool shares_memory = true;  ///< a CPU device works on host memory
  static constexpr bool has_second_queue = false;
  static constexpr bool has_clusters = false;
  static constexpr bool has_library = false;
  static constexpr bool has_staging = false;

  /// Creates a context and an in-order queue for a device or sub-device.
  explicit opencl_runtime(cl_device_id device)
      : device_(device), facts_(read_opencl_facts(device)) {
    cl_int code;
    context_ = opencl_context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code));
    check_opencl(code, "clCreateContext");
    queue_ = opencl_queue(clCreateCommandQueue(context_.get(), device, 0, &code));
    check_opencl(code, "clCreateCommandQueue");
  }
  /// Uses the caller's context and in-order queue.
  opencl_runtime(cl_context context, cl_command_queue queue)
      : device_(device_of(queue)),
        facts_(read_opencl_facts(device_)),
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

  /// Throws backend_error with the limit if one allocation cannot be this large.
  void check_size(std::uint64_t bytes) const {
    if (bytes > facts_.most_bytes)
      throw backend_error("OpenCL: " + std::to_string(bytes) + " bytes are wanted in one piece; " +
                          facts_.name + " allows " + std::to_string(facts_.most_bytes) +
                          " (CL_DEVICE_MAX_MEM_ALLOC_SIZE)");
  }
  /// Device memory of a size that passes check_size().
  memory allocate(std::uint64_t bytes) const {
    check_size(bytes);
    return create(CL_MEM_READ_WRITE, bytes, nullptr);
  }
  /// Host memory as device memory without a copy, for devices that share it.
  memory wrap(void* data, std::uint64_t bytes) const {
    check_size(bytes);
    return create(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, data);
  }
  /// Maps device memory for the host until unmap(); waits for earlier commands.
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

  /// Returns shared memory to the host once the commands so far have completed. One wait then
  /// serves several pieces: each wait wakes PoCL's thread and the caller's (two pieces, a busy
  /// core: 133 µs for a small call with one wait each, 38 µs with one for both).
  void give_back(handle m, std::uint64_t bytes) const {
    cl_int code;
    void* p = clEnqueueMapBuffer(queue(), m, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                 nullptr, nullptr, &code);
    check_opencl(code, "clEnqueueMapBuffer");
    unmap(m, p);
  }

  /// Copies; write and read wait until the host memory may be reused, hence for all earlier
  /// commands.
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
  /// Copies bytes between allocations, in queue order.
  void copy(handle from, handle to, std::uint64_t bytes) const {
    check_opencl(clEnqueueCopyBuffer(queue(), from, to, 0, 0, bytes, 0, nullptr, nullptr),
                 "clEnqueueCopyBuffer");
  }
  /// Sets bytes to zero, in queue order.
  void clear(handle what, std::uint64_t bytes) const {
    const cl_uchar zero = 0;
    check_opencl(clEnqueueFillBuffer(queue(), what, &zero, 1, 0, bytes, 0, nullptr, nullptr),
                 "clEnqueueFillBuffer");
  }
  /// Waits for all commands in the queue.
  void finish() const { check_opencl(clFinish(queue()), "clFinish"); }
  /// Submits all commands in the queue to the device without waiting.
  void flush() const { check_opencl(clFlush(queue()), "clFlush"); }

  /// The program of that source: from memory, from disk, or compiled. Throws backend_error with the
  /// compiler's log.
  program& load(const program_source& source) {
    return programs_.find(source, [&] { return maker_.make(context_.get(), source); });
  }
  /// Number of loaded programs.
  std::size_t programs() { return programs_.size(); }
  /// Stores programs compiled since the last call. Called after use, since some drivers compile a
  /// kernel at its first launch. Skipped if the driver caches programs: PoCL would compile every
  /// kernel again to produce a binary, doubling the time of a first call.
  void save_programs() {
    if (facts_.keeps_programs) return;
    const std::scoped_lock lock(mutex_);
    programs_.for_each([&](program& p) { maker_.store(p); });
  }

  /// Enqueues groups·items work-items of a kernel. Argument types: handles, index_t, int, float,
  /// double.
  template <class... Arguments>
  void launch(program& from, const char* kernel_name, extent groups, extent items,
              const Arguments&... arguments) {
    const std::size_t global[2] = {groups.x * items.x, groups.y * items.y};
    const std::size_t local[2] = {items.x, items.y};
    const std::scoped_lock lock(mutex_);  // arguments are state of the kernel object
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

  static cl_device_id device_of(cl_command_queue queue) {
    cl_device_id device = nullptr;
    check_opencl(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr),
                 "clGetCommandQueueInfo");
    return device;
  }

  cl_device_id device_;
  device_facts facts_;
  opencl_context context_;
  opencl_queue queue_;
  opencl_program_maker maker_{device_, facts_};
  std::mutex mutex_;  // protects the programs' kernels and their arguments
  program_table<program> programs_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
