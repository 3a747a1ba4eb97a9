#pragma once
// matrix: an owning, aligned, column-major matrix, as factors and results have it.

#include <cstddef>
#include <limits>
#include <new>
#include <utility>

#include "trifac/engine/base/elements.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {

/// rows × cols elements of T, column-major without gaps, aligned to a cache line, initially T().
/// Throws std::bad_alloc, also for negative or impossible sizes. matrix<T, Rows, Cols> has
/// compile-time sizes (fixed_size.hpp).
template <class T, index_t Rows = dynamic, index_t Cols = Rows>
class matrix {
  static_assert(Rows == dynamic && Cols == dynamic,
                "matrix<T, Rows, Cols>: both sizes are numbers from 1 on, or neither is given");
  static constexpr bool is_scalar = Scalar<T>;
  static_assert(is_scalar,
                "matrix<T>: T is no Scalar, a type with division and square roots; integers and "
                "numbers of 16 bits are none: take double");

 public:
  using value_type = T;

  constexpr matrix() = default;
  matrix(index_t rows, index_t cols) : matrix() {
    data_ = allocate(rows, cols);  // freed if a T() throws
    elements::construct(data_, rows * cols);
    rows_ = rows;
    cols_ = cols;
  }
  /// A copy of the elements of any view.
  explicit matrix(matrix_view<const T> A) : matrix(A.rows(), A.cols()) {
    if (empty()) return;  // 0 x 10^18 would loop over columns without rows
    for (index_t j = 0; j < cols_; ++j)
      for (index_t i = 0; i < rows_; ++i) (*this)(i, j) = A(i, j);
  }
  matrix(const matrix& other) : matrix(other.view()) {}
  constexpr matrix(matrix&& other) noexcept { swap(other); }
  constexpr matrix& operator=(matrix other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~matrix() {
    if (data_ == nullptr) return;
    elements::destroy(data_, rows_ * cols_);
    ::operator delete(data_, alignment);
  }

  constexpr T* data() { return data_; }
  constexpr const T* data() const { return data_; }
  constexpr index_t rows() const { return rows_; }
  constexpr index_t cols() const { return cols_; }
  constexpr bool empty() const { return rows_ == 0 || cols_ == 0; }

  constexpr T& operator()(index_t i, index_t j) { return data_[i + j * rows_]; }
  constexpr const T& operator()(index_t i, index_t j) const { return data_[i + j * rows_]; }

  constexpr matrix_view<T> view() & { return column_major(data_, rows_, cols_); }
  constexpr matrix_view<const T> view() const& {
    return column_major<const T>(data_, rows_, cols_);
  }
  // A view of a temporary would dangle: name the matrix first.
  void view() const&& = delete;
  /// Also for a temporary, as an argument of a call.
  operator matrix_view<T>() { return view(); }
  operator matrix_view<const T>() const { return view(); }

 private:
  static constexpr std::align_val_t alignment{64};

  // Impossible sizes request the largest size, so that operator new throws.
  static T* allocate(index_t rows, index_t cols) {
    constexpr index_t all = std::numeric_limits<index_t>::max() / 64 * 64;
    constexpr index_t size = static_cast<index_t>(sizeof(T));
    const bool fits = rows >= 0 && cols >= 0 && (cols == 0 || rows <= all / size / cols);
    const index_t bytes = fits ? rows * cols * size : all;
    return static_cast<T*>(::operator new(static_cast<std::size_t>(bytes), alignment));
  }
  constexpr void swap(matrix& other) noexcept {
    std::swap(rows_, other.rows_);
    std::swap(cols_, other.cols_);
    std::swap(data_, other.data_);
  }

  index_t rows_ = 0;
  index_t cols_ = 0;
  T* data_ = nullptr;
};

}  // namespace trifac
