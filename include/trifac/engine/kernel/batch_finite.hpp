#pragma once
// Detection of non-finite elements that affect no pivot of a rectangular LU. Follows
// batch_place.hpp.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* batch_finite = TRIFAC_KERNEL_LINE("batch_finite.hpp") R"kernel(
/* Sets info for non-finite elements that affected no pivot, one item per matrix. A non-finite
   element makes all later ones of its column non-finite, or of its row if that has no pivot: it
   is visible in the last row right of the pivots, or in the last column below them. It takes
   precedence over a zero pivot if elimination continues past those (exchanges). */
KERNEL void batch_finite(GLOBAL const REAL *data, BATCH place, int exchanges, GLOBAL int *info)
{
  const i64 b = GROUP(0) * ITEMS(0) + ITEM(0), m = place.rows, n = place.cols;
  if (b >= place.count || info[b] < 0 || (info[b] > 0 && !exchanges)) return;
  GLOBAL const SCALAR *A = (GLOBAL const SCALAR *)data + place_of(place, b);
  int finite = 1;
  NO_UNROLL for (i64 j = m; j < n; ++j) {
    const SCALAR x = A[(m - 1) * place.rs + j * place.cs];
    finite &= IS_FINITE(x);
  }
  NO_UNROLL for (i64 i = n; i < m; ++i) {
    const SCALAR x = A[i * place.rs + (n - 1) * place.cs];
    finite &= IS_FINITE(x);
  }
  if (!finite) info[b] = -(int)(m < n ? m : n);
}
)kernel";

}  // namespace trifac::kernel
