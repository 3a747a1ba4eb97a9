#pragma once
// LU of a batch on a device, one matrix per lane, left-looking by panels. Follows
// batch_lu_registers.hpp; the kernel is in batch_factor.hpp.
//
//          k
//     | U  U0  … |    panel k: U0 := L00⁻¹·U0 and A1 −= L10·U0 by tiles, then the columns of A1 one
//     | L  A1  … |    by one, with or without pivoting; columns to the right are not updated
//
// Each lane has its own pivots: rows are exchanged by selection within the panel, lane by lane in
// other columns.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// EXCHANGES: 1 with partial pivoting, 0 without.
inline constexpr const char* batch_lu = TRIFAC_KERNEL_LINE("batch_lu.hpp") R"kernel(
#ifndef ORDER
/* `rows` rows of the panel from row i on: subtracts L*U; above the diagonal block, then applies
   L^-1. */
INLINED void reduce_tile_of_panel(LANES A, i64 i, i64 k, int rows, int cols, int above)
{
  SCALARV x[TILE][TILE];
  load_tile(x, A, i, k, rows, cols, 0);
  subtract_products(x, AT(A, i, 0), A.rs, A.cs, AT(A, 0, k), A.cs, A.rs, above ? i : k, rows, cols,
                    0);
  if (above)
    UNROLL for (int d = 0; d < rows; ++d)
      UNROLL for (int r = d + 1; r < rows; ++r) {
        const SCALARV l = LOAD_LANES(AT(A, i + r, i + d));
        UNROLL for (int c = 0; c < cols; ++c) FNMA(x[r][c], l, x[d][c]);
      }
  store_tile(x, A, i, k, rows, cols, 0);
}

#if EXCHANGES
/* The panel's columns with exchanges within it: one pass fetches the pivot row; a second one
   moves row j down, eliminates and searches the next pivot. */
INLINED REALV eliminate_with_exchanges(LANES A, i64 m, i64 k, int cols, GLOBAL int *pivots,
                                       REALV failed)
{
  SEARCH s;
  START_SEARCH(s, LOAD_LANES(AT(A, k, k)), k);
  NO_UNROLL for (i64 i = k + 1; i < m; ++i) {
    const SCALARV x = LOAD_LANES(AT(A, i, k));
    LOOK_AT(s, x, i);
  }
  UNROLL for (int e = 0; e < cols; ++e) {
    const i64 j = k + e;
    SCALARV old[TILE], top[TILE], r;
    REALV by;
    UNROLL for (int c = 0; c < cols; ++c) top[c] = old[c] = LOAD_LANES(AT(A, j, k + c));
    STORE_INTS(pivots + j * PIVOTS_TOGETHER, s.row);
    NO_UNROLL for (i64 i = j + 1; i < m; ++i)
      UNROLL for (int c = 0; c < cols; ++c) {
        const SCALARV x = LOAD_LANES(AT(A, i, k + c));
        SELECT_LANES(top[c], s.row == (REALV)(i), x, top[c]);
      }
    UNROLL for (int c = 0; c < cols; ++c) STORE_LANES(AT(A, j, k + c), top[c]);
    failed = note_pivot(failed, PIVOT_SIZE(top[e]), s.finite, j, 1);
    const int scaled = divisor_of(top[e], &r, &by, IN_ELIMINATION);
    SEARCH next = s;
    NO_UNROLL for (i64 i = j + 1; i < m; ++i) {
      SCALARV x[TILE];
      UNROLL for (int c = 0; c < cols; ++c) {
        x[c] = LOAD_LANES(AT(A, i, k + c));
        SELECT_LANES(x[c], s.row == (REALV)(i), old[c], x[c]);
      }
      x[e] = divided(x[e], r, by, scaled);
      UNROLL for (int c = e + 1; c < cols; ++c) FNMA(x[c], x[e], top[c]);
      UNROLL for (int c = 0; c < cols; ++c) STORE_LANES(AT(A, i, k + c), x[c]);
      if (e + 1 < cols) {
        const SCALARV below = x[e + 1 < cols ? e + 1 : e];
        if (i == j + 1) START_SEARCH(next, below, i);
        else LOOK_AT(next, below, i);
      }
    }
    s = next;
  }
  return failed;
}
#else
/* The panel's columns without exchanges: the diagonal block in registers, then the rows below by
   tiles. */
