#pragma once
// matrix: an owning, aligned, column-major matrix, the simplest thing for examples and tests.

#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "trifac/matrix_view.hpp"

namespace trifac {

/// rows × cols elements of T, column-major without gaps, aligned to a cache line, set to T() at the
/// start. Throws std::bad_alloc, also for sizes that are negative or do not fit in memory at all.
template <Scalar T>
class matrix {
 public:
  using value_type = T;

  matrix() = default;
  matrix(index_t rows, index_t cols) : rows_(rows), cols_(cols), data_(allocate(rows, cols)) {
    std::uninitialized_value_construct_n(data_, rows * cols);
  }
  /// A copy of the elements of any view.
  explicit matrix(matrix_view<const T> A) : matrix(A.rows(), A.cols()) {
    for (index_t j = 0; j < cols_; ++j)
      for (index_t i = 0; i < rows_; ++i) (*this)(i, j) = A(i, j);
  }
  matrix(const matrix& other) : matrix(other.view()) {}
  matrix(matrix&& other) noexcept { swap(other); }
  matrix& operator=(matrix other) noexcept {
    swap(other);
    return *this;
  }
  ~matrix() {
    if (data_ == nullptr) return;
    std::destroy_n(data_, rows_ * cols_);
    if (data_) memory().deallocate(reinterpret_cast<cache_line*>(data_), lines(rows_, cols_));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  index_t rows() const { return rows_; }
  index_t cols() const { return cols_; }
  bool empty() const { return rows_ == 0 || cols_ == 0; }

  T& operator()(index_t i, index_t j) { return data_[i + j * rows_]; }
  const T& operator()(index_t i, index_t j) const { return data_[i + j * rows_]; }

  matrix_view<T> view() { return column_major(data_, rows_, cols_); }
  matrix_view<const T> view() const { return column_major<const T>(data_, rows_, cols_); }
  operator matrix_view<T>() { return view(); }
  operator matrix_view<const T>() const { return view(); }

 private:
  struct alignas(64) cache_line {
    std::byte bytes[64];
  };
  using memory = std::allocator<cache_line>;  // throws std::bad_alloc for more lines than can be

  static std::size_t lines(index_t rows, index_t cols) {
    const index_t most = std::numeric_limits<index_t>::max() / static_cast<index_t>(sizeof(T));
    const bool fits = rows >= 0 && cols >= 0 && (cols == 0 || rows <= most / cols);
    if (!fits) return std::numeric_limits<std::size_t>::max();
    return (static_cast<std::size_t>(rows * cols) * sizeof(T) + sizeof(cache_line) - 1) /
           sizeof(cache_line);
  }
  static T* allocate(index_t rows, index_t cols) {
    return reinterpret_cast<T*>(memory().allocate(lines(rows, cols)));
  }
  void swap(matrix& other) noexcept {
    std::swap(rows_, other.rows_);
    std::swap(cols_, other.cols_);
    std::swap(data_, other.data_);
  }

  index_t rows_ = 0;
  index_t cols_ = 0;
  T* data_ = nullptr;
};

}  // namespace trifac
