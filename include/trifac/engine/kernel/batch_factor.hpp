#pragma once
// The factorization of a batch on a device, one matrix per lane; factors and solves in one pass.
// Follows batch_cholesky.hpp or batch_lu.hpp, and batch_solve.hpp if SOLVES.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// SOLVES: 1 to solve for right-hand sides as well.
inline constexpr const char* batch_factor = TRIFAC_KERNEL_LINE("batch_factor.hpp") R"kernel(
/* A = L*L^H or P*A = L*U of each matrix; an item processes `each` lane groups. in_place: whole
   groups are factored in place, others in the item's part of `work`, `step` REALs with columns
   of ld rows. pivots of LU: step k of matrix b is number b/16*16*steps + 16*k + b%16.
   SOLVES: B := A^-1*B if that succeeded, while the group is in cache. */
KERNEL void batch_factor(GLOBAL REAL *A, BATCH place, GLOBAL REAL *work, i64 step, i64 ld,
                         int in_place, i64 each, GLOBAL int *pivots, GLOBAL int *info
#if SOLVES
                         , GLOBAL REAL *B, BATCH B_place, int sides_in_place, int conjugated,
                         int exchanges
#endif
)
{
  const i64 item = GROUP(0) * ITEMS(0) + ITEM(0), from = item * each * VW;
  const i64 end = from + each * VW < place.count ? from + each * VW : place.count;
  const i64 steps = place.rows < place.cols ? place.rows : place.cols;
  NO_UNROLL for (i64 b = from; b < end; b += VW) {
    const int lanes = place.count - b < VW ? (int)(place.count - b) : VW;
    GLOBAL int *rows = pivots + pivots_of(b, steps);
    LANES here = group_in_place(A, place, b);
#if VW > 1
    const int direct = in_place && lanes == VW;
    if (!direct) {
      here = packed_group(work + item * step, ld);
      pack_lanes(here, A, place, b, lanes, FACTORS_LOWER);
    }
#endif
    store_info(info + b, factor_of_lanes(here, place, rows), lanes);
#if VW == 1 && defined(EXCHANGES) && EXCHANGES
    /* Vectorized solves also read the interchanges of lanes after the last matrix: copies of its
       own. */
    if (b + 1 == place.count)
      NO_UNROLL for (i64 k = 0; k < steps; ++k)
        NO_UNROLL for (int l = 1; (b + l) % PIVOTS_TOGETHER != 0; ++l)
          rows[k * PIVOTS_TOGETHER + l] = rows[k * PIVOTS_TOGETHER];
#endif
#if VW > 1
    const int none[VW] = {0};
    if (!direct) unpack_lanes(here, A, place, b, lanes, none, FACTORS_LOWER);
#endif
#if SOLVES
    solve_group(here, ORDER_OF(place), B, B_place, b,
                work + item * step + ld * place.rows * PARTS * VW, ld, sides_in_place, conjugated,
                exchanges, rows, info + b, 1);
#endif
  }
}
)kernel";

}  // namespace trifac::kernel
