#pragma once
// The search for pivots in each lane, and LU of a small square matrix in registers. Follows
// batch_lanes.hpp.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// EXCHANGES: 1 with partial pivoting, 0 without. ORDER: defined for a matrix in registers.
inline constexpr const char* batch_lu_registers =
    TRIFAC_KERNEL_LINE("batch_lu_registers.hpp") R"kernel(
/* The larger of a column so far in each lane, its row, and NaN where some element is not finite.
   The first of equal sizes stays. */
typedef struct { REALV best, row, finite; } SEARCH;
DEVICE SEARCH start_search(SCALARV x, i64 i)
{
  SEARCH s;
  s.best = SIZE(x);
  s.row = (REALV)(i);
  s.finite = s.best * 0;
  return s;
}
#define LOOK_AT(s, x, i)                                   \
  do {                                                     \
    const REALV size = SIZE(x);                            \
    (s).finite = fma(size, (REALV)(0), (s).finite);        \
    (s).row = size > (s).best ? (REALV)(i) : (s).row;      \
    (s).best = size > (s).best ? size : (s).best;          \
  } while (0)

/* The first zero pivot is noted; one that is not finite counts more where elimination goes on. */
DEVICE REALV note_pivot(REALV failed, REALV size, REALV finite, i64 k, int goes_on)
{
  const REALV at = (REALV)(k + 1);
  failed = ((size == 0) & (failed == 0)) ? at : failed;
  if (goes_on) return ((finite != 0) & (failed >= 0)) ? -at : failed;
  return ((finite != 0) & (failed == 0)) ? -at : failed;
}

/* to = where x ? a : b; x is evaluated for each part. */
#if COMPLEX
  #define SELECT_LANES(to, x, a, b) \
    ((to).re = (x) ? (a).re : (b).re, (to).im = (x) ? (a).im : (b).im)
#else
  #define SELECT_LANES(to, x, a, b) ((to) = (x) ? (a) : (b))
#endif

#ifdef ORDER
/* A small square matrix, all of it in registers. */
INLINED REALV lu_in_registers(LANES A, GLOBAL int *pivots)
{
  SCALARV x[ORDER][ORDER];
  REALV failed = (REALV)(0);
  UNROLL for (int j = 0; j < ORDER; ++j)
    UNROLL for (int i = 0; i < ORDER; ++i) x[i][j] = LOAD_LANES(AT(A, i, j));
  UNROLL for (int k = 0; k < ORDER; ++k) {
    SEARCH s = start_search(x[k][k], k);
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
    failed = note_pivot(failed, s.best, s.finite, k, EXCHANGES);
    SCALARV r;
    REALV by;
    const int scaled = divisor_of(x[k][k], &r, &by);
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
