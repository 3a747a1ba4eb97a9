#pragma once
// Device code of one step of a panel's elimination: pivot search and elimination of the step's
// columns.

#include "trifac/engine/kernel/lu_search.hpp"

namespace trifac::kernel {

/// Follows lu_search; the group has DIAGONAL_ITEMS items. A step of the elimination has PANEL_COLS
/// columns; an item holds PANEL_TILE vectors of their rows in registers. The panel is in packed
/// memory with `height` elements per column, zero outside the panel: m rows and n columns need a
/// height of m + panel_rows_beyond and n + PANEL_COLS columns, PANEL_COLS ≤ panel_cols_beyond.
inline constexpr int panel_rows_beyond = 64;
inline constexpr int panel_cols_beyond = 16;

inline constexpr const char* lu_panel_pivots = TRIFAC_KERNEL_LINE("lu_panel_pivots.hpp") R"kernel(
#define PANEL_ITEMS DIAGONAL_ITEMS
#if VW > 8
  #define PANEL_COLS VW
#else
  #define PANEL_COLS 8
#endif
#if VW == 8 && !COMPLEX
  #define PANEL_TILE 3
#else
  #define PANEL_TILE 1
#endif

/* Loads in flight per item, PANEL_ROWS vectors of rows of a column or one element of each of
   PANEL_FLIGHT columns: a group has too few items to hide memory latency. */
#if PANEL_ITEMS == 1
  #define PANEL_BARRIER()
  #define PANEL_ROWS 1
  #define PANEL_FLIGHT 1
#else
  #define PANEL_BARRIER() BARRIER()
  /* 4 of complex double spill a register on sm_80, 4 of complex float crash PoCL 3.1's compiler */
  #define PANEL_ROWS (COMPLEX ? 3 : 4)
  #define PANEL_FLIGHT 8
#endif

/* Types for row numbers of a vector of rows, and for results of vector comparisons. */
#if VW == 1
  #define ROWV int
  #define LANES 0
#else
  #if DOUBLE
    #define ROWV JOIN(long, VW)
  #else
    #define ROWV JOIN(int, VW)
  #endif
  #if VW == 2
    #define LANES ((ROWV)(0, 1))
  #elif VW == 4
    #define LANES ((ROWV)(0, 1, 2, 3))
  #elif VW == 8
    #define LANES ((ROWV)(0, 1, 2, 3, 4, 5, 6, 7))
  #else
    #define LANES ((ROWV)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  #endif
#endif

#define CANDIDATES (PANEL_ITEMS / NEIGHBOURS)
#define BEST_ROOM (PANEL_ITEMS == 1 ? 1 : NEIGHBOUR_ROOM + CANDIDATES)

/* The best pivot of all items: first among neighbours, then every item compares the candidates.
   sizes and rows have BEST_ROOM elements; a barrier must precede the next call. */
DEVICE int best_of_items(REAL size, int row, LOCAL_PTR REAL* sizes, LOCAL_PTR int* rows)
{
#if PANEL_ITEMS > 1
  const int t = ITEM(0);
  row = best_of_neighbours(&size, row, sizes, rows);
  sizes += NEIGHBOUR_ROOM;
  rows += NEIGHBOUR_ROOM;
  if (t % NEIGHBOURS == 0) {
    sizes[t / NEIGHBOURS] = size;
    rows[t / NEIGHBOURS] = row;
  }
  BARRIER();
  size = sizes[0];
  row = rows[0];
  UNROLL
  for (int e = 1; e < CANDIDATES; ++e)
    if (is_better(sizes[e], rows[e], size, row)) {
      size = sizes[e];
      row = rows[e];
    }
#endif
  return row;
}

/* `width` pivots in the columns from `first` on. Column j is updated by this step's products just
   before its pivot search, in the pass that divides column j - 1:
     l(:, j-1) = a(:, j-1) / u_pivot,   a(:, j) = a(:, j) - l(:, 0:j) u(0:j),   find the largest.
   Pivot rules: see PLAIN. Rows are exchanged in all n columns, row k with row k + exchanges[k].
   The loops are not unrolled: nine copies of the pass take a compiler three times as long as all
   the rest of LU and run no faster. PoCL compiles barriers in the loop over j correctly only if
   its count is a constant. */
DEVICE void factor_step(int m, int n, int first, int width, GLOBAL REAL* P, int height, int rule,
                        GLOBAL REAL* scales, GLOBAL i64* exchanges, LOCAL_PTR REAL* sizes,
                        LOCAL_PTR int* rows)
{
  const int t = ITEM(0);
  DIVISOR pivot;
  NO_UNROLL
  for (int j = 0; j <= PANEL_COLS; ++j)
    if (j <= width) {
      const int row_j = first + j, start = VW == 1 ? row_j : first;
      SCALAR u[PANEL_COLS];
      if (j < width) {
        NO_UNROLL
        for (int q = 0; q < j; ++q) {
          u[q] = get_packed(AT(P, height, first + q, row_j), height);
          NO_UNROLL
          for (int z = 0; z < q; ++z) {
            const SCALAR l = get_packed(AT(P, height, first + q, first + z), height);
            FNMA(u[q], l, u[z]);
          }
        }
      }
      REALV largest = (REALV)(-1);
      ROWV place = (ROWV)(row_j);
      NO_UNROLL
      for (int r0 = start + t * VW; r0 < m; r0 += PANEL_ROWS * PANEL_ITEMS * VW) {
        SCALARV l[PANEL_ROWS], x[PANEL_ROWS], uv;
        int rows_of[PANEL_ROWS];
        ROWV below[PANEL_ROWS];
        UNROLL
        for (int i = 0; i < PANEL_ROWS; ++i) {
          int r = r0 + i * (PANEL_ITEMS * VW);
          if (i > 0 && r >= m) r = r0; /* repeats earlier rows, with the same result */
          rows_of[i] = r;
          below[i] = (ROWV)(r) + LANES >= (ROWV)(row_j);
          if (j > 0) l[i] = load_packed(AT(P, height, r, row_j - 1), height);
          if (j < width) x[i] = load_packed(AT(P, height, r, row_j), height);
        }
        if (j > 0) {
          UNROLL
          for (int i = 0; i < PANEL_ROWS; ++i) {
            SCALARV divided = l[i];
            DIVIDE(divided, pivot);
            CHOOSE(l[i], below[i], divided, l[i]);
            store_packed(AT(P, height, rows_of[i], row_j - 1), height, l[i]);
          }
        }
        if (j < width) {
          if (j > 0) {
            SCALARV sum[PANEL_ROWS];
            UNROLL
            for (int i = 0; i < PANEL_ROWS; ++i) sum[i] = x[i];
            NO_UNROLL
            for (int q = 0; q + 1 < j; ++q) {
              SPLAT(uv, u[q]);
              UNROLL
              for (int i = 0; i < PANEL_ROWS; ++i) {
                const SCALARV lq = load_packed(AT(P, height, rows_of[i], first + q), height);
                FNMA(sum[i], lq, uv);
              }
            }
            SPLAT(uv, u[j - 1]);
            UNROLL
            for (int i = 0; i < PANEL_ROWS; ++i) {
              FNMA(sum[i], l[i], uv);
              CHOOSE(x[i], below[i], sum[i], x[i]);
              store_packed(AT(P, height, rows_of[i], row_j), height, x[i]);
            }
          }
          UNROLL
          for (int i = 0; i < PANEL_ROWS; ++i) {
            const ROWV row = (ROWV)(rows_of[i]) + LANES;
            REALV size = SEARCH_SIZE(x[i]);
            if (rule == SCALED) size = SIZE_IN_ROW(x[i]) / LOAD_REALV(scales + rows_of[i]);
            const ROWV better = ((size > largest) | ((size != size) & (largest == largest))) &
                                (row < (ROWV)(m)) & below[i];
            largest = better ? size : largest;
            place = better ? row : place;
          }
        }
      }
      if (j < width) {
#if VW == 1
        int best = place;
        const REAL best_size = largest;
#else
        REAL lane_size[VW], best_size = -1;
        STORE_REALV(lane_size, largest);
        int lane_row[VW], best = row_j;
        JOIN(vstore, VW)(JOIN(convert_int, VW)(place), 0, lane_row);
        for (int l = 0; l < VW; ++l)
          if (is_better(lane_size[l], lane_row[l], best_size, best)) {
            best_size = lane_size[l];
            best = lane_row[l];
          }
#endif
        best = best_of_items(best_size, best, sizes, rows);
        if (rule == NONE) best = row_j;
        if (t == 0) {
          exchanges[row_j] = best - row_j;
          NO_UNROLL
          for (int q = 1; q < j; ++q) set_packed(AT(P, height, first + q, row_j), height, u[q]);
          if (rule == SCALED) {
            const REAL scale = scales[row_j];
            scales[row_j] = scales[best];
            scales[best] = scale;
          }
        }
        for (int c = t; c < n * PARTS; c += PANEL_ITEMS) {
          GLOBAL REAL* column = P + (i64)c * height;
          const REAL x = column[row_j];
          column[row_j] = column[best];
          column[best] = x;
        }
        PANEL_BARRIER();
        pivot = divisor(get_packed(AT(P, height, row_j, row_j), height));
      }
    }
}
)kernel";

}  // namespace trifac::kernel
