#pragma once
// Copies a batch to another layout, or one matrix to all of a batch. Follows batch_place.hpp.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* batch_copy = TRIFAC_KERNEL_LINE("batch_copy.hpp") R"kernel(
/* to := from, one item per matrix; if `from` has one matrix, it is copied to all. */
KERNEL void batch_copy(GLOBAL const REAL *source, BATCH from, GLOBAL REAL *target, BATCH to)
{
  const i64 b = GROUP(0) * ITEMS(0) + ITEM(0);
  if (b >= to.count) return;
  GLOBAL const SCALAR *A = (GLOBAL const SCALAR *)source + place_of(from, from.count == 1 ? 0 : b);
  GLOBAL SCALAR *B = (GLOBAL SCALAR *)target + place_of(to, b);
  for (i64 j = 0; j < to.cols; ++j)
    for (i64 i = 0; i < to.rows; ++i) B[i * to.rs + j * to.cs] = A[i * from.rs + j * from.cs];
}
)kernel";

}  // namespace trifac::kernel
