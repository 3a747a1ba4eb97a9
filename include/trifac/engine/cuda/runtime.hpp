#pragma once
// CUDA as a runtime of the device executors: device, stream, memory, programs, launches, all
// released by destructors. Counterpart of opencl/runtime.hpp; device/ works with either.

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "trifac/engine/cuda/error.hpp"
#include "trifac/engine/cuda/facts.hpp"
#include "trifac/engine/cuda/handles.hpp"
#include "trifac/engine/cuda/pool.hpp"
#include "trifac/engine/cuda/program.hpp"
#include "trifac/engine/cuda/staging.hpp"
#include "trifac/engine/cuda/streams.hpp"
#include "trifac/engine/device/facts.hpp"
#include "trifac/engine/device/program_table.hpp"

// Define as 0 to build without cuBLAS: all products then use trifac's kernels.
#ifndef TRIFAC_CUBLAS
  #define TRIFAC_CUBLAS 1
#endif
#if TRIFAC_CUBLAS
  #include "trifac/engine/cuda/blas.hpp"
#endif

namespace trifac::device {
inline namespace TRIFAC_ABI {

class cuda_runtime {
 public:
  using handle = void*;        ///< a kernel argument
  using memory = cuda_memory;  ///< an allocation
  using program = cuda_program;
  static constexpr std::string_view name = "cuda";
  static constexpr bool has_vectors = false;    ///< REALV is one element
  static constexpr bool shares_memory = false;  ///< host matrices are copied
  static constexpr bool has_second_queue = true;
  static constexpr bool has_clusters = true;  ///< launch_cluster, if facts().cluster > 1
  static constexpr bool has_library = TRIFAC_CUBLAS;
  static constexpr bool has_staging = true;  ///< write_pieces, read_pieces

  /// Creates a stream on a device.
  explicit cuda_runtime(int device) : device_(device), facts_(read_cuda_facts(device)) {
    const cuda_device_scope current(device_);
    streams_ = std::make_unique<cuda_streams>();
    make_rest();
  }
  /// Uses the caller's stream, which must outlive this object.
  explicit cuda_runtime(cudaStream_t stream)
      : device_(device_of(stream)), facts_(read_cuda_facts(device_)) {
    const cuda_device_scope current(device_);
    streams_ = std::make_unique<cuda_streams>(stream);
    make_rest();
  }
  cuda_runtime(const cuda_runtime&) = delete;
  cuda_runtime& operator=(const cuda_runtime&) = delete;
  /// Waits: running kernels need their programs and cuBLAS its workspace.
  ~cuda_runtime() {
    try {
      const cuda_device_scope current(device_);
      for (cudaStream_t s : {second_stream(), stream()})
        if (cudaStreamSynchronize(s) != cudaSuccess) static_cast<void>(cudaGetLastError());
    } catch (...) {  // the device is lost and runs nothing any more
    }
  }

  const device_facts& facts() const { return facts_; }
  int device() const { return device_; }
  cudaStream_t stream() const { return streams_->first(); }

  /// Device memory. Throws device_error: out_of_memory, or `other` while a graph is recorded.
  memory allocate(std::uint64_t bytes) const { return allocate_in(stream(), bytes); }
  /// Memory for commands of the second stream.
  memory allocate_in_second_queue(std::uint64_t bytes) const {
    return allocate_in(second_stream(), bytes);
  }
  /// Number of allocations so far.
  std::uint64_t allocations() const { return allocations_; }
  /// While a graph is recorded, nothing is freed: end_recording() returns the allocations whose
  /// release was deferred, which the graph may use.
  void begin_recording() { pool_->hold(); }
  std::vector<memory> end_recording() { return pool_->let_go(); }

  /// Copies; write and read wait until the host memory may be reused, hence for all earlier
  /// commands.
  void write(handle to, std::uint64_t offset, const void* from, std::uint64_t bytes) const {
    copy_and_wait(at(to, offset), from, bytes, cudaMemcpyHostToDevice);
  }
  void read(handle from, std::uint64_t offset, void* to, std::uint64_t bytes) const {
    copy_and_wait(to, at(from, offset), bytes, cudaMemcpyDeviceToHost);
  }
  /// Copies bytes between allocations, in stream order.
  void copy(handle from, handle to, std::uint64_t bytes) const {
    const cuda_device_scope current(device_);
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()),
               "cudaMemcpyAsync");
  }
  /// Copies bytes from an allocation of another session, on the same or another device, to one of
  /// this session: after all earlier and before all later commands of both streams.
  void copy_from(cuda_runtime& other, handle from, handle to, std::uint64_t bytes) {
    if (&other == this) return copy(from, to, bytes);
    for (cuda_pool* pool : {pool_.get(), other.pool_.get()})
      pool->refuse_while_recording("copies between sessions");
    other.pool_->open_to(device_, other.device_);
    {
      const cuda_device_scope other_device(other.device_);
      other.streams_->order(other.stream(), stream());
    }
    const cuda_device_scope current(device_);
    check_cuda(cudaMemcpyPeerAsync(to, device_, from, other.device_, bytes, stream()),
               "cudaMemcpyPeerAsync");
    streams_->order(stream(), other.stream());
  }
  /// Copies with packing or unpacking: see cuda_staging.
  template <class T, class Fill>
  void write_pieces(handle to, index_t count, Fill fill) {
    pool_->refuse_while_recording("copies from the host's memory");
    const cuda_device_scope current(device_);
    staging_->write(stream(), static_cast<T*>(to), count, fill);
  }
  template <class T, class Use>
  void read_pieces(handle from, index_t count, Use use) {
    pool_->refuse_while_recording("copies to the host's memory");
    const cuda_device_scope current(device_);
    staging_->read(stream(), static_cast<const T*>(from), count, use);
  }
  /// Sets bytes to zero, in stream order.
  void clear(handle what, std::uint64_t bytes) const {
    const cuda_device_scope current(device_);
    check_cuda(cudaMemsetAsync(what, 0, bytes, stream()), "cudaMemsetAsync");
  }
  /// Waits for all commands in the stream.
  void finish() const {
    const cuda_device_scope current(device_);  // a caller's default stream is of this one
    check_cuda(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
  }
  /// No-op: streams submit at once.
  void flush() const {}

  /// The program of that source: from memory, from disk, or compiled. Throws backend_error with the
  /// compiler's log.
  program& load(const program_source& source) {
    return programs_.find(source, [&] {
      const cuda_device_scope current(device_);
      return maker_.make(source);
    });
  }
  /// Number of loaded programs.
  std::size_t programs() { return programs_.size(); }
  /// No-op: programs are stored when compiled.
  void save_programs() const {}

  /// Enqueues a kernel with cuda_program::launch. Argument types: handles, index_t, int, float,
  /// double.
  template <class... Arguments>
  void launch(program& from, const char* kernel_name, extent groups, extent items,
              const Arguments&... arguments) {
    const cuda_device_scope current(device_);
    from.launch(stream(), kernel_name, groups, items, arguments...);
  }
  /// The same in the second stream, for a second_queue.
  template <class... Arguments>
  void launch_in_second_queue(program& from, const char* kernel_name, extent groups, extent items,
                              const Arguments&... arguments) {
    const cuda_device_scope current(device_);
    from.launch(second_stream(), kernel_name, groups, items, arguments...);
  }
  /// One cluster of groups, in either stream; false if the device does not support it.
  template <class... Arguments>
  bool launch_cluster(program& from, device_queue in, const char* kernel_name, int groups,
                      extent items, const Arguments&... arguments) {
    const cuda_device_scope current(device_);
    return from.launch_cluster(in == device_queue::second ? second_stream() : stream(), kernel_name,
                               groups, items, arguments...);
  }

  /// Concurrent work in the second stream.
  struct second_queue : cuda_second_queue {
    explicit second_queue(cuda_runtime& r) : cuda_second_queue(*r.streams_, r.device_) {}
  };

#if TRIFAC_CUBLAS
  /// cuBLAS on the first or second stream.
  const cuda_blas& library(device_queue queue = device_queue::first) {
    const std::scoped_lock lock(mutex_);
    auto& made = libraries_[static_cast<std::size_t>(queue)];
    if (!made) {
      const cudaStream_t in = queue == device_queue::second ? second_stream() : stream();
      const std::uint64_t bytes = cuda_blas::workspace_bytes(facts_.capability);
      made = std::make_unique<cuda_blas>(device_, in, allocate_in(in, bytes), bytes);
    }
    return *made;
  }
#endif

  /// An address within an allocation.
  static handle at(handle p, std::uint64_t offset) {
    return static_cast<std::byte*>(p) + offset;
  }

 private:
  memory allocate_in(cudaStream_t to, std::uint64_t bytes) const {
    const cuda_device_scope current(device_);
    memory made = pool_->allocate(bytes, to, facts_.name);
    ++allocations_;
    return made;
  }
  cudaStream_t second_stream() const {
    return streams_->second();
  }
  void make_rest() {
    pool_ = std::make_unique<cuda_pool>(device_, facts_.all_bytes / 4);
    staging_ = std::make_unique<cuda_staging>();
  }

  void copy_and_wait(void* to, const void* from, std::uint64_t bytes, cudaMemcpyKind kind) const {
    if (bytes == 0) return;
    const cuda_device_scope current(device_);
    check_cuda(cudaMemcpyAsync(to, from, bytes, kind, stream()), "cudaMemcpyAsync");
    finish();
  }

  static int device_of(cudaStream_t stream) {
    int device = 0;
    check_cuda(cudaStreamGetDevice(stream, &device), "cudaStreamGetDevice");
    return device;
  }
  int device_;
  cuda_facts facts_;
  std::unique_ptr<cuda_streams> streams_;
  std::unique_ptr<cuda_pool> pool_;
  std::unique_ptr<cuda_staging> staging_;
#if TRIFAC_CUBLAS
  std::array<std::unique_ptr<cuda_blas>, 2> libraries_;  // by queue, created at first use
#endif
  mutable std::atomic<std::uint64_t> allocations_{0};
  cuda_program_maker maker_{facts_.capability};
  std::mutex mutex_;
  program_table<program> programs_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
