#pragma once
// Device code of the last look at a factor.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows arithmetic.hpp.
inline constexpr const char* lu_edges = TRIFAC_KERNEL_LINE("lu_edges.hpp") R"kernel(
/* What no pivot shows: the last row of U of a wide matrix and the last column of L of a tall one
   must be finite. One item. */
KERNEL void check_edges(CONST_MATRIX(A), GLOBAL i64* state)
{
  if (is_fatal(state[FAILED])) return;
  const i64 m = A_view.rows, n = A_view.cols;
  int finite = 1;
  for (i64 j = m; j < n; ++j) {
    const SCALAR x = ELEMENT(A, m - 1, j);
    finite = finite && IS_FINITE(x);
  }
  for (i64 i = n; i < m; ++i) {
    const SCALAR x = ELEMENT(A, i, n - 1);
    finite = finite && IS_FINITE(x);
  }
  if (!finite) record(state, NOT_FINITE, (m < n ? m : n) - 1);
}
)kernel";

}  // namespace trifac::kernel
