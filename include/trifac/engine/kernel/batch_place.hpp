#pragma once
// Where the matrices of a batch lie, for all kernels on batches. Follows arithmetic.hpp. Row
// interchanges are kept for PIVOTS_TOGETHER matrices at a time, simd::most_lanes: docs/batched.md.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* batch_place = TRIFAC_KERNEL_LINE("batch_place.hpp") R"kernel(
/* The first element of matrix b. */
DEVICE i64 place_of(BATCH A, i64 b)
{
  const i64 q = A.first + b;
  return A.offset + q / A.chunk * A.chunk_stride + (q % A.chunk - A.first) * A.lane_stride;
}
/* The first interchange of matrix b, of `steps` each. */
DEVICE i64 pivots_of(i64 b, i64 steps)
{
  return b / PIVOTS_TOGETHER * PIVOTS_TOGETHER * steps + b % PIVOTS_TOGETHER;
}
)kernel";

}  // namespace trifac::kernel
