#pragma once
// A matrix in device memory as the host sees it.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trifac/backend/device/view.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Whether what the host does with a matrix goes back to the device.
enum class host_access { read, read_and_write };

/// A matrix in device memory as the host sees it while this lives; beginning and end wait for the
/// device. Memory that the host cannot see is copied, and back where it is written to: all that lies
/// between the first and the last element.
template <class Runtime, class T>
class host_window {
 public:
  using view_type = device_view<T, typename Runtime::handle>;

  host_window(Runtime& runtime, const view_type& A, host_access access)
      : runtime_(runtime), memory_(A.memory()), access_(access) {
    const index_t down = (A.rows() - 1) * A.row_stride(), along = (A.cols() - 1) * A.col_stride();
    const index_t lowest = std::min<index_t>(down, 0) + std::min<index_t>(along, 0);
    const index_t highest = std::max<index_t>(down, 0) + std::max<index_t>(along, 0);
    offset_ = static_cast<std::uint64_t>(A.offset() + lowest) * sizeof(T);
    const auto count = static_cast<std::size_t>(highest - lowest + 1);
    if constexpr (Runtime::shares_memory) {
      data_ = static_cast<T*>(runtime_.map(memory_, offset_, count * sizeof(T)));
    } else {
      copy_.resize(count);
      data_ = copy_.data();
      runtime_.read(memory_, offset_, data_, count * sizeof(T));
    }
    host_ = {data_ - lowest, A.rows(), A.cols(), A.row_stride(), A.col_stride()};
  }
  host_window(const host_window&) = delete;
  host_window& operator=(const host_window&) = delete;
  ~host_window() {
    try {
      close();
    } catch (...) {  // the queue is broken: nothing runs any more
    }
  }
  const matrix_view<T>& host() const { return host_; }

  void close() {
    T* const data = std::exchange(data_, nullptr);
    if (!data) return;
    if constexpr (Runtime::shares_memory)
      runtime_.unmap(memory_, data);
    else if (access_ == host_access::read_and_write)
      runtime_.write(memory_, offset_, data, copy_.size() * sizeof(T));
  }

 private:
  Runtime& runtime_;
  typename Runtime::handle memory_;
  host_access access_;
  std::uint64_t offset_ = 0;
  std::vector<T> copy_;
  T* data_ = nullptr;
  matrix_view<T> host_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
