#pragma once
// Matrices in device memory, as loop nests and verbs take them.

#include "trifac/matrix_view.hpp"
#include "trifac/scalar.hpp"

namespace trifac::device {

/// A matrix in device memory, with the members of matrix_view that loop nests use. The handle names
/// the allocation; offset and strides count elements.
template <class T, class Handle>
class device_view {
 public:
  using value_type = T;
  using handle_type = Handle;

  device_view() = default;
  device_view(Handle memory, index_t offset, index_t rows, index_t cols, index_t row_stride,
              index_t col_stride)
      : memory_(memory),
        offset_(offset),
        rows_(rows),
        cols_(cols),
        row_stride_(row_stride),
        col_stride_(col_stride) {}

  Handle memory() const { return memory_; }
  index_t offset() const { return offset_; }
  index_t rows() const { return rows_; }
  index_t cols() const { return cols_; }
  index_t row_stride() const { return row_stride_; }
  index_t col_stride() const { return col_stride_; }
  bool empty() const { return rows_ == 0 || cols_ == 0; }

  device_view transposed() const {
    return {memory_, offset_, cols_, rows_, col_stride_, row_stride_};
  }
  device_view block(index_t i, index_t j, index_t m, index_t n) const {
    return {memory_, offset_ + i * row_stride_ + j * col_stride_, m, n, row_stride_, col_stride_};
  }
  device_view trailing(index_t k) const { return block(k, k, rows_ - k, cols_ - k); }
  matrix_blocks<device_view> split(index_t r, index_t c) const {
    return {block(0, 0, r, c), block(0, c, r, cols_ - c), block(r, 0, rows_ - r, c),
            block(r, c, rows_ - r, cols_ - c)};
  }

 private:
  Handle memory_{};
  index_t offset_ = 0, rows_ = 0, cols_ = 0, row_stride_ = 1, col_stride_ = 0;
};

/// A device matrix as it enters a product.
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
