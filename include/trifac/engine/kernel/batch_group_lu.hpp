#pragma once
// LU of a batch on a device, one group of items per matrix: the canonical kernel of Proc. IEEE 2018
// (docs/sources.md C) for LU. Follows batch_search.hpp.
//
//            k
//     | L \  U  · |    all rows of a panel of PANEL columns are in registers: an item holds rows
//     | L  L A  · |    h, h + HEIGHT, … and columns w, w + WIDTH, …. The columns left of it are
//     | L  L A  · |    staged in local memory, STAGE at a time; then the panel is eliminated

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Additional parameters: those of batch_group_cholesky and
///   EXCHANGES  1 with partial pivoting, 0 without
inline constexpr const char* batch_group_lu = TRIFAC_KERNEL_LINE("batch_group_lu.hpp") R"kernel(
#define AT(i, j) (A + (i) * place.rs + (j) * place.cs)
/* Number of items that search a column, each a part of it. */
#define SEARCHERS 16

INLINED void load_panel(SCALARV x[][COLS], GLOBAL const SCALAR *A, BATCH place, i64 k)
{
  UNROLL for (int r = 0; r < ROWS; ++r)
    UNROLL for (int c = 0; c < COLS; ++c) {
      const int i = ITEM(0) + r * HEIGHT, j = ITEM(1) + c * WIDTH;
      SET_ZERO(x[r][c]);
      if (i < place.rows && j < PANEL && k + j < place.cols) x[r][c] = load_elements(AT(i, k + j));
    }
}
/* Stores row r of an item to row to[r] of A. */
INLINED void store_panel(SCALARV x[][COLS], GLOBAL SCALAR *A, BATCH place, i64 k, const int *to)
{
  UNROLL for (int r = 0; r < ROWS; ++r)
    UNROLL for (int c = 0; c < COLS; ++c) {
      const int i = ITEM(0) + r * HEIGHT, j = ITEM(1) + c * WIDTH;
      if (i < place.rows && j < PANEL && k + j < place.cols)
        store_elements(AT(to[r], k + j), x[r][c]);
    }
}

#if EXCHANGES
/* best := the pivot of column l among places j ... m-1. Called by all items; two barriers. */
INLINED void search_together(SEARCH *best, LOCAL_PTR const SCALARV *l, LOCAL_PTR const int *row_at,
                             LOCAL_PTR SEARCH *found, int j, int m)
{
  const int item = ITEM(0) + ITEM(1) * HEIGHT, part = (m - j + SEARCHERS - 1) / SEARCHERS;
  const int from = j + item * part, end = from + part < m ? from + part : m;
  BARRIER();
  if (item < SEARCHERS && from < end) {
    SEARCH s;
    START_SEARCH(s, l[row_at[from]], from);
    NO_UNROLL for (int i = from + 1; i < end; ++i) {
      const SCALARV x = l[row_at[i]];
      LOOK_AT(s, x, i);
    }
    found[item] = s;
  }
  BARRIER();
  *best = found[0];
  NO_UNROLL for (int q = 1; j + q * part < m; ++q) {
    const SEARCH s = found[q];
    best->finite += s.finite;
    best->row = s.best > best->best ? s.row : best->row;
    best->best = s.best > best->best ? s.best : best->best;
  }
}
#endif

/* P*A = L*U of matrix GROUP(0), with the same elements and interchanges as batch_lu. Rows are
   not moved in registers: row_at[i] is the row currently at place i, step[r] the step in which
   an item's row r is the pivot, or MOST. Rows are interchanged in memory at the end. */
