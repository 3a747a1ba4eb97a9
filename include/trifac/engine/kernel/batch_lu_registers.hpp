#pragma once
// LU of a small square matrix in registers, one matrix per lane. Follows batch_lanes.hpp and
// batch_search.hpp.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// EXCHANGES: 1 with partial pivoting, 0 without. ORDER: defined if the matrix fits in registers.
inline constexpr const char* batch_lu_registers =
    TRIFAC_KERNEL_LINE("batch_lu_registers.hpp") R"kernel(
/* to = x ? a : b; x is evaluated once per part. */
#if COMPLEX
  #define SELECT_LANES(to, x, a, b) \
    ((to).re = (x) ? (a).re : (b).re, (to).im = (x) ? (a).im : (b).im)
#else
  #define SELECT_LANES(to, x, a, b) ((to) = (x) ? (a) : (b))
#endif

#ifdef ORDER
INLINED REALV lu_in_registers(LANES A, GLOBAL int *pivots)
{
  SCALARV x[ORDER][ORDER];
  REALV failed = (REALV)(0);
  UNROLL for (int j = 0; j < ORDER; ++j)
    UNROLL for (int i = 0; i < ORDER; ++i) x[i][j] = LOAD_LANES(AT(A, i, j));
  UNROLL for (int k = 0; k < ORDER; ++k) {
    SEARCH s;
    START_SEARCH(s, x[k][k], k);
    if (EXCHANGES) {
      UNROLL for (int i = k + 1; i < ORDER; ++i) LOOK_AT(s, x[i][k], i);
      STORE_INTS(pivots + k * PIVOTS_TOGETHER, s.row);
      UNROLL for (int i = k + 1; i < ORDER; ++i)
        UNROLL for (int c = 0; c < ORDER; ++c) {
          const SCALARV upper = x[k][c], lower = x[i][c];
          SELECT_LANES(x[k][c], s.row == (REALV)(i), lower, upper);
          SELECT_LANES(x[i][c], s.row == (REALV)(i), upper, lower);
        }
    }
    failed = note_pivot(failed, PIVOT_SIZE(x[k][k]), s.finite, k, EXCHANGES);
    SCALARV r;
    REALV by;
    const int scaled = divisor_of(x[k][k], &r, &by, IN_ELIMINATION);
    UNROLL for (int i = k + 1; i < ORDER; ++i) x[i][k] = divided(x[i][k], r, by, scaled);
    UNROLL for (int c = k + 1; c < ORDER; ++c)
      UNROLL for (int i = k + 1; i < ORDER; ++i) FNMA(x[i][c], x[i][k], x[k][c]);
  }
  UNROLL for (int j = 0; j < ORDER; ++j)
    UNROLL for (int i = 0; i < ORDER; ++i) STORE_LANES(AT(A, i, j), x[i][j]);
  return failed;
}
#endif
)kernel";

}  // namespace trifac::kernel
