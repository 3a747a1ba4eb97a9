#pragma once
// How a triangular solve divides by the diagonal.

#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// By nothing, where the diagonal is one; to quotients; or by products with reciprocals.
///
/// LU and triangles give quotients. With several right-hand sides and in lanes they cost little. With
/// one they lengthen the chain of the substitution: LU and solve take 10 ns more at order 4 (of 58),
/// 1.1 times as long at 6, 1.02 to 1.06 times at 8 to 24 (Zen 4, double). Complex quotients, by
/// Smith's algorithm, are as fast as products.
///
/// Real Cholesky factors, whose diagonal consists of rounded roots, are multiplied by reciprocals:
/// with one right-hand side quotients would take 1.5 to 1.8 times as long at orders 4 to 16, 1.2
/// times at 64, in lanes 1.2 times up to order 8.
enum class division { none, exact, by_reciprocal };

constexpr division division_of(diagonal diag) {
  return diag == diagonal::unit ? division::none : division::exact;
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
