#pragma once
// triangular_view: a triangle of a matrix, read as a full matrix with zeros outside and, with
// diagonal::unit, ones on the diagonal.

#include "trifac/matrix.hpp"
#include "trifac/status.hpp"

namespace trifac {

/// L or U of a factored matrix, or a triangle of any other matrix, read-only; solve(L, B) solves
/// with it (triangular_solve.hpp). Each access to an element (i, j) compares i and j: for printing
/// and checking, not for inner loops. Refers to the matrix, which must outlive it.
template <class T>
class triangular_view {
 public:
  using value_type = T;

  /// The `part` of `elements` (any shape); with `conjugated`, each element is read as its complex
  /// conjugate. For a factor, `s` is the status of its factorization.
  triangular_view(operand<T> elements, triangle part, diagonal diag = diagonal::non_unit,
                  const trifac::status& s = {})
      : elements_(elements), part_(part), diagonal_(diag), status_(s) {}

  index_t rows() const { return elements_.rows(); }
  index_t cols() const { return elements_.cols(); }
  triangle part() const { return part_; }
  diagonal diag() const { return diagonal_; }
  /// The whole matrix, including elements outside the triangle.
  const operand<T>& elements() const { return elements_; }
  /// Not ok() for a triangle of a factor that is empty or whose factorization failed.
  const trifac::status& status() const { return status_; }

  T operator()(index_t i, index_t j) const {
    if (i == j && diagonal_ == diagonal::unit) return T(1);
    const bool inside = part_ == triangle::lower ? i >= j : i <= j;
    return inside ? elements_(i, j) : T(0);
  }

  /// A matrix with these elements.
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
