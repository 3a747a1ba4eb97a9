#pragma once
// Whether all elements of a matrix are finite.

#include "trifac/matrix_view.hpp"
#include "trifac/scalar.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// True where all elements of a block with few rows or few columns are finite: eight sums of x − x
/// at a time, which compilers make vectors of.
template <class T>
bool all_finite(matrix_view<const T> A) {
  constexpr index_t lanes = 8;
  if (A.row_stride() != 1) A = A.transposed();
  T sums[lanes] = {}, rest(0);
  for (index_t j = 0; j < A.cols(); ++j) {
    index_t i = 0;
    if (A.row_stride() == 1) {
      const T* const x = &A(0, j);
      for (; i + lanes <= A.rows(); i += lanes)
        for (index_t lane = 0; lane < lanes; ++lane)
          sums[lane] = sums[lane] + (x[i + lane] - x[i + lane]);
    }
    for (; i < A.rows(); ++i) rest = rest + (A(i, j) - A(i, j));
  }
  bool finite = is_finite(rest);
  for (const T& sum : sums) finite = finite && is_finite(sum);
  return finite;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
