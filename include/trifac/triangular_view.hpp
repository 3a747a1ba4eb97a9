#pragma once
// triangular_view: a triangle inside a matrix, read as a whole matrix with zeros outside and, if so
// meant, ones on the diagonal.

#include "trifac/matrix.hpp"

namespace trifac {

/// L or U inside a factored matrix, read only. Element (i, j) costs a comparison: for looking,
/// printing and checking, not for inner loops. Refers to the factor's matrix, which must outlive
/// it.
template <class T>
class triangular_view {
 public:
  using value_type = T;

  /// The `part` of `elements` (any shape); with `conjugated` each element is read as its complex
  /// conjugate.
  triangular_view(operand<T> elements, triangle part, diagonal diag)
      : elements_(elements), part_(part), diagonal_(diag) {}

  index_t rows() const { return elements_.rows(); }
  index_t cols() const { return elements_.cols(); }
  triangle part() const { return part_; }
  diagonal diag() const { return diagonal_; }

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
};

}  // namespace trifac
