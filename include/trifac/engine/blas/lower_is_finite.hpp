#pragma once
// Whether all elements of a lower triangle are finite.

#include "trifac/engine/blas/all_finite.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// True if all elements of the lower triangle of a square A are finite.
template <class T>
bool lower_is_finite(const matrix_view<const T>& A) {
  const index_t n = A.rows();
  const bool by_rows = A.runs_along_rows();
  bool finite = true;
  for (index_t k = 0; k < n && finite; ++k)
    finite = all_finite(by_rows ? A.block(k, 0, 1, k + 1) : A.block(k, k, n - k, 1));
  return finite;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
