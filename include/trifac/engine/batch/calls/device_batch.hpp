#pragma once
// Batches that stay in a device's memory. What is done with them: trifac/device_batch.hpp.

#include <string>
#include <utility>
#include <vector>

#include "trifac/engine/batch/checks/check.hpp"
#include "trifac/engine/batch/layout/batch_like.hpp"
#include "trifac/engine/device/batch_memory.hpp"

namespace trifac {

/// count × rows × cols elements of T in the memory of a backend's device. Moved, not copied. The
/// session with the device lives as long as the batch.
template <LapackScalar T, DeviceBackend B>
class device_batch {
 public:
  using value_type = T;
  using backend_type = B;
  using view_type = device::batch_operand<typename B::runtime::handle>;

  /// Memory without defined contents. `layout`: by default the chunks that the device's kernels
  /// want, a vector on CPUs and 32 matrices on GPUs. Throws argument_error, and backend_error where
  /// the device has not so much in one piece.
  device_batch(const B& where, index_t count, index_t rows, index_t cols, batch_layout layout = {})
      : where_(where), count_(count), rows_(rows), cols_(cols) {
    if (const availability a = where.available(); !a) throw backend_error(std::string(a.reason));
    if (layout.chunk < batch_layout::one_line)
      throw argument_error(status::argument("layout.chunk", "is negative"));
    chunk_ = layout.chunk == batch_layout::one_line ? own_chunk()
             : layout.chunk > 0                     ? layout.chunk
                                                    : std::max<index_t>(count, 1);
    // A batch that is not there, but for its sizes and strides.
    alignas(T) static std::byte nothing[sizeof(T)];
    const auto shape = chunked(reinterpret_cast<const T*>(nothing), count, rows, cols, chunk_);
    if (const status s = detail::check_batch(shape, "count, rows, cols"); !s)
      throw argument_error(s);
    const auto& s = shape.strides();
    elements_ = count > 0 ? ((count - 1) / chunk_ + 1) * s.chunk_stride : 0;
    memory_ = session().allocate(detail::as_size(elements_) * sizeof(T));
    place_ = {0, count, rows, cols, chunk_, s.chunk_stride, 1, s.row_stride, s.col_stride, 0};
  }
  /// A copy of a batch of the host.
  device_batch(const B& where, const batch_view<const T>& A, batch_layout layout = {})
      : device_batch(where, A.batch(), A.rows(), A.cols(), layout) {
    assign(A);
  }

  /// What was moved from has no matrices.
  device_batch(device_batch&& other) noexcept
      : where_(other.where_),
        count_(std::exchange(other.count_, 0)),
        rows_(std::exchange(other.rows_, 0)),
        cols_(std::exchange(other.cols_, 0)),
        chunk_(other.chunk_),
        elements_(std::exchange(other.elements_, 0)),
        memory_(std::move(other.memory_)),
        place_(std::exchange(other.place_, {})) {}
  device_batch& operator=(device_batch&& other) noexcept {
    memory_ = std::move(other.memory_);  // before the session that gave it ends with where_
    where_ = other.where_;
    count_ = std::exchange(other.count_, 0);
    rows_ = std::exchange(other.rows_, 0);
    cols_ = std::exchange(other.cols_, 0);
    chunk_ = other.chunk_;
    elements_ = std::exchange(other.elements_, 0);
    place_ = std::exchange(other.place_, {});
    return *this;
  }

  index_t count() const { return count_; }
  index_t rows() const { return rows_; }
  index_t cols() const { return cols_; }
  /// Matrices that are interleaved.
  index_t chunk() const { return chunk_; }
  const B& backend() const { return where_; }
  bool empty() const { return count_ == 0 || rows_ == 0 || cols_ == 0; }
  view_type view() const { return {memory_.get(), place_}; }

  /// Elements := those of A, which has the same sizes. Returns when A may be changed.
  void assign(const batch_view<const T>& A) {
    check_size(A);
    if (empty()) return;
    std::vector<T> elements(detail::as_size(elements_));
    copy(A, view_of(elements.data()));
    session().runtime.write(memory_.get(), 0, elements.data(), elements.size() * sizeof(T));
  }
  /// Elements of A := these. Waits for all that was enqueued.
  void copy_to(const batch_view<T>& A) const {
    check_size<const T>(A);
    if (empty()) return;
    std::vector<T> elements(detail::as_size(elements_));
    session().runtime.read(memory_.get(), 0, elements.data(), elements.size() * sizeof(T));
    copy<T>(view_of(elements.data()), A);
  }
  /// A batch in the host's memory with these elements. Waits.
  batch<T> to_host(batch_layout layout = {}) const {
    batch<T> A(count_, rows_, cols_, layout);
    copy_to(A.view());
    return A;
  }

 private:
  auto& session() const { return where_.session(); }
  index_t own_chunk() const {
    return device::batch_launches<typename B::runtime, T>(session(), where_.settings(), {})
        .layout()
        .chunk;
  }
  batch_view<T> view_of(T* data) const { return chunked(data, count_, rows_, cols_, chunk_); }
  template <class U>
  void check_size(const batch_view<U>& A) const {
    if (A.batch() != count_ || A.rows() != rows_ || A.cols() != cols_)
      throw argument_error(status::argument("A", "is not of the size of the device's batch"));
    if (const status s = detail::check_batch(A, "A"); !s) throw argument_error(s);
  }

  B where_;
  index_t count_ = 0, rows_ = 0, cols_ = 0, chunk_ = 1, elements_ = 0;
  typename B::runtime::memory memory_;
  kernel::BATCH place_{};
};

template <class T, class B>
device_batch(const B&, const batch_view<T>&) -> device_batch<std::remove_const_t<T>, B>;
template <class T, class B>
device_batch(const B&, const batch<T>&) -> device_batch<T, B>;
template <class T, class B>
device_batch(const B&, const batch_view<T>&, batch_layout)
    -> device_batch<std::remove_const_t<T>, B>;
template <class T, class B>
device_batch(const B&, const batch<T>&, batch_layout) -> device_batch<T, B>;

}  // namespace trifac
