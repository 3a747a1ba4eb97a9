#pragma once
// Whether all elements of a matrix are finite.

#include "trifac/matrix_view.hpp"
#include "trifac/scalar.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// True if all elements of a block with few rows or few columns are finite. Each of eight marks
/// becomes nonzero if one of its elements is not; compilers vectorize this.
template <class T>
bool all_finite(matrix_view<const T> A) {
  using R = real_t<T>;
  constexpr index_t lanes = 8;
  if (A.row_stride() != 1) A = A.transposed();
  R marks[lanes];
  for (R& mark : marks) mark = R(0);
  for (index_t j = 0; j < A.cols(); ++j) {
    index_t i = 0;
    if (A.row_stride() == 1) {
      const T* const x = &A(0, j);
      for (; i + lanes <= A.rows(); i += lanes)
        for (index_t lane = 0; lane < lanes; ++lane)
          marks[lane] = is_finite(x[i + lane]) ? marks[lane] : R(1);
    }
    for (; i < A.rows(); ++i) marks[0] = is_finite(A(i, j)) ? marks[0] : R(1);
  }
  for (const R& mark : marks)
    if (mark != R(0)) return false;
  return true;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