KERNEL GROUP_SHAPE(HEIGHT, WIDTH) void batch_group_lu(
    GLOBAL REAL *data, BATCH place, GLOBAL int *pivots, GLOBAL int *info)
{
  LARGE_LOCAL(SCALARV, stage, STAGE * MOST);
  LOCAL SCALARV column[2 * MOST], pivot_row[2 * COLS * WIDTH];
#if EXCHANGES
  LOCAL SEARCH found[SEARCHERS];
  LOCAL int row_at[MOST], place_at[MOST];
#endif
  GLOBAL SCALAR *A = (GLOBAL SCALAR *)data + place_of(place, GROUP(0));
  const int m = (int)place.rows, n = (int)place.cols, steps = m < n ? m : n;
  const int h = ITEM(0), w = ITEM(1), item = h + w * HEIGHT;
  REAL failed = 0;
  int step[ROWS], own[ROWS];
  UNROLL for (int r = 0; r < ROWS; ++r) step[r] = MOST, own[r] = h + r * HEIGHT;
#if EXCHANGES
  /* Lane solves also read the interchanges of lanes after the last matrix: copies of its own. */
  const int place_in_lanes = (int)(GROUP(0) % PIVOTS_TOGETHER);
  const int lanes = GROUP(0) + 1 < place.count ? 1 : PIVOTS_TOGETHER - place_in_lanes;
  pivots += pivots_of(GROUP(0), steps);
  for (int i = item; i < m; i += HEIGHT * WIDTH) row_at[i] = i;
  BARRIER();
#endif
  NO_UNROLL for (int k = 0; k < n; k += PANEL) {
    const int width = n - k < PANEL ? n - k : PANEL, past = k < steps ? k : steps;
    SCALARV x[ROWS][COLS];
    load_panel(x, A, place, k);

    NO_UNROLL for (int p = 0; p < past; p += STAGE) {
      const int depth = past - p < STAGE ? past - p : STAGE;
      BARRIER(); /* the previous panel is written, the previous stage read */
      NO_UNROLL for (int q = w; q < depth; q += WIDTH)
        NO_UNROLL for (int i = h; i < m; i += HEIGHT)
          stage[q * MOST + i] = load_elements(AT(i, p + q));
      NO_UNROLL for (int q = 0; q < depth; ++q) {
        /* Two alternating buffers, here and below, need only one barrier per column. */
        LOCAL_PTR SCALARV *u = pivot_row + ((p + q) & 1) * (COLS * WIDTH);
        UNROLL for (int r = 0; r < ROWS; ++r)
          if (step[r] == p + q)
            UNROLL for (int c = 0; c < COLS; ++c) u[w + c * WIDTH] = x[r][c];
        BARRIER();
        UNROLL for (int r = 0; r < ROWS; ++r)
          if (step[r] > p + q) {
            const SCALARV left = stage[q * MOST + own[r]];
            UNROLL for (int c = 0; c < COLS; ++c) {
              const SCALARV right = u[w + c * WIDTH];
              FNMA(x[r][c], left, right);
            }
          }
      }
    }

    /* One loop instead of code for each column in registers: its barriers are slow to compile. */
    NO_UNROLL for (int e = 0; e < width && k + e < steps; ++e) {
      const int j = k + e;
      LOCAL_PTR SCALARV *l = column + (j & 1) * MOST;
      LOCAL_PTR SCALARV *u = pivot_row + (j & 1) * (COLS * WIDTH);
      UNROLL for (int c = 0; c < COLS; ++c)
        if (w + c * WIDTH == e)
          UNROLL for (int r = 0; r < ROWS; ++r) l[own[r]] = x[r][c];
      SEARCH s;
#if EXCHANGES
      search_together(&s, l, row_at, found, j, m);
      const int at = (int)s.row, pivot = row_at[at];
#else
      const int pivot = j;
#endif
      UNROLL for (int r = 0; r < ROWS; ++r)
        if (own[r] == pivot) {
          step[r] = j;
          UNROLL for (int c = 0; c < COLS; ++c) u[w + c * WIDTH] = x[r][c];
        }
      BARRIER();
#if EXCHANGES
      if (item == 0) {
        row_at[at] = row_at[j];
        row_at[j] = pivot;
        NO_UNROLL for (int l = 0; l < lanes; ++l) pivots[j * PIVOTS_TOGETHER + l] = at;
      }
#else
      START_SEARCH(s, l[pivot], j);
#endif
      failed = note_pivot(failed, PIVOT_SIZE(l[pivot]), s.finite, j, EXCHANGES);
      SCALARV reciprocal;
      REAL scale;
      const int scaled = divisor_of(l[pivot], &reciprocal, &scale, IN_ELIMINATION);
      UNROLL for (int r = 0; r < ROWS; ++r)
        if (step[r] > j) {
          const SCALARV below = l[own[r]], left = divided(below, reciprocal, scale, scaled);
          UNROLL for (int c = 0; c < COLS; ++c) {
            const SCALARV right = u[w + c * WIDTH];
            if (w + c * WIDTH == e) x[r][c] = left;
            if (w + c * WIDTH > e) FNMA(x[r][c], left, right);
          }
        }
    }
    store_panel(x, A, place, k, own);
  }
#if EXCHANGES
  BARRIER();
  for (int i = item; i < m; i += HEIGHT * WIDTH) place_at[row_at[i]] = i;
  BARRIER();
  UNROLL for (int r = 0; r < ROWS; ++r)
    if (own[r] < m) own[r] = place_at[own[r]];
  NO_UNROLL for (int k = 0; k < n; k += PANEL) {
    SCALARV x[ROWS][COLS];
    load_panel(x, A, place, k);
    BARRIER();
    store_panel(x, A, place, k, own);
  }
#endif
  if (item == 0) info[GROUP(0)] = (int)failed;
}
)kernel";

}  // namespace trifac::kernel
