#pragma once
// Device code: a tile of a triangular solve in packed memory, the step shared by all solves of LU.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows packed_tiles and lu_pivot. An item's tile is SOLVE_V vectors of right-hand sides for
/// SOLVE_N unknowns.
inline constexpr const char* substitute_tile = TRIFAC_KERNEL_LINE("substitute_tile.hpp") R"kernel(
/* Solves for the unknowns `first` ... of L X = B; x holds B on entry and X on return:
     x := L11^-1 (x - L10 x0).
   L: packed, `height` elements per column; unit diagonal if `unit`. x0: the previous unknowns,
   in the strip at w, conjugated there if `conjugated`. */
DEVICE void substitute_tile(int first, int unit, int conjugated, GLOBAL const REAL* L, int height,
                            GLOBAL const REAL* w, SCALARV x[SOLVE_N][SOLVE_V])
{
  NO_UNROLL
  for (int p = 0; p < first; ++p) {
    SCALARV done[SOLVE_V];
    UNROLL
    for (int i = 0; i < SOLVE_V; ++i) {
      done[i] = load_packed(w + i * VW + (i64)p * STRIP_COLUMN, STRIP);
      if (conjugated) CONJUGATE(done[i]);
    }
    UNROLL
    for (int j = 0; j < SOLVE_N; ++j) {
      const SCALARV l = splat_packed(AT(L, height, first + j, p), height);
      UNROLL
      for (int i = 0; i < SOLVE_V; ++i) FNMA(x[j][i], l, done[i]);
    }
  }
  UNROLL
  for (int j = 0; j < SOLVE_N; ++j) {
    if (!unit) {
      const DIVISOR pivot = quotient_by(get_packed(AT(L, height, first + j, first + j), height));
      UNROLL
      for (int i = 0; i < SOLVE_V; ++i) DIVIDE(x[j][i], pivot);
    }
    UNROLL
    for (int q = j + 1; q < SOLVE_N; ++q) {
      const SCALARV l = splat_packed(AT(L, height, first + q, first + j), height);
      UNROLL
      for (int i = 0; i < SOLVE_V; ++i) FNMA(x[q][i], l, x[j][i]);
    }
  }
}
)kernel";

}  // namespace trifac::kernel
