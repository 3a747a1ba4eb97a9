#pragma once
// Memory of a CUDA device: a pool per session.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "trifac/engine/cuda/handles.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

class cuda_pool;

/// An allocation, freed in stream order: commands enqueued before may still use it.
class cuda_memory {
 public:
  cuda_memory() = default;
  cuda_memory(void* data, cuda_pool* pool, cudaStream_t stream)
      : data_(data), pool_(pool), stream_(stream) {}
  cuda_memory(cuda_memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), pool_(other.pool_), stream_(other.stream_) {}
  cuda_memory& operator=(cuda_memory other) noexcept {
    std::swap(data_, other.data_);
    std::swap(pool_, other.pool_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  inline ~cuda_memory();
  void* get() const { return data_; }

 private:
  void* data_ = nullptr;
  cuda_pool* pool_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

/// The memory of a session. The device's default pool returns free memory to the driver at every
/// synchronization, and the next call must map it again; this pool retains up to `kept` bytes.
class cuda_pool {
 public:
  cuda_pool(int device, std::uint64_t kept) : device_(device) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {.type = cudaMemLocationTypeDevice, .id = device};
    check_cuda(cudaMemPoolCreate(&pool_, &properties), "cudaMemPoolCreate");
    const cudaError_t code = cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &kept);
    if (code != cudaSuccess) cudaMemPoolDestroy(pool_);
    check_cuda(code, "cudaMemPoolSetAttribute");
  }
  cuda_pool(const cuda_pool&) = delete;
  cuda_pool& operator=(const cuda_pool&) = delete;
  ~cuda_pool() { cudaMemPoolDestroy(pool_); }

  /// Throws device_error: out_of_memory with the name of the device; `other` while a graph is
  /// recorded, since replays would not use that memory.
  cuda_memory allocate(std::uint64_t bytes, cudaStream_t stream, const std::string& device) {
    refuse_while_recording("allocates memory");
    void* data = nullptr;
    const auto size = static_cast<std::size_t>(bytes > 0 ? bytes : 1);
    if (const cudaError_t code = cudaMallocFromPoolAsync(&data, size, pool_, stream))
      check_cuda(
          code,
          ("cudaMallocFromPoolAsync of " + std::to_string(bytes) + " bytes on " + device).c_str());
    return {data, this, stream};
  }
  /// Frees an allocation in stream order.
  void release(void* data, cudaStream_t stream) noexcept {
    try {
      const std::scoped_lock lock(mutex_);
      if (holding_) {  // a recording stream must not free
        held_.emplace_back(data, this, stream);
        return;
      }
    } catch (...) {  // no memory for the list: leaked until the pool is destroyed
      return;
    }
    // A caller's default stream refers to the current device.
    end_on_device(device_, [&] { cudaFreeAsync(data, stream); });
  }

  /// Gives another device access to this memory if possible; queries the driver once per device.
  void open_to(int peer, int owner) {
    if (peer == owner) return;
    const std::scoped_lock lock(mutex_);
    if (std::find(peers_.begin(), peers_.end(), peer) != peers_.end()) return;
    int can = 0;
    check_cuda(cudaDeviceCanAccessPeer(&can, peer, owner), "cudaDeviceCanAccessPeer");
    if (can) {  // else copies go through host memory
      cudaMemAccessDesc access{};
      access.location = {.type = cudaMemLocationTypeDevice, .id = peer};
      access.flags = cudaMemAccessFlagsProtReadWrite;
      check_cuda(cudaMemPoolSetAccess(pool_, &access, 1), "cudaMemPoolSetAccess");
    }
    peers_.push_back(peer);
  }
  /// Throws device_error while a graph is recorded, since replays would not repeat `call`.
  void refuse_while_recording(const char* call) {
    const std::scoped_lock lock(mutex_);
    if (holding_)
      throw device_error(device_fault::other, std::string("CUDA: a call that is recorded ") + call);
  }

  /// Defers all frees until let_go(), which returns the deferred allocations.
  void hold() {
    const std::scoped_lock lock(mutex_);
    holding_ = true;
  }
  std::vector<cuda_memory> let_go() {
    const std::scoped_lock lock(mutex_);
    holding_ = false;
    return std::exchange(held_, {});
  }

 private:
  int device_;
  cudaMemPool_t pool_ = nullptr;
  std::mutex mutex_;
  bool holding_ = false;
  std::vector<cuda_memory> held_;
  std::vector<int> peers_;  // devices that open_to() has handled
};

inline cuda_memory::~cuda_memory() {
  if (data_) pool_->release(data_, stream_);
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
