#pragma once
// matrix_view: a non-owning view of a matrix in memory. Block, split and transpose cost nothing.

#include <concepts>
#include <type_traits>
#if __has_include(<mdspan>)
  #include <mdspan>
#endif

#include "trifac/scalar.hpp"

namespace trifac {

/// The triangle of a symmetric or Hermitian matrix that is stored, or holds a factor. LAPACK: uplo.
enum class triangle { lower, upper };

/// The operation applied to a matrix: A, Aᵀ or Aᴴ. LAPACK: trans = 'N', 'T', 'C'.
enum class operation { none, transpose, adjoint };

/// The diagonal of a triangular matrix: stored, or implicitly one. LAPACK: diag.
enum class diagonal { non_unit, unit };

/// ‖A‖₁, the largest column sum of |a_ij|; ‖A‖∞, the largest row sum; max |a_ij|; √Σ|a_ij|².
/// LAPACK: norm = '1', 'I', 'M', 'F'.
enum class norm_kind { one, infinity, max, frobenius };

/// A number of rows or columns that is known only at run time.
inline constexpr index_t dynamic = -1;

template <class View>
struct matrix_blocks;

/// A view of rows × cols elements: element (i, j) is data[i·row_stride + j·col_stride]. T may be
/// const. Strides are in elements; negative ones reverse the order, the larger one spans a whole
/// row or column. Column-major storage with leading dimension ld has strides (1, ld), row-major
/// (ld, 1). The elements must outlive the view. matrix_view<T, Rows, Cols> has compile-time sizes
/// (fixed_size.hpp).
template <class T, index_t Rows = dynamic, index_t Cols = Rows>
class matrix_view {
  static_assert(
      Rows == dynamic && Cols == dynamic,
      "matrix_view<T, Rows, Cols>: both sizes are numbers from 1 on, or neither is given");

 public:
  using element_type = T;
  using value_type = std::remove_const_t<T>;

  constexpr matrix_view() = default;

  /// Column-major with leading dimension ld ≥ rows (LAPACK's lda).
  constexpr matrix_view(T* data, index_t rows, index_t cols, index_t ld)
      : matrix_view(data, rows, cols, 1, ld) {}

  constexpr matrix_view(T* data, index_t rows, index_t cols, index_t row_stride, index_t col_stride)
      : data_(data), rows_(rows), cols_(cols), row_stride_(row_stride), col_stride_(col_stride) {}

  /// A view of constant elements from a view of mutable ones.
  template <class U>
  requires(std::is_const_v<T>&& std::same_as<U, value_type>) constexpr matrix_view(
      const matrix_view<U>& A)
      : matrix_view(A.data(), A.rows(), A.cols(), A.row_stride(), A.col_stride()) {}

#if defined(__cpp_lib_mdspan)
  /// From a two-dimensional std::mdspan with strides (layout_left, layout_right, layout_stride).
  template <class U, class Extents, class Layout>
  requires(Extents::rank() == 2 && std::convertible_to<U (*)[], T (*)[]>) constexpr matrix_view(
      const std::mdspan<U, Extents, Layout>& A)
      : matrix_view(A.data_handle(), static_cast<index_t>(A.extent(0)),
                    static_cast<index_t>(A.extent(1)), static_cast<index_t>(A.stride(0)),
                    static_cast<index_t>(A.stride(1))) {}
#endif

  constexpr T* data() const {
    return data_;
  }
  constexpr index_t rows() const {
    return rows_;
  }
  constexpr index_t cols() const {
    return cols_;
  }
  constexpr index_t row_stride() const {
    return row_stride_;
  }
  constexpr index_t col_stride() const {
    return col_stride_;
  }
  /// Column stride 1 and row stride not 1: row-major, or a column of a row-major matrix.
  constexpr bool runs_along_rows() const {
    return col_stride_ == 1 && row_stride_ != 1;
  }
  constexpr bool empty() const {
    return rows_ == 0 || cols_ == 0;
  }

  constexpr T& operator()(index_t i, index_t j) const {
    return data_[i * row_stride_ + j * col_stride_];
  }

