#pragma once
// The normwise backward error of a solution, free of overflow and underflow.

#include <cmath>
#include <limits>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/refine.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// ‖b − A·x‖∞ / (norm_of_A·‖x‖∞), 0 if the residual is 0, NaN if an element of A is not finite; b
/// and x are finite. r: b − A·x; its rows are summed again if one overflowed, or if underflow may
/// have changed the quotient.
template <class T>
real_t<T> backward_error(const refined_matrix<T>& A, const real_t<T>& norm_of_A,
                         const matrix_view<const T>& b, const matrix_view<const T>& x,
                         const matrix_view<const T>& r) {
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  const index_t n = x.rows();
  R of_x(0), of_r(0);
  for (index_t i = 0; i < n; ++i) {
    of_x = max(of_x, pivot_size(x(i, 0)));
    of_r = max_or_nan(of_r, pivot_size(r(i, 0)));
  }
  of_x = min(of_x, limits::max());  // |Re| + |Im| of a finite number
  split_number<R> largest(R(0));
  if (is_finite(of_r) &&
      of_x * norm_of_A > static_cast<R>(n + 1) * limits::min() / unit_roundoff<R>()) {
    largest = split_number<R>(of_r);
  } else {
    for (index_t i = 0; i < n; ++i) {
      const scaled_row<T> row = A.row(i, b(i, 0), x);
      if (!is_finite(row.w)) return limits::quiet_NaN();
      split_number<R> size(pivot_size(row.r));
      size.exponent += row.exponent;
      if (size.fraction > R(0) &&
          (largest.fraction == R(0) || size.exponent > largest.exponent ||
           (size.exponent == largest.exponent && size.fraction > largest.fraction)))
        largest = size;
    }
  }
  if (largest.fraction == R(0)) return R(0);
  const split_number<R> left(norm_of_A), right(of_x);
  return std::ldexp(largest.fraction / left.fraction / right.fraction,
                    largest.exponent - left.exponent - right.exponent);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
