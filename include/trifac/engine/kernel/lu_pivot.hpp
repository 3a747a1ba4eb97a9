#pragma once
// Device code shared by the kernels of LU: pivot sizes and division by a pivot.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows arithmetic.hpp.
inline constexpr const char* lu_pivot = TRIFAC_KERNEL_LINE("lu_pivot.hpp") R"kernel(
/* Element (i, j) of packed memory. */
#define AT(P, height, i, j) ((P) + (i64)(j) * PARTS * (height) + (i))

/* Division by a pivot; never by its reciprocal, which overflows for subnormal pivots. Complex:
   Smith's algorithm, (re + i im) / (c + i d) = ((re p + im q) + i (im p - re q)) / r. */
#if COMPLEX
  typedef struct { REAL p, q, r; } DIVISOR;
  #define DIVIDE(x, by)                                                             \
    do {                                                                            \
      const REALV re = fma((x).im, (REALV)((by).q), (x).re * (by).p);               \
      (x).im = fma(-(x).re, (REALV)((by).q), (x).im * (by).p) / (by).r;             \
      (x).re = re / (by).r;                                                         \
    } while (0)
  /* Compared relative to the row scale: half the size, or the size itself if the half underflows
     to zero. */
  #define SIZE_IN_ROW(x) (HALF_SIZE(x) > 0 ? HALF_SIZE(x) : PIVOT_SIZE(x))
  #define SPLAT(v, x) ((v).re = (REALV)((x).re), (v).im = (REALV)((x).im))
  #define CHOOSE(x, mask, a, b) ((x).re = (mask) ? (a).re : (b).re, (x).im = (mask) ? (a).im : (b).im)
#else
  typedef struct { REAL r; } DIVISOR;
  #define DIVIDE(x, by) ((x) /= (by).r)
  #define SIZE_IN_ROW(x) fabs(x)
  #define SPLAT(v, x) ((v) = (REALV)(x))
  #define CHOOSE(x, mask, a, b) ((x) = (mask) ? (a) : (b))
#endif

/* If |re| + |im| of a finite pivot overflows, divides half of each element by half of the pivot. */
DEVICE DIVISOR quotient_by(SCALAR pivot)
{
  DIVISOR by;
#if COMPLEX
  const int tall = fabs(pivot.re) >= fabs(pivot.im);
  by.p = tall ? 1 : pivot.re / pivot.im;
  by.q = tall ? pivot.im / pivot.re : 1;
  const REAL part = IS_FINITE_REAL(PIVOT_SIZE(pivot)) ? (REAL)1 : (REAL)1 / 2;
  by.r = tall ? fma(part * pivot.im, by.q, part * pivot.re)
              : fma(part * pivot.re, by.p, part * pivot.im);
  by.p *= part;
  by.q *= part;
#else
  by.r = pivot;
#endif
  return by;
}
/* For an elimination: a zero pivot leaves its column undivided. */
DEVICE DIVISOR divisor(SCALAR pivot)
{
  if (IS_ZERO(pivot)) SET_REAL(pivot, 1);
  return quotient_by(pivot);
}
)kernel";

}  // namespace trifac::kernel
