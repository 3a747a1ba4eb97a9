#pragma once
// Where a test matrix lies in memory: every kind of strides, off alignment, with guard elements in
// front, behind, in every gap and wherever nothing was assigned. They are compared bit by bit
// afterwards. In half of the layouts the guards are NaN, so that reading one shows in the result;
// in the others ordinary numbers, because NaN plus a number is the same NaN again.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "trifac/matrix.hpp"

namespace trifac::test {

enum class layout {
  packed,            ///< column-major, ld = rows
  padded,            ///< column-major, ld > rows
  row_major,         ///< row-major, ld = cols
  row_major_padded,  ///< row-major, ld > cols
  strided,           ///< gaps between the elements of a column and of a row
  reversed,          ///< both strides negative: the first element lies last
};

inline constexpr std::array all_layouts{layout::packed,    layout::padded,
                                        layout::row_major, layout::row_major_padded,
                                        layout::strided,   layout::reversed};

/// One of each storage order, for calls that cost too much to repeat for all.
inline constexpr std::array padded_layouts{layout::padded, layout::row_major_padded};

constexpr std::string_view to_string(layout where) {
  switch (where) {
    case layout::packed:
      return "packed";
    case layout::padded:
      return "padded";
    case layout::row_major:
      return "row-major";
    case layout::row_major_padded:
      return "row-major padded";
    case layout::strided:
      return "strided";
    case layout::reversed:
      return "reversed";
  }
  return "unknown";
}

/// Whether two elements are the same bit for bit, NaN included. Of the 16 bytes of an x87 long
/// double the last 6 mean nothing.
template <class T>
bool same_element(const T& x, const T& y) {
  constexpr bool is_x87 = std::is_same_v<T, long double> && std::numeric_limits<T>::digits == 64;
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): zeros of both signs and NaN differ here.
  return std::memcmp(&x, &y, is_x87 ? 10 : sizeof(T)) == 0;
}

/// Storage for one rows × cols matrix in a layout. All of it starts as guards.
template <class T>
requires std::is_trivially_copyable_v<T>
class placed_matrix {
 public:
  placed_matrix(index_t rows, index_t cols, layout where) {
    switch (where) {
      case layout::packed:
        place(where, rows, cols, 1, rows);
        break;
      case layout::padded:
        place(where, rows, cols, 1, rows + 3);
        break;
      case layout::row_major:
        place(where, rows, cols, cols, 1);
        break;
      case layout::row_major_padded:
        place(where, rows, cols, cols + 5, 1);
        break;
      case layout::strided:
        place(where, rows, cols, 2, 2 * rows + 3);
        break;
      case layout::reversed:
        place(where, rows, cols, -1, -(rows + 2));
        break;
    }
  }
  placed_matrix(matrix_view<const T> A, layout where) : placed_matrix(A.rows(), A.cols(), where) {
    assign(A, [](index_t, index_t) { return true; });
    remember();
  }
  placed_matrix(const placed_matrix&) = delete;  // the view points into the storage
  placed_matrix& operator=(const placed_matrix&) = delete;

  matrix_view<T> view() { return view_; }
  matrix_view<const T> view() const { return view_; }

  /// Copies the elements of A for which chosen(i, j); the others stay as they are.
  template <class Chosen>
  void assign(matrix_view<const T> A, Chosen chosen) {
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i)
        if (chosen(i, j)) view_(i, j) = A(i, j);
  }

  /// Takes the present contents as those that must stay.
  void remember() { before_ = storage_; }

  /// Makes the contents those again.
  void restore() { storage_ = before_; }

  /// Whether every bit outside the elements with may_change(i, j) is as remembered.
  template <class MayChange>
  testing::AssertionResult untouched_except(MayChange may_change) const {
    std::vector<bool> free(storage_.size(), false);
    for (index_t j = 0; j < view_.cols(); ++j)
      for (index_t i = 0; i < view_.rows(); ++i)
        free[static_cast<std::size_t>(&view_(i, j) - storage_.data())] = may_change(i, j);
    for (std::size_t k = 0; k < storage_.size(); ++k)
      if (!free[k] && !same_element(storage_[k], before_[k]))
        return testing::AssertionFailure()
               << "element " << static_cast<index_t>(k) - origin() << " of the storage, counted "
               << "from the matrix's first, was changed to " << storage_[k];
    return testing::AssertionSuccess();
  }
  testing::AssertionResult untouched() const {
    return untouched_except([](index_t, index_t) { return false; });
  }
  testing::AssertionResult guards_untouched() const {
    return untouched_except([](index_t, index_t) { return true; });
  }

 private:
  static constexpr index_t front = 5, back = 9;

  void place(layout where, index_t rows, index_t cols, index_t row_stride, index_t col_stride) {
    const index_t last =
        std::max<index_t>(rows - 1, 0) * row_stride + std::max<index_t>(cols - 1, 0) * col_stride;
    const index_t span = (last < 0 ? -last : last) + 1;
    storage_.resize(static_cast<std::size_t>(front + span + back));
    const bool numbers =
        where == layout::padded || where == layout::row_major || where == layout::reversed;
    if (numbers)
      for (std::size_t k = 0; k < storage_.size(); ++k)
        storage_[k] = T(static_cast<real_t<T>>(0.75 + 0.125 * static_cast<double>(k % 5)));
    else  // all bits set are NaN in every floating-point type
      std::memset(static_cast<void*>(storage_.data()), 0xff, storage_.size() * sizeof(T));
    view_ = {storage_.data() + front + (last < 0 ? -last : 0), rows, cols, row_stride, col_stride};
    remember();
  }
  index_t origin() const { return view_.data() - storage_.data(); }

  std::vector<T> storage_, before_;
  matrix_view<T> view_;
};

/// Whether two matrices are the same bit for bit, NaN included.
template <class T, class U>
testing::AssertionResult same_bits(matrix_view<T> A, matrix_view<U> B) {
  static_assert(std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>);
  if (A.rows() != B.rows() || A.cols() != B.cols())
    return testing::AssertionFailure() << "different sizes";
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i)
      if (!same_element<std::remove_const_t<T>>(A(i, j), B(i, j)))
        return testing::AssertionFailure()
               << "element (" << i << ", " << j << "): " << A(i, j) << " and " << B(i, j);
  return testing::AssertionSuccess();
}

/// Layouts for tests on an engine.
template <class Engine>
std::span<const layout> layouts_for(const Engine& on) {
  if (on.is_costly()) return padded_layouts;
  return all_layouts;
}

/// Predicates for the triangles of a Cholesky factorization.
inline auto in_triangle(triangle part) {
  return [part](index_t i, index_t j) { return part == triangle::lower ? i >= j : i <= j; };
}

}  // namespace trifac::test
