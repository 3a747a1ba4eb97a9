#pragma once
// Device code of copies.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows arithmetic.hpp.
inline constexpr const char* copy = TRIFAC_KERNEL_LINE("copy.hpp") R"kernel(
/* B := A; with `guarded` only where a fallback was asked for. An item for each row. */
KERNEL void copy(CONST_MATRIX(A), MATRIX(B), int guarded, const STATE* state)
{
  const i64 i = GROUP(0) * ITEMS(0) + ITEM(0);
  if (is_fatal(state[FAILED]) || (guarded && !state[FALLBACK]) || i >= A_view.rows) return;
  for (i64 j = 0; j < A_view.cols; ++j) ELEMENT(B, i, j) = ELEMENT(A, i, j);
}
)kernel";

}  // namespace trifac::kernel
