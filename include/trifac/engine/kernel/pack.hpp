#pragma once
// Device code that packs rows of a matrix into strips, the operands of products.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows packed_tiles.
inline constexpr const char* pack = TRIFAC_KERNEL_LINE("pack.hpp") R"kernel(
/* Packs strips of A, optionally conjugated. Group (s, c): strip s, columns from c*PACK_COLUMNS
   on. An item loads PACK_FLIGHT columns at a time. */
#define PACK_COLUMNS 64
#if ITEMS_X * ITEMS_Y == 1
  #define PACK_FLIGHT 1
#else
  #define PACK_FLIGHT 8
#endif
KERNEL void pack(GLOBAL const SCALAR* RESTRICT A, VIEW A_view, int conjugated,
                 GLOBAL REAL* RESTRICT P, const STATE* state)
{
  if (is_fatal(state[FAILED])) return;
  const i64 rows = A_view.rows, cols = A_view.cols, rs = A_view.rs;
  const i64 i0 = GROUP(0) * STRIP, first = GROUP(1) * PACK_COLUMNS;
  const i64 last = first + PACK_COLUMNS < cols ? first + PACK_COLUMNS : cols;
  for (i64 p = first; p < last; p += PACK_FLIGHT) {
    GLOBAL const SCALAR* source = &ELEMENT(A, i0, p);
    GLOBAL REAL* target = P + (i0 * cols + p * STRIP) * PARTS;
    for (int i = ITEM(0); i < STRIP; i += ITEMS(0)) {
      SCALAR x[PACK_FLIGHT];
      UNROLL
      for (int c = 0; c < PACK_FLIGHT; ++c) {
        if (i0 + i < rows && (c == 0 || p + c < last))
          x[c] = source[i * rs + c * A_view.cs];
        else
          SET_REAL(x[c], 0);
      }
      UNROLL
      for (int c = 0; c < PACK_FLIGHT; ++c)
        if (c == 0 || p + c < last) {
          if (conjugated) CONJUGATE(x[c]);
          set_packed(target + i + c * STRIP_COLUMN, STRIP, x[c]);
        }
    }
  }
}
)kernel";

}  // namespace trifac::kernel
