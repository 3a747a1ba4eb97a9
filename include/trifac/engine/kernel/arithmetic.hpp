#pragma once
// Device code common to all kernels: elements and vectors of elements, real or complex, packed
// layout, status words. Follows the dialect's prelude, VIEW_text and ROUND_text.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* arithmetic = TRIFAC_KERNEL_LINE("arithmetic.hpp") R"kernel(
/* SCALAR is an element of the matrix, SCALARV a vector of VW of them. The operations below
   accept both, so they are macros; x is an lvalue. Each product of real parts is one explicit
   fma. */
#ifdef FAST /* fast-math: the compiler chooses the order of sums */
  #undef fma
  #define fma(x, y, z) ((x) * (y) + (z))
#endif
#define IS_FINITE_REAL(r) ((r) - (r) == 0)
#define ROUND_UP(n, to) (((n) + (to)-1) / (to) * (to))
#if COMPLEX
  typedef struct { REAL re, im; } SCALAR;
  typedef struct { REALV re, im; } SCALARV;
  #define PARTS 2
  #define RE(x) ((x).re)
  #define SET_REAL(x, r) ((x).re = (r), (x).im = 0)
  #define CONJUGATE(x) ((x).im = -(x).im)
  #define CONJUGATE_BY(x, sign) ((x).im *= (sign))
  #define SCALE(x, r) ((x).re *= (r), (x).im *= (r))
  #define DIVIDE_BY_REAL(x, r) ((x).re /= (r), (x).im /= (r))
  #define SUBTRACT(x, a) ((x).re -= (a).re, (x).im -= (a).im)
  #define SUBTRACT_FROM(x, a) ((x).re = (a).re - (x).re, (x).im = (a).im - (x).im)
  /* x = x - a*b,  x = x - a*conj(b),  x = x + a*conj(b) */
  #define FNMA(x, a, b)                                                        \
    ((x).re = fma(-(a).re, (b).re, (x).re), (x).re = fma((a).im, (b).im, (x).re), \
     (x).im = fma(-(a).re, (b).im, (x).im), (x).im = fma(-(a).im, (b).re, (x).im))
  #define FNMA_CONJ(x, a, b)                                                    \
    ((x).re = fma(-(a).re, (b).re, (x).re), (x).re = fma(-(a).im, (b).im, (x).re), \
     (x).im = fma((a).re, (b).im, (x).im), (x).im = fma(-(a).im, (b).re, (x).im))
  #define FMA_CONJ(x, a, b)                                                    \
    ((x).re = fma((a).re, (b).re, (x).re), (x).re = fma((a).im, (b).im, (x).re), \
     (x).im = fma(-(a).re, (b).im, (x).im), (x).im = fma((a).im, (b).re, (x).im))
  /* r = r - |a|^2 */
  #define FNMA_SQUARE(r, a) ((r) = fma(-(a).re, (a).re, r), (r) = fma(-(a).im, (a).im, r))
  #define FMA_SQUARE(r, a) ((r) = fma((a).re, (a).re, r), (r) = fma((a).im, (a).im, r))
  #define IS_ZERO(x) ((x).re == 0 && (x).im == 0)
  #define IS_FINITE(x) (IS_FINITE_REAL((x).re) && IS_FINITE_REAL((x).im))
  #define SET_ZERO(v) ((v).re = 0, (v).im = 0)
  /* The size of a pivot, and half of it, which cannot overflow. */
  #define PIVOT_SIZE(x) (fabs((x).re) + fabs((x).im))
  #define HALF_SIZE(x) (fabs((x).re) * ((REAL)1 / 2) + fabs((x).im) * ((REAL)1 / 2))
  /* Search key, monotone in the size: half the size; below 2*LEAST, where halving would round,
     the size minus LEAST. LEAST is the smallest normal number. */
  #define SEARCH_SIZE(x)                                  \
    (PIVOT_SIZE(x) < TWICE_LEAST  ? PIVOT_SIZE(x) - LEAST \
     : PIVOT_SIZE(x) > HALF_RANGE ? HALF_SIZE(x)          \
                                  : PIVOT_SIZE(x) * ((REAL)1 / 2))
  #if DOUBLE
    #define LEAST 0x1p-1022
    #define TWICE_LEAST 0x1p-1021
    #define HALF_RANGE 0x1p1023
  #else
    #define LEAST 0x1p-126f
    #define TWICE_LEAST 0x1p-125f
    #define HALF_RANGE 0x1p127f
  #endif
#else
  typedef REAL SCALAR;
  typedef REALV SCALARV;
  #define PARTS 1
  #define RE(x) (x)
  #define SET_REAL(x, r) ((x) = (r))
  #define CONJUGATE(x) ((void)0)
  #define CONJUGATE_BY(x, sign) ((void)0)
  #define SCALE(x, r) ((x) *= (r))
  #define DIVIDE_BY_REAL(x, r) ((x) /= (r))
  #define SUBTRACT(x, a) ((x) -= (a))
  #define SUBTRACT_FROM(x, a) ((x) = (a) - (x))
  #define FNMA(x, a, b) ((x) = fma(-(a), (b), (x)))
  #define FNMA_CONJ(x, a, b) ((x) = fma(-(a), (b), (x)))
  #define FMA_CONJ(x, a, b) ((x) = fma((a), (b), (x)))
  #define FNMA_SQUARE(r, a) ((r) = fma(-(a), (a), (r)))
  #define FMA_SQUARE(r, a) ((r) = fma((a), (a), (r)))
  #define IS_ZERO(x) ((x) == 0)
  #define IS_FINITE(x) IS_FINITE_REAL(x)
  #define SET_ZERO(v) ((v) = (REALV)(0))
  #define PIVOT_SIZE(x) fabs(x)
  #define SEARCH_SIZE(x) fabs(x)
