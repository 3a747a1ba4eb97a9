#pragma once
// How a triangular solve divides by the diagonal.

#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// By nothing, where the diagonal is one; to quotients; or by products with reciprocals.
///
/// LU and triangles give quotients. With several right-hand sides and in lanes they cost little;
/// with one they lengthen the chain of the substitution, which tells at the smallest orders only
/// (`trifac-one-small`). Complex quotients, by Smith's algorithm, are as fast as products.
///
/// Real Cholesky factors, whose diagonal consists of rounded roots, are multiplied by reciprocals:
/// with one right-hand side quotients would take half as long again and more at orders 4 to 16.
enum class division { none, exact, by_reciprocal };

constexpr division division_of(diagonal diag) {
  return diag == diagonal::unit ? division::none : division::exact;
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
