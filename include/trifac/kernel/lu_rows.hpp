#pragma once
// Device code of copies that a tournament may take back, and the last look at a factor.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows arithmetic.hpp.
inline constexpr const char* lu_rows = TRIFAC_KERNEL_LINE("lu_rows.hpp") R"kernel(
/* B := A, m x n; with `guarded`, only where a fallback was asked for. Item: one row. */
KERNEL void copy_guarded(GLOBAL const SCALAR* A, i64 a_offset, i64 a_rs, i64 a_cs,
                         GLOBAL SCALAR* B, i64 b_offset, i64 b_rs, i64 b_cs, i64 m, i64 n,
                         int guarded, GLOBAL const i64* state)
{
  if (is_fatal(state[FAILED]) || (guarded && !state[FALLBACK])) return;
  const i64 i = GROUP(0) * ITEMS(0) + ITEM(0);
  if (i < m)
    for (i64 j = 0; j < n; ++j)
      B[b_offset + i * b_rs + j * b_cs] = A[a_offset + i * a_rs + j * a_cs];
}

/* What no pivot shows: the last row of U of a wide matrix and the last column of L of a tall one
   must be finite. One item. */
KERNEL void check_edges(GLOBAL const SCALAR* A, i64 offset, i64 m, i64 n, i64 rs, i64 cs,
                        GLOBAL i64* state)
{
  if (is_fatal(state[FAILED])) return;
  int finite = 1;
  for (i64 j = m; j < n; ++j) {
    const SCALAR x = A[offset + (m - 1) * rs + j * cs];
    finite = finite && IS_FINITE(x);
  }
  for (i64 i = n; i < m; ++i) {
    const SCALAR x = A[offset + i * rs + (n - 1) * cs];
    finite = finite && IS_FINITE(x);
  }
  if (!finite) record(state, NOT_FINITE, (m < n ? m : n) - 1);
}
)kernel";

}  // namespace trifac::kernel