#endif

/* a / b. Complex: Smith's method, so that |b|^2 neither overflows nor underflows; with halved
   operands if |re| + |im| of b overflows. */
DEVICE SCALAR divide(SCALAR a, SCALAR b)
{
#if COMPLEX
  SCALAR x;
  if (!IS_FINITE_REAL(PIVOT_SIZE(b))) {
    SCALE(a, (REAL)1 / 2);
    SCALE(b, (REAL)1 / 2);
  }
  if (fabs(b.re) >= fabs(b.im)) {
    const REAL r = b.im / b.re, d = fma(b.im, r, b.re);
    x.re = fma(a.im, r, a.re) / d;
    x.im = fma(-a.re, r, a.im) / d;
  } else {
    const REAL r = b.re / b.im, d = fma(b.re, r, b.im);
    x.re = fma(a.re, r, a.im) / d;
    x.im = fma(a.im, r, -a.re) / d;
  }
  return x;
#else
  return a / b;
#endif
}

/* A matrix parameter: a buffer and its VIEW. */
#define MATRIX(A) GLOBAL SCALAR *A, VIEW A##_view
#define CONST_MATRIX(A) GLOBAL const SCALAR *A, VIEW A##_view
#define ELEMENT(A, i, j) (A)[A##_view.offset + (i) * A##_view.rs + (j) * A##_view.cs]

/* VW consecutive elements of a matrix. */
DEVICE SCALARV load_elements(GLOBAL const SCALAR* p)
{
  SCALARV x;
#if !COMPLEX
  x = LOAD_REALV(p);
#elif VW == 1
  x.re = p->re;
  x.im = p->im;
#else
  GLOBAL const REAL* parts = (GLOBAL const REAL*)p;
  const REALV a = LOAD_REALV(parts), b = LOAD_REALV(parts + VW);
  x.re = EVEN_LANES(a, b);
  x.im = ODD_LANES(a, b);
#endif
  return x;
}
DEVICE void store_elements(GLOBAL SCALAR* p, SCALARV x)
{
#if !COMPLEX
  STORE_REALV(p, x);
#elif VW == 1
  p->re = x.re;
  p->im = x.im;
#else
  GLOBAL REAL* parts = (GLOBAL REAL*)p;
  REALV a, b;
  LOW_PAIRS(a, x.re, x.im);
  HIGH_PAIRS(b, x.re, x.im);
  STORE_REALV(parts, a);
  STORE_REALV(parts + VW, b);
#endif
}

/* A column of packed memory is `height` real parts, then `height` imaginary parts, so it takes
   PARTS*height REALs and a vector of elements is a plain load. */
DEVICE SCALARV load_packed(GLOBAL const REAL* p, int height)
{
  SCALARV x;
#if COMPLEX
  x.re = LOAD_REALV(p);
  x.im = LOAD_REALV(p + height);
#else
  x = LOAD_REALV(p);
#endif
  return x;
}
DEVICE void store_packed(GLOBAL REAL* p, int height, SCALARV x)
{
#if COMPLEX
  STORE_REALV(p, x.re);
  STORE_REALV(p + height, x.im);
#else
  STORE_REALV(p, x);
#endif
}
/* Broadcasts an element of packed memory to all lanes. */
DEVICE SCALARV splat_packed(GLOBAL const REAL* p, int height)
{
  SCALARV x;
#if COMPLEX
  x.re = (REALV)(p[0]);
  x.im = (REALV)(p[height]);
#else
  x = (REALV)(p[0]);
#endif
  return x;
}
DEVICE SCALAR get_packed(GLOBAL const REAL* p, int height)
{
  SCALAR x;
#if COMPLEX
  x.re = p[0];
  x.im = p[height];
#else
  x = p[0];
#endif
  return x;
}
DEVICE void set_packed(GLOBAL REAL* p, int height, SCALAR x)
{
#if COMPLEX
  p[0] = x.re;
  p[height] = x.im;
#else
  p[0] = x;
#endif
}

/* Status words, zero at the start of a call. Kinds are those of trifac::status_kind. One item
   writes FAILED; if another group of the same launch reads the status, it reads SETTLED, a copy
   of FAILED made by an earlier launch. */
#define FAILED 0
#define FAILED_AT 1
#define SETTLED 2
#define FALLBACK 3
#define TAKEN 7 /* number of pieces of an update taken so far; 4 to 6 depend on the kernel family */
#define NOT_POSITIVE_DEFINITE 1
#define SINGULAR 2
#define ZERO_PIVOT 3
#define NOT_FINITE 4
/* True for failures that end the factorization: all but SINGULAR. */
DEVICE int is_fatal(i64 kind)
{
  return kind != 0 && kind != SINGULAR;
}
/* Keeps the first failure, except that a fatal one replaces SINGULAR. */
DEVICE void record(STATE* state, int kind, i64 index)
{
  if (state[FAILED] == 0 || (!is_fatal(state[FAILED]) && is_fatal(kind))) {
    state[FAILED] = kind;
    state[FAILED_AT] = index;
  }
}
)kernel";

}  // namespace trifac::kernel
