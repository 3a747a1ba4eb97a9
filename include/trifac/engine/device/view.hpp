#pragma once
// Views of matrices and index lists in device memory, for loop nests and executors.

#include "trifac/engine/kernel/arguments.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/scalar.hpp"

namespace trifac::device {

/// Lowest and highest offset of a matrix's elements from element (0, 0); strides may be negative.
struct reach {
  index_t lowest, highest;
  index_t count() const { return highest - lowest + 1; }
};
constexpr reach reach_of(index_t rows, index_t cols, index_t row_stride, index_t col_stride) {
  const index_t down = (rows - 1) * row_stride, along = (cols - 1) * col_stride;
  return {(down < 0 ? down : 0) + (along < 0 ? along : 0),
          (down > 0 ? down : 0) + (along > 0 ? along : 0)};
}
template <class View>
constexpr reach reach_of(const View& A) {
  return reach_of(A.rows(), A.cols(), A.row_stride(), A.col_stride());
}

/// A matrix in device memory, with the members of matrix_view that loop nests use. The handle
/// identifies the allocation; offset and strides are in elements.
template <class T, class Handle>
class device_view {
 public:
  using value_type = T;

  device_view() = default;
  device_view(Handle memory, index_t offset, index_t rows, index_t cols, index_t row_stride,
              index_t col_stride)
      : memory_(memory), place_{offset, rows, cols, row_stride, col_stride} {}

  Handle memory() const { return memory_; }
  /// Passed to kernels together with the memory.
  const kernel::VIEW& place() const { return place_; }
  index_t offset() const { return place_.offset; }
  index_t rows() const { return place_.rows; }
  index_t cols() const { return place_.cols; }
  index_t row_stride() const { return place_.rs; }
  index_t col_stride() const { return place_.cs; }
  bool empty() const { return rows() == 0 || cols() == 0; }
  /// True for row-major storage.
  bool runs_along_rows() const { return row_stride() != 1 && col_stride() == 1; }

  device_view transposed() const {
    return {memory_, offset(), cols(), rows(), col_stride(), row_stride()};
  }
  /// Rows in reverse order.
  device_view upside_down() const {
    return {memory_,     offset() + (rows() - 1) * row_stride(), rows(), cols(), -row_stride(),
            col_stride()};
  }
  device_view block(index_t i, index_t j, index_t m, index_t n) const {
    return {memory_,     offset() + i * row_stride() + j * col_stride(), m, n, row_stride(),
            col_stride()};
  }
  device_view trailing(index_t k) const { return block(k, k, rows() - k, cols() - k); }
  matrix_blocks<device_view> split(index_t r, index_t c) const {
    return {block(0, 0, r, c), block(0, c, r, cols() - c), block(r, 0, rows() - r, c),
            block(r, c, rows() - r, cols() - c)};
  }
  /// True if both views are the same elements of the same memory.
  bool is(const device_view& other) const {
    return memory_ == other.memory_ && offset() == other.offset() && rows() == other.rows() &&
           cols() == other.cols() && row_stride() == other.row_stride() &&
           col_stride() == other.col_stride();
  }

 private:
  Handle memory_{};
  kernel::VIEW place_{0, 0, 0, 1, 0};
};

/// A list of row numbers in device memory, with the members of std::span that a tournament uses.
template <class Handle>
struct device_indices {
  Handle memory{};
  index_t offset = 0, count = 0;

  bool empty() const { return count == 0; }
  device_indices first(std::size_t n) const { return {memory, offset, static_cast<index_t>(n)}; }
  device_indices last(std::size_t n) const {
    const auto rows = static_cast<index_t>(n);
    return {memory, offset + count - rows, rows};
  }
};

/// A device matrix as an operand of a product.
template <class T, class Handle>
struct device_operand {
  device_view<T, Handle> view;
  bool conjugated = false;

  device_operand(device_view<T, Handle> A, bool is_conjugated = false)
      : view(A), conjugated(is_conjugated) {}
  index_t rows() const { return view.rows(); }
  index_t cols() const { return view.cols(); }
  device_operand transposed() const { return {view.transposed(), conjugated}; }
  device_operand block(index_t i, index_t j, index_t m, index_t n) const {
    return {view.block(i, j, m, n), conjugated};
  }
};
template <class T, class Handle>
device_operand<T, Handle> adjoint(device_view<T, Handle> A) {
  return {A.transposed(), is_complex<T>};
}

}  // namespace trifac::device
