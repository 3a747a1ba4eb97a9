#pragma once
// Device code: checks the elements of L and U that affect no pivot.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows packed_tiles.
inline constexpr const char* lu_edges = TRIFAC_KERNEL_LINE("lu_edges.hpp") R"kernel(
/* Checks that elements that affect no pivot are finite: the last row of U of a wide matrix and
   the last column of L of a tall one. One group. */
KERNEL GROUP_SHAPE(DIAGONAL_ITEMS, 1) void check_edges(CONST_MATRIX(A), STATE* state)
{
  LOCAL int bad[DIAGONAL_ITEMS];
  const i64 m = A_view.rows, n = A_view.cols;
  const int t = ITEM(0);
  bad[t] = 0;
  for (i64 j = m + t; j < n; j += DIAGONAL_ITEMS) {
    const SCALAR x = ELEMENT(A, m - 1, j);
    bad[t] |= !IS_FINITE(x);
  }
  for (i64 i = n + t; i < m; i += DIAGONAL_ITEMS) {
    const SCALAR x = ELEMENT(A, i, n - 1);
    bad[t] |= !IS_FINITE(x);
  }
  BARRIER();
  if (t != 0 || is_fatal(state[FAILED])) return;
  for (int k = 1; k < DIAGONAL_ITEMS; ++k) bad[0] |= bad[k];
  if (bad[0]) record(state, NOT_FINITE, (m < n ? m : n) - 1);
}
)kernel";

}  // namespace trifac::kernel
