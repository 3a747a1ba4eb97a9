#pragma once
// What the pivots of LU do not show where matrices are not square. Follows batch_place.hpp.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* batch_finite = TRIFAC_KERNEL_LINE("batch_finite.hpp") R"kernel(
/* info of matrices that are not finite, which pivots have not shown, an item for each matrix. An
   element that is not finite makes all later ones of its column so, or of its row where that has no
   pivot: the last row shows it right of the pivots, the last column below them. As a pivot that is
   not finite it counts more than a zero one where elimination goes on (exchanges). */
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