  /// Aᵀ: the same elements with rows and columns exchanged.
  constexpr matrix_view transposed() const {
    return {data_, cols_, rows_, col_stride_, row_stride_};
  }

  /// Rows i … i+m−1 of columns j … j+n−1.
  constexpr matrix_view block(index_t i, index_t j, index_t m, index_t n) const {
    return {address(i, j), m, n, row_stride_, col_stride_};
  }

  constexpr matrix_view row(index_t i) const {
    return block(i, 0, 1, cols_);
  }
  constexpr matrix_view col(index_t j) const {
    return block(0, j, rows_, 1);
  }

  /// Rows and columns k, k+1, …: the trailing matrix after k steps of a factorization.
  constexpr matrix_view trailing(index_t k) const {
    return block(k, k, rows_ - k, cols_ - k);
  }

  /// Four blocks; A00 is r × c.
  constexpr matrix_blocks<matrix_view> split(index_t r, index_t c) const {
    return {block(0, 0, r, c), block(0, c, r, cols_ - c),  //
            block(r, 0, rows_ - r, c), block(r, c, rows_ - r, cols_ - c)};
  }

 private:
  // An empty block may start past the end, where no address exists: its pointer is not computed.
  constexpr T* address(index_t i, index_t j) const {
    return i < rows_ && j < cols_ ? data_ + i * row_stride_ + j * col_stride_ : data_;
  }

  T* data_ = nullptr;
  index_t rows_ = 0;
  index_t cols_ = 0;
  index_t row_stride_ = 1;
  index_t col_stride_ = 0;
};

/// Result of split():  A = | A00  A01 |
///                         | A10  A11 |
template <class View>
struct matrix_blocks {
  View A00, A01, A10, A11;
};

/// View of a column-major array with leading dimension ld ≥ rows.
template <class T>
constexpr matrix_view<T> column_major(T* data, index_t rows, index_t cols, index_t ld) {
  return {data, rows, cols, 1, ld};
}
template <class T>
constexpr matrix_view<T> column_major(T* data, index_t rows, index_t cols) {
  return {data, rows, cols, 1, rows};
}

/// View of a row-major array with leading dimension ld ≥ cols.
template <class T>
constexpr matrix_view<T> row_major(T* data, index_t rows, index_t cols, index_t ld) {
  return {data, rows, cols, ld, 1};
}
template <class T>
constexpr matrix_view<T> row_major(T* data, index_t rows, index_t cols) {
  return {data, rows, cols, cols, 1};
}

/// An operand of a product: a view, optionally conjugated elementwise.
template <class T>
struct operand {
  matrix_view<const T> view;
  bool conjugated = false;

  constexpr operand(matrix_view<const T> A) : view(A) {}
  constexpr operand(matrix_view<T> A) : view(A) {}
  constexpr operand(matrix_view<const T> A, bool is_conjugated)
      : view(A), conjugated(is_conjugated) {}

  constexpr index_t rows() const { return view.rows(); }
  constexpr index_t cols() const { return view.cols(); }
  constexpr T operator()(index_t i, index_t j) const {
    if constexpr (is_complex<T>)
      return conjugated ? T(view(i, j).real(), -view(i, j).imag()) : view(i, j);
    else
      return view(i, j);
  }
  constexpr operand transposed() const { return {view.transposed(), conjugated}; }
  /// Rows i … i+m−1 of columns j … j+n−1.
  constexpr operand block(index_t i, index_t j, index_t m, index_t n) const {
    return {view.block(i, j, m, n), conjugated};
  }
};

/// Aᴴ as an operand; for real types that is Aᵀ.
template <class T>
constexpr operand<std::remove_const_t<T>> adjoint(matrix_view<T> A) {
  return {matrix_view<const std::remove_const_t<T>>(A.transposed()), is_complex<T>};
}

/// The elementwise conjugate of A as an operand; for real types A itself.
template <class T>
constexpr operand<std::remove_const_t<T>> conjugate(matrix_view<T> A) {
  return {matrix_view<const std::remove_const_t<T>>(A), is_complex<T>};
}

}  // namespace trifac
