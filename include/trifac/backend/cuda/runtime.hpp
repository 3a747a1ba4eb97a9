#pragma once
// CUDA as the device executors see it: device, stream, memory, programs, launches, with everything
// released on every path. The twin of opencl/runtime.hpp: device/ is written over either.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trifac/backend/cuda/error.hpp"
#include "trifac/backend/cuda/facts.hpp"
#include "trifac/backend/cuda/handles.hpp"
#include "trifac/backend/cuda/pool.hpp"
#include "trifac/backend/cuda/program.hpp"
#include "trifac/backend/device/facts.hpp"
#include "trifac/backend/device/program_table.hpp"

// Defined as 0 where there is no cuBLAS: all products are ours then.
#ifndef TRIFAC_CUBLAS
  #define TRIFAC_CUBLAS 1
#endif
#if TRIFAC_CUBLAS
  #include "trifac/backend/cuda/blas.hpp"
#endif

namespace trifac::device {
inline namespace TRIFAC_ABI {

class cuda_runtime {
 public:
  using handle = void*;        ///< what a kernel argument refers to
  using memory = cuda_memory;  ///< an allocation
  using program = cuda_program;
  static constexpr std::string_view name = "cuda";
  static constexpr bool has_vectors = false;    ///< REALV is one element
  static constexpr bool shares_memory = false;  ///< matrices of the host are copied
  static constexpr bool has_second_queue = true;
  static constexpr bool has_library = TRIFAC_CUBLAS;

  /// A new stream on a device.
  explicit cuda_runtime(int device) : device_(device), facts_(read_cuda_facts(device)) {
    const cuda_device_scope here(device_);
    stream_ = std::make_unique<cuda_stream>(0);
    make_rest();
  }
  /// The caller's stream, which must outlive this.
  explicit cuda_runtime(cudaStream_t stream)
      : device_(device_of(stream)),
        facts_(read_cuda_facts(device_)),
        stream_(std::make_unique<cuda_stream>(stream)) {
    const cuda_device_scope here(device_);
    make_rest();
  }
  cuda_runtime(const cuda_runtime&) = delete;
  cuda_runtime& operator=(const cuda_runtime&) = delete;
  /// Waits: kernels under way still have their programs, and cuBLAS its workspace.
  ~cuda_runtime() {
    try {
      const cuda_device_scope here(device_);
      for (const auto* s : {second_stream_.get(), stream_.get()})
        if (cudaStreamSynchronize(s->get()) != cudaSuccess) static_cast<void>(cudaGetLastError());
    } catch (...) {  // the device is lost: nothing runs any more
    }
  }

  const device_facts& facts() const { return facts_; }
  int device() const { return device_; }
  cudaStream_t stream() const { return stream_->get(); }

  /// Memory on the device. Throws device_error with out_of_memory where there is not so much, or
  /// of any kind while a graph is recorded.
  memory allocate(std::uint64_t bytes) const { return allocate_in(stream(), bytes); }
  /// Memory for work in the second stream.
  memory allocate_beside(std::uint64_t bytes) const {
    return allocate_in(second_stream_->get(), bytes);
  }
  /// How often there was something to allocate.
  std::uint64_t allocations() const { return allocations_; }
  /// While a graph is recorded nothing is freed: end_recording() returns what would have been freed, which
  /// the graph may use.
  void begin_recording() { pool_->hold(); }
  std::vector<memory> end_recording() { return pool_->let_go(); }

  /// Copies; write and read wait until the host's memory is free again, and so for all before them.
  void write(handle to, std::uint64_t offset, const void* from, std::uint64_t bytes) const {
    copy_and_wait(at(to, offset), from, bytes, cudaMemcpyHostToDevice);
  }
  void read(handle from, std::uint64_t offset, void* to, std::uint64_t bytes) const {
    copy_and_wait(to, at(from, offset), bytes, cudaMemcpyDeviceToHost);
  }
  /// Bytes from one allocation to another, in the stream.
  void copy(handle from, handle to, std::uint64_t bytes) const {
    const cuda_device_scope here(device_);
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()),
               "cudaMemcpyAsync");
  }
  /// Bytes set to zero, in the stream.
  void clear(handle what, std::uint64_t bytes) const {
    const cuda_device_scope here(device_);
    check_cuda(cudaMemsetAsync(what, 0, bytes, stream()), "cudaMemsetAsync");
  }
  /// Waits for everything in the stream.
  void finish() const { check_cuda(cudaStreamSynchronize(stream()), "cudaStreamSynchronize"); }
  /// A stream is never held back: nothing to do.
  void flush() const {}

  /// The program of that source: from memory, from disk, or compiled now. Throws backend_error with
  /// the compiler's log.
  program& load(const program_source& source) {
    return programs_.find(source, [&] {
      const cuda_device_scope here(device_);
      return maker_.make(source);
    });
  }
  /// How many programs are loaded.
  std::size_t programs() { return programs_.size(); }
  /// Programs are stored when they are compiled: nothing to do.
  void save_programs() const {}

