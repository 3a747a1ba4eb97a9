#pragma once
// Addresses of the matrices of a batch, for all batch kernels. Follows arithmetic.hpp. Row
// interchanges are stored for PIVOTS_TOGETHER matrices at a time, simd::most_lanes:
// docs/batched.md.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* batch_place = TRIFAC_KERNEL_LINE("batch_place.hpp") R"kernel(
/* Offset of the first element of matrix b. */
DEVICE i64 place_of(BATCH A, i64 b)
{
  const i64 q = A.first + b;
  return A.offset + q / A.chunk * A.chunk_stride + (q % A.chunk - A.first) * A.lane_stride;
}
/* Offset of the first interchange of matrix b, which has `steps`. */
DEVICE i64 pivots_of(i64 b, i64 steps)
{
  return b / PIVOTS_TOGETHER * PIVOTS_TOGETHER * steps + b % PIVOTS_TOGETHER;
}
)kernel";

}  // namespace trifac::kernel