INLINED void solve_tile_below(LANES A, i64 i, i64 k, int rows, int cols, const SCALARV *r,
                              const REALV *by, int scaled)
{
  SCALARV x[TILE][TILE];
  load_tile(x, A, i, k, rows, cols, 0);
  UNROLL for (int c = 0; c < cols; ++c) {
    UNROLL for (int q = 0; q < rows; ++q) x[q][c] = divided(x[q][c], r[c], by[c], scaled);
    UNROLL for (int d = c + 1; d < cols; ++d) {
      const SCALARV u = LOAD_LANES(AT(A, k + c, k + d));
      UNROLL for (int q = 0; q < rows; ++q) FNMA(x[q][d], x[q][c], u);
    }
  }
  store_tile(x, A, i, k, rows, cols, 0);
}
INLINED REALV eliminate_in_order(LANES A, i64 m, i64 k, int cols, REALV failed)
{
  SCALARV x[TILE][TILE], r[TILE];
  REALV by[TILE];
  int scaled = 0;
  load_tile(x, A, k, k, cols, cols, 0);
  UNROLL for (int j = 0; j < cols; ++j) {
    SEARCH s;
    START_SEARCH(s, x[j][j], k + j);
    failed = note_pivot(failed, PIVOT_SIZE(x[j][j]), s.finite, k + j, 0);
    scaled |= divisor_of(x[j][j], &r[j], &by[j], IN_ELIMINATION);
    UNROLL for (int i = j + 1; i < cols; ++i) {
      x[i][j] = divided(x[i][j], r[j], by[j], scaled);
      UNROLL for (int c = j + 1; c < cols; ++c) FNMA(x[i][c], x[i][j], x[j][c]);
    }
  }
  store_tile(x, A, k, k, cols, cols, 0);
  i64 i = k + cols;
  NO_UNROLL for (; i + TILE <= m; i += TILE) solve_tile_below(A, i, k, TILE, cols, r, by, scaled);
  NO_UNROLL for (; i < m; ++i) solve_tile_below(A, i, k, 1, cols, r, by, scaled);
  return failed;
}

#endif

/* Panel k of `cols` columns; if k >= m, it has no diagonal block. */
INLINED REALV factor_panel_of_lanes(LANES A, i64 m, i64 n, i64 k, int cols, GLOBAL int *pivots,
                                    REALV failed)
{
  const i64 above = k < m ? k : m;
  i64 i = 0;
  NO_UNROLL for (; i + TILE <= above; i += TILE) reduce_tile_of_panel(A, i, k, TILE, cols, 1);
  NO_UNROLL for (; i < above; ++i) reduce_tile_of_panel(A, i, k, 1, cols, 1);
  if (k >= m) return failed;
  if (k > 0) {
    NO_UNROLL for (; i + TILE <= m; i += TILE) reduce_tile_of_panel(A, i, k, TILE, cols, 0);
    NO_UNROLL for (; i < m; ++i) reduce_tile_of_panel(A, i, k, 1, cols, 0);
  }
#if EXCHANGES
  failed = eliminate_with_exchanges(A, m, k, cols, pivots, failed);
  NO_UNROLL for (int e = 0; e < cols; ++e) {
    GLOBAL const int *rows = pivots + (k + e) * PIVOTS_TOGETHER;
    exchange_rows(A, k + e, rows, 0, k);
    exchange_rows(A, k + e, rows, k + cols, n);
  }
#else
  failed = eliminate_in_order(A, m, k, cols, failed);
#endif
  return failed;
}
#endif

#define FACTORS_LOWER 0
INLINED REALV factor_of_lanes(LANES A, BATCH place, GLOBAL int *pivots)
{
#ifdef ORDER
  return lu_in_registers(A, pivots);
#else
  const i64 m = place.rows, n = place.cols;
  REALV failed = (REALV)(0);
  i64 k = 0;
  NO_UNROLL for (; k < n;) {
    const i64 left = (k < m && m < n ? m : n) - k;
    if (left >= TILE) {
      failed = factor_panel_of_lanes(A, m, n, k, TILE, pivots, failed);
      k += TILE;
    } else {
      failed = factor_panel_of_lanes(A, m, n, k, 1, pivots, failed);
      ++k;
    }
  }
  return failed;
#endif
}
)kernel";

}  // namespace trifac::kernel
