#pragma once
// How a triangular solve divides by the diagonal.

#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// By nothing, where the diagonal is one; to quotients; or by products with reciprocals.
///
/// LU and triangles give quotients: with several right-hand sides and in lanes that costs nothing,
/// with one 1.2 times the time at orders 8 to 16, 1.1 times at 32 (Zen 4, double). Complex
/// quotients, by Smith's algorithm, are as fast as products.
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
