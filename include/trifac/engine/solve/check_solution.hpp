#pragma once
// Whether a triangle and its right-hand sides had a solution of finite numbers.

#include "trifac/engine/blas/all_finite.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The first row of X that is not finite, where there is one. Each row of X is multiplied into all
/// that are computed later, and 0·∞ is NaN: the row that is computed last shows it.
template <class T>
status check_solution(const matrix_view<T>& X, triangle part) {
  const auto finite = [&](index_t row) { return all_finite<T>(X.block(row, 0, 1, X.cols())); };
  if (finite(part == triangle::lower ? X.rows() - 1 : 0)) return {};
  index_t row = 0;
  while (finite(row)) ++row;
  return status::at(status_kind::not_finite, row);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
