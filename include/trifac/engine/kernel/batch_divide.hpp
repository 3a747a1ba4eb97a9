#pragma once
// Quotients by a pivot, for all batch kernels. Follows arithmetic.hpp.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* batch_divide = TRIFAC_KERNEL_LINE("batch_divide.hpp") R"kernel(
/* Quotients by the pivot of each lane: x / pivot = x*r*s. Sets s = 1 and returns 0 if the sizes
   of all pivots are ordinary: then 1 / pivot and its square neither overflow nor underflow. An
   overflowing size is scaled down like other large ones. A zero pivot divides in a solve; in an
   elimination it is replaced by 1, which leaves the column below unchanged. */
#if DOUBLE
  #define LEAST_ORDINARY 0x1p-400
  #define MOST_ORDINARY 0x1p400
  #define SCALE_UP 0x1p800
  #define SCALE_DOWN 0x1p-800
#else
  #define LEAST_ORDINARY 0x1p-40f
  #define MOST_ORDINARY 0x1p40f
  #define SCALE_UP 0x1p100f
  #define SCALE_DOWN 0x1p-100f
#endif
#define IN_SOLVE 0
#define IN_ELIMINATION 1
INLINED int divisor_of(SCALARV pivot, SCALARV *r, REALV *s, int where)
{
  const REALV one = (REALV)(1), size = PIVOT_SIZE(pivot);
  const REALV least = (REALV)(LEAST_ORDINARY), most = (REALV)(MOST_ORDINARY);
  int scaled = 0;
  *s = one;
  if (ANY_LANE((size < least) | (size > most))) {
    *s = size < least ? (REALV)(SCALE_UP) : size > most ? (REALV)(SCALE_DOWN) : one;
    SCALE(pivot, *s);
    if (where == IN_ELIMINATION) {
      RE(pivot) = size == 0 ? one : RE(pivot);
      *s = size == 0 ? one : *s;
    }
    scaled = 1;
  }
#if COMPLEX
  const REALV square = fma(pivot.im, pivot.im, pivot.re * pivot.re);
  r->re = pivot.re / square;
  r->im = -pivot.im / square;
#else
  *r = one / pivot;
#endif
  return scaled;
}
/* x*r*s */
#if COMPLEX
INLINED SCALARV divided(SCALARV x, SCALARV r, REALV s, int scaled)
{
  SCALARV y;
  y.re = fma(-x.im, r.im, x.re * r.re);
  y.im = fma(x.im, r.re, x.re * r.im);
  if (scaled) SCALE(y, s);
  return y;
}
#else
  #define divided(x, r, s, scaled) ((scaled) ? (x) * (r) * (s) : (x) * (r))
#endif
/* Division by a diagonal element in a solve of a KIND: real types use quotients except for
   Cholesky, as on the CPU. */
#if COMPLEX
  #define GIVES_QUOTIENTS 0
  #define QUOTIENT(x, r, s, scaled) divided(x, r, s, scaled)
#else
  #define GIVES_QUOTIENTS (KIND != BY_CHOLESKY)
  #define QUOTIENT(x, r, s, scaled) (GIVES_QUOTIENTS ? (x) / (r) : divided(x, r, s, scaled))
#endif
)kernel";

}  // namespace trifac::kernel
