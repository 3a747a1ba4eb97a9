#pragma once
// Matrices and views of compile-time size: no allocations, small ones are factored and solved by
// inlined code, and everything works in constant expressions.

#include "trifac/engine/base/as_size.hpp"
#include "trifac/matrix.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"

namespace trifac {

/// A matrix_view of Rows × Cols elements; derives from matrix_view<T>.
template <class T, index_t Rows, index_t Cols>
requires(Rows > 0 && Cols > 0) class matrix_view<T, Rows, Cols> : public matrix_view<T> {
 public:
  constexpr matrix_view(T* data, index_t row_stride, index_t col_stride)
      : matrix_view<T>(data, Rows, Cols, row_stride, col_stride) {}

  constexpr matrix_view<T, Cols, Rows> transposed() const {
    return {this->data(), this->col_stride(), this->row_stride()};
  }
};

/// Rows × Cols elements stored in the object, column-major without gaps, initially T().
template <class T, index_t Rows, index_t Cols>
requires(Rows > 0 && Cols > 0) class matrix<T, Rows, Cols> {
  static constexpr bool is_scalar = Scalar<T>;
  static_assert(is_scalar,
                "matrix<T, Rows, Cols>: T is no Scalar, a type with division and square roots; "
                "integers and numbers of 16 bits are none: take double");
  static constexpr std::size_t height = detail::as_size(Rows), width = detail::as_size(Cols);

 public:
  using value_type = T;

  constexpr matrix() = default;
  /// From its rows: matrix<double, 2> A({{4, 1}, {1, 3}}).
  constexpr matrix(const T (&rows)[height][width]) requires(Cols > 1) {
    for (index_t i = 0; i < Rows; ++i)
      for (index_t j = 0; j < Cols; ++j)
        (*this)(i, j) = rows[detail::as_size(i)][detail::as_size(j)];
  }
  /// A column from its elements: matrix<double, 2, 1> b({1, 2}).
  constexpr matrix(const T (&elements)[height]) requires(Cols == 1) {
    for (index_t i = 0; i < Rows; ++i) (*this)(i, 0) = elements[detail::as_size(i)];
  }

  static constexpr index_t rows() { return Rows; }
  static constexpr index_t cols() { return Cols; }
  static constexpr bool empty() { return false; }
  constexpr T* data() { return elements_; }
  constexpr const T* data() const { return elements_; }

  constexpr T& operator()(index_t i, index_t j) { return elements_[i + j * Rows]; }
  constexpr const T& operator()(index_t i, index_t j) const { return elements_[i + j * Rows]; }

  constexpr matrix_view<T, Rows, Cols> view() & { return {elements_, 1, Rows}; }
  constexpr matrix_view<const T, Rows, Cols> view() const& { return {elements_, 1, Rows}; }
  // A view of a temporary would dangle: name the matrix first.
  void view() const&& = delete;
  constexpr operator matrix_view<T>() { return view(); }
  constexpr operator matrix_view<const T>() const { return view(); }

#if TRIFAC_EXCEPTIONS
  /// A copy of the elements of any view of this size; argument_error for another.
  explicit constexpr matrix(matrix_view<const T> A) {
    if (A.rows() != Rows || A.cols() != Cols)
      detail::throw_status(status::argument("A", "has not the size of the matrix"));
    for (index_t k = 0; k < Rows * Cols; ++k) elements_[k] = A(k % Rows, k / Rows);
  }
#endif

 private:
  T elements_[height * width] = {};
};

/// View of a column-major array of compile-time size with leading dimension ld ≥ Rows:
/// column_major<4>(data) is 4×4.
template <index_t Rows, index_t Cols = Rows, class T>
constexpr matrix_view<T, Rows, Cols> column_major(T* data, index_t ld = Rows) {
  return {data, 1, ld};
}

/// View of a row-major array of compile-time size with leading dimension ld ≥ Cols.
template <index_t Rows, index_t Cols = Rows, class T>
constexpr matrix_view<T, Rows, Cols> row_major(T* data, index_t ld = Cols) {
  return {data, ld, 1};
}

}  // namespace trifac
