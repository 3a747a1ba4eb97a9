#pragma once
// Whether the lower triangle of a Hermitian matrix is finite.

#include "trifac/engine/blas/all_finite.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// True if the lower triangle of a Hermitian A is finite; imaginary parts of the diagonal are not
/// read.
template <class T>
bool lower_is_finite(const matrix_view<const T>& A) {
  const index_t n = A.rows();
  const bool by_rows = A.runs_along_rows();
  bool finite = true;
  for (index_t k = 0; k < n && finite; ++k)
    finite = is_finite(real_part(A(k, k))) &&
             all_finite(by_rows ? A.block(k, 0, 1, k) : A.block(k + 1, k, n - k - 1, 1));
  return finite;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
