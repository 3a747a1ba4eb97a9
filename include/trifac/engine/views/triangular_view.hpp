#pragma once
// triangular_view: a triangle inside a matrix, read as a whole matrix with zeros outside and, if so
// meant, ones on the diagonal.

#include "trifac/matrix.hpp"
#include "trifac/status.hpp"

namespace trifac {

/// L or U inside a factored matrix, or a triangle of any other, read only: solve(L, B) solves with
/// it (triangular_solve.hpp). Element (i, j) costs a comparison: for looking, printing and
/// checking, not for inner loops. Refers to the matrix, which must outlive it.
template <class T>
class triangular_view {
 public:
  using value_type = T;

  /// The `part` of `elements` (any shape); with `conjugated` each element is read as its complex
  /// conjugate. Of a factor: `s` tells how its factorization ended.
  triangular_view(operand<T> elements, triangle part, diagonal diag = diagonal::general,
                  const trifac::status& s = {})
      : elements_(elements), part_(part), diagonal_(diag), status_(s) {}

  index_t rows() const { return elements_.rows(); }
  index_t cols() const { return elements_.cols(); }
  triangle part() const { return part_; }
  diagonal diag() const { return diagonal_; }
  /// Where they lie, with those outside the triangle.
  const operand<T>& elements() const { return elements_; }
  /// Not ok() for a triangle of a factor that holds none: empty, or its factorization stopped.
  const trifac::status& status() const { return status_; }

  T operator()(index_t i, index_t j) const {
    if (i == j && diagonal_ == diagonal::unit) return T(1);
    const bool inside = part_ == triangle::lower ? i >= j : i <= j;
    return inside ? elements_(i, j) : T(0);
  }

  /// An ordinary matrix with these elements.
  matrix<T> dense() const {
    matrix<T> A(rows(), cols());
    if (A.empty()) return A;
    for (index_t j = 0; j < cols(); ++j)
      for (index_t i = 0; i < rows(); ++i) A(i, j) = (*this)(i, j);
    return A;
  }

 private:
  operand<T> elements_;
  triangle part_;
  diagonal diagonal_;
  trifac::status status_;
};

template <class T>
triangular_view(matrix_view<T>, triangle) -> triangular_view<std::remove_const_t<T>>;
template <class T>
triangular_view(matrix_view<T>, triangle, diagonal) -> triangular_view<std::remove_const_t<T>>;

}  // namespace trifac
