#pragma once
// Device code of copies, sums and the identity.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows arithmetic.hpp.
inline constexpr const char* copy = TRIFAC_KERNEL_LINE("copy.hpp") R"kernel(
/* Here and in the next two kernels, items run along columns: with one item per row PoCL takes 20
   times as long if columns are 512 elements apart, which map to one cache set of its CPU. */

/* B := A; with `guarded`, only if a fallback was requested. */
KERNEL void copy(GLOBAL const SCALAR* RESTRICT A, VIEW A_view, GLOBAL SCALAR* RESTRICT B,
                 VIEW B_view, int guarded, const STATE* state)
{
  const i64 i = GROUP(1) * ITEMS(0) + ITEM(0), j = GROUP(0);
  if (is_fatal(state[FAILED]) || (guarded && !state[FALLBACK]) || i >= A_view.rows) return;
  ELEMENT(B, i, j) = ELEMENT(A, i, j);
}

/* B := B + A. */
KERNEL void add(CONST_MATRIX(A), MATRIX(B), const STATE* state)
{
  const i64 i = GROUP(1) * ITEMS(0) + ITEM(0), j = GROUP(0);
  if (is_fatal(state[FAILED]) || i >= A_view.rows) return;
  SCALAR x;
  SET_REAL(x, 0);
  SUBTRACT(x, ELEMENT(A, i, j));
  SUBTRACT(ELEMENT(B, i, j), x);
}

/* The lower (part = 1) or upper (part = -1) triangle of B := that of A. */
KERNEL void copy_triangle(GLOBAL const SCALAR* RESTRICT A, VIEW A_view, GLOBAL SCALAR* RESTRICT B,
                          VIEW B_view, int part, const STATE* state)
{
  const i64 i = GROUP(1) * ITEMS(0) + ITEM(0), j = GROUP(0);
  if (is_fatal(state[FAILED]) || i >= A_view.rows || part * (i - j) < 0) return;
  ELEMENT(B, i, j) = ELEMENT(A, i, j);
}

/* A := ones on the diagonal `first` rows below the main one, zeros elsewhere. One item per row.
   A loop with a comparison per element takes PoCL 300 times as long. */
KERNEL void set_identity(MATRIX(A), i64 first, const STATE* state)
{
  const i64 i = GROUP(0) * ITEMS(0) + ITEM(0);
  if (is_fatal(state[FAILED]) || i >= A_view.rows) return;
  SCALAR x;
  SET_REAL(x, 0);
  for (i64 j = 0; j < A_view.cols; ++j) ELEMENT(A, i, j) = x;
  SET_REAL(x, 1);
  if (i >= first && i - first < A_view.cols) ELEMENT(A, i, i - first) = x;
}
)kernel";

}  // namespace trifac::kernel
