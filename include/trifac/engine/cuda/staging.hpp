#pragma once
// Copies between a CUDA device and host memory with packing: two alternating pinned pieces, one
// filled or read while the other is copied.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "trifac/engine/cuda/handles.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Created on the current device, on which all calls are made. Destroy after its copies have ended.
class cuda_staging {
 public:
  static constexpr index_t piece_bytes = index_t{4} << 20;

  /// Copies to the device what fill(piece, from, elements) writes to pieces. Returns when the last
  /// piece is filled.
  template <class T, class Fill>
  void write(cudaStream_t stream, T* to, index_t count, Fill fill) {
    constexpr index_t most = piece_bytes / index_t{sizeof(T)};
    const std::scoped_lock lock(mutex_);
    for (index_t at = 0; at < count; at += most) {
      piece& p = next();
      const index_t elements = std::min(most, count - at);
      p.wait();
      fill(static_cast<T*>(p.data()), at, elements);
      p.copy<T>(to + at, p.data(), elements, cudaMemcpyHostToDevice, stream);
    }
  }
  /// Calls use(piece, from, elements) for the device's elements in order. Waits.
  template <class T, class Use>
  void read(cudaStream_t stream, const T* from, index_t count, Use use) {
    constexpr index_t most = piece_bytes / index_t{sizeof(T)};
    const std::scoped_lock lock(mutex_);
    piece* before = nullptr;
    for (index_t at = 0; at < count || before; at += most) {
      piece* now = nullptr;
      if (at < count) {
        now = &next();
        now->wait();
        now->copy<T>(now->data(), from + at, std::min(most, count - at), cudaMemcpyDeviceToHost,
                     stream);
      }
      if (before) {
        before->wait();
        use(static_cast<const T*>(before->data()), at - most, std::min(most, count - at + most));
      }
      before = now;
    }
  }

 private:
  class piece {
   public:
    piece() {
      void* p = nullptr;
      check_cuda(cudaMallocHost(&p, piece_bytes), "cudaMallocHost");
      data_.reset(p);
    }
    void* data() const { return data_.get(); }
    /// Waits for the last copy of this piece.
    void wait() { check_cuda(cudaEventSynchronize(copied_.get()), "cudaEventSynchronize"); }
    template <class T>
    void copy(void* to, const void* from, index_t elements, cudaMemcpyKind kind,
              cudaStream_t stream) {
      const auto bytes = static_cast<std::size_t>(elements) * sizeof(T);
      check_cuda(cudaMemcpyAsync(to, from, bytes, kind, stream), "cudaMemcpyAsync");
      check_cuda(cudaEventRecord(copied_.get(), stream), "cudaEventRecord");
    }

   private:
    struct free {
      void operator()(void* p) const { cudaFreeHost(p); }
    };
    std::unique_ptr<void, free> data_;
    cuda_event copied_;
  };

  piece& next() {
    auto& p = pieces_[turn_];
    turn_ = 1 - turn_;
    if (!p) p = std::make_unique<piece>();
    return *p;
  }

  std::mutex mutex_;
  std::array<std::unique_ptr<piece>, 2> pieces_;
  std::size_t turn_ = 0;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