  /// Enqueues groups·items threads of a kernel. Arguments by their type: handles, index_t, int,
  /// float, double. Throws backend_error where they are not the kernel's parameters.
  template <class... Arguments>
  void launch(program& from, const char* kernel_name, extent groups, extent items,
              const Arguments&... arguments) {
    launch_in(stream(), from, kernel_name, groups, items, arguments...);
  }
  /// The same in the second stream, where a second_queue lives.
  template <class... Arguments>
  void launch_beside(program& from, const char* kernel_name, extent groups, extent items,
                     const Arguments&... arguments) {
    launch_in(second_stream_->get(), from, kernel_name, groups, items, arguments...);
  }

  /// From here on the second stream runs beside the first, behind what that has now; join() makes
  /// the first wait for it, and so does the end of this.
  class second_queue {
   public:
    explicit second_queue(cuda_runtime& r) : runtime_(&r) {
      r.order(r.stream(), r.second_stream_->get());
    }
    second_queue(const second_queue&) = delete;
    second_queue& operator=(const second_queue&) = delete;
    ~second_queue() {
      try {
        join();
      } catch (...) {  // the device is lost: nothing runs any more
      }
    }
    void join() {
      if (cuda_runtime* const r = std::exchange(runtime_, nullptr))
        r->order(r->second_stream_->get(), r->stream());
    }

   private:
    cuda_runtime* runtime_;
  };

#if TRIFAC_CUBLAS
  /// cuBLAS in the stream, or in the second one.
  const cuda_blas& library(device_queue queue = device_queue::first) {
    const std::scoped_lock lock(mutex_);
    auto& made = libraries_[static_cast<std::size_t>(queue)];
    if (!made) {
      const cudaStream_t in =
          queue == device_queue::second ? second_stream_->get() : stream_->get();
      const std::uint64_t bytes = cuda_blas::workspace_bytes(facts_.capability);
      made = std::make_unique<cuda_blas>(device_, in, allocate_in(in, bytes), bytes);
    }
    return *made;
  }
#endif

  /// A place in an allocation.
  static handle at(handle p, std::uint64_t offset) {
    return static_cast<std::byte*>(p) + offset;
  }

 private:
  memory allocate_in(cudaStream_t to, std::uint64_t bytes) const {
    const cuda_device_scope here(device_);
    memory made = pool_->allocate(bytes, to, facts_.name);
    ++allocations_;
    return made;
  }
  template <class... Arguments>
  void launch_in(cudaStream_t to, program& from, const char* kernel_name, extent groups,
                 extent items, const Arguments&... arguments) {
    const std::array<std::size_t, sizeof...(Arguments)> sizes = {sizeof(Arguments)...};
    std::array<const void*, sizeof...(Arguments)> values = {&arguments...};
    const cuda_device_scope here(device_);
    cudaKernel_t kernel = find(from, kernel_name, sizes);
    const auto shape = [](extent e) {
      return dim3{static_cast<unsigned>(e.x), static_cast<unsigned>(e.y), 1};
    };
    check_cuda(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), shape(groups), shape(items),
                                const_cast<void**>(values.data()), 0, to),
               kernel_name);
  }
  // What comes into `later` waits for what is in `earlier` now.
  void order(cudaStream_t earlier, cudaStream_t later) {
    const cuda_device_scope here(device_);
    const std::scoped_lock lock(mutex_);  // the event belongs to one pair at a time
    check_cuda(cudaEventRecord(event_->get(), earlier), "cudaEventRecord");
    check_cuda(cudaStreamWaitEvent(later, event_->get(), 0), "cudaStreamWaitEvent");
  }
  void make_rest() {
    int least = 0, greatest = 0;
    check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest),
               "cudaDeviceGetStreamPriorityRange");
    second_stream_ = std::make_unique<cuda_stream>(greatest);
    event_ = std::make_unique<cuda_event>();
    pool_ = std::make_unique<cuda_pool>(device_, facts_.all_bytes / 4);
  }

  void copy_and_wait(void* to, const void* from, std::uint64_t bytes, cudaMemcpyKind kind) const {
    if (bytes == 0) return;
    const cuda_device_scope here(device_);
    check_cuda(cudaMemcpyAsync(to, from, bytes, kind, stream()), "cudaMemcpyAsync");
    finish();
  }

  // The kernel, whose parameters must have those sizes: CUDA is given addresses only and would read
  // whatever lies there.
  template <std::size_t Count>
  cudaKernel_t find(program& from, const char* kernel_name,
                    const std::array<std::size_t, Count>& sizes) {
    const std::scoped_lock lock(mutex_);
    const program::entry& k = from.kernel(kernel_name);
    if (!std::equal(k.sizes.begin(), k.sizes.end(), sizes.begin(), sizes.end()))
      throw backend_error("CUDA: the arguments for the kernel \"" + std::string(kernel_name) +
                          "\" are not its parameters");
    return k.kernel;
  }

  static int device_of(cudaStream_t stream) {
    int device = 0;
    check_cuda(cudaStreamGetDevice(stream, &device), "cudaStreamGetDevice");
    return device;
  }
  int device_;
  cuda_facts facts_;
  std::unique_ptr<cuda_stream> stream_, second_stream_;
  std::unique_ptr<cuda_event> event_;
  std::unique_ptr<cuda_pool> pool_;
#if TRIFAC_CUBLAS
  std::array<std::unique_ptr<cuda_blas>, 2> libraries_;  // by queue, each when it is first used
#endif
  mutable std::atomic<std::uint64_t> allocations_{0};
  cuda_program_maker maker_{facts_.capability};
  std::mutex mutex_;
  program_table<program> programs_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
