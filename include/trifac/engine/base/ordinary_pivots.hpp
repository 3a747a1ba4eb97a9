#pragma once
// Pivots of usual size, for which the fast kernels are: others are left to slower code.

#include <complex>

#include "trifac/engine/base/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Cholesky: pivots whose square is a normal number.
template <class R>
inline constexpr R least_ordinary_pivot = sizeof(R) == 8 ? static_cast<R>(0x1p-511)
                                                         : static_cast<R>(0x1p-63);

/// Cholesky: whether the last term of this pivot is (y·y)·r, not (y·r)·y, with y left of the pivot
/// and r the reciprocal of the pivot before: y·y does not wait for r. Not the first of four
/// columns: in tiles of four those to its left may have been subtracted with others. All
/// instruction sets take the same form for the same pivot.
constexpr bool has_short_chain(index_t column) {
  return column % 4 != 0;
}

/// LU: pivots of a size in this range have a reciprocal that neither overflows nor loses digits,
/// for complex ones also by way of |x|². LAPACK's sfmin test, at both ends.
template <class R>
struct ordinary_pivots;
template <>
struct ordinary_pivots<double> {
  static constexpr double least = 0x1p-1020, most = 0x1p1020;
};
template <>
struct ordinary_pivots<float> {
  static constexpr float least = 0x1p-124f, most = 0x1p124f;
};
template <class R>
struct ordinary_pivots<std::complex<R>> {
  static constexpr R least = sizeof(R) == 8 ? R(0x1p-500) : R(0x1p-60f), most = 1 / least;
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
