#pragma once
// Device code of copies, sums and of the identity.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows arithmetic.hpp.
inline constexpr const char* copy = TRIFAC_KERNEL_LINE("copy.hpp") R"kernel(
/* B := A; with `guarded` only where a fallback was asked for. An item for each row. */
KERNEL void copy(GLOBAL const SCALAR* RESTRICT A, VIEW A_view, GLOBAL SCALAR* RESTRICT B,
                 VIEW B_view, int guarded, const STATE* state)
{
  const i64 i = GROUP(0) * ITEMS(0) + ITEM(0);
  if (is_fatal(state[FAILED]) || (guarded && !state[FALLBACK]) || i >= A_view.rows) return;
  for (i64 j = 0; j < A_view.cols; ++j) ELEMENT(B, i, j) = ELEMENT(A, i, j);
}

/* B := B + A. A line of items for a part of a column: with an item for each row PoCL takes 20 times
   as long where the columns are 512 elements apart, which share one set of its CPU's cache. */
KERNEL void add(CONST_MATRIX(A), MATRIX(B), const STATE* state)
{
  const i64 i = GROUP(1) * ITEMS(0) + ITEM(0), j = GROUP(0);
  if (is_fatal(state[FAILED]) || i >= A_view.rows) return;
  SCALAR x;
  SET_REAL(x, 0);
  SUBTRACT(x, ELEMENT(A, i, j));
  SUBTRACT(ELEMENT(B, i, j), x);
}

/* The lower triangle of B := that of A; B has at most as many columns as rows. An item for each row. */
KERNEL void copy_lower(GLOBAL const SCALAR* RESTRICT A, VIEW A_view, GLOBAL SCALAR* RESTRICT B,
                       VIEW B_view, const STATE* state)
{
  const i64 i = GROUP(0) * ITEMS(0) + ITEM(0);
  if (is_fatal(state[FAILED]) || i >= A_view.rows) return;
  const i64 end = i + 1 < A_view.cols ? i + 1 : A_view.cols;
  for (i64 j = 0; j < end; ++j) ELEMENT(B, i, j) = ELEMENT(A, i, j);
}

/* A := ones on the diagonal `first` rows below its own, zeros elsewhere. An item for each row. A loop that
   compares at each element takes PoCL 300 times as long. */
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
