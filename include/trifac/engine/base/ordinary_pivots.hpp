#pragma once
// Ranges of pivots for which the fast kernels are valid; slower code handles the others.

#include <complex>

#include "trifac/engine/base/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Cholesky: pivots whose square is a normal number.
template <class R>
inline constexpr R least_ordinary_pivot = sizeof(R) == 8 ? static_cast<R>(0x1p-511)
                                                         : static_cast<R>(0x1p-63);

/// Cholesky: true if the last term of this pivot is computed as (y·y)·r, not (y·r)·y, where y is
/// the element left of the pivot and r the reciprocal of the previous pivot: then y·y does not
/// depend on r. False in the first of four columns: tiles of four may have subtracted its last term
/// with others. All instruction sets use the same form for the same pivot.
constexpr bool has_short_chain(index_t column) {
  return column % 4 != 0;
}

/// LU: the reciprocal of a pivot in this range neither overflows nor loses digits, for complex
/// pivots also when computed from |x|². LAPACK's sfmin test, at both ends.
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
