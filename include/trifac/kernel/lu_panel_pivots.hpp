#pragma once
// Device code of one step of a panel's elimination: the search for pivots and the columns in which
// they are found.

#include "trifac/kernel/arithmetic.hpp"

namespace trifac::kernel {

/// Follows packed_tiles and lu_pivot; DIAGONAL_ITEMS of packed_tiles are the items of the group, a
/// power of two. PANEL_COLS columns make a step of the elimination; an item keeps PANEL_TILE
/// vectors of rows of them in registers. The panel lies in packed memory, `height` elements to a
/// column, zero outside of the panel: m rows and n columns need a height of m + panel_rows_beyond
/// and n + PANEL_COLS columns.
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

#if PANEL_ITEMS == 1
  #define PANEL_BARRIER()
#else
  #define PANEL_BARRIER() BARRIER()
#endif

/* Row numbers of a vector of rows, and what comparisons of vectors give. */
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

/* Is (size, row) a better pivot than (other, place)? NaN beats every number, then size counts,
   then the smaller row number. */
DEVICE int is_better(REAL size, int row, REAL other, int place)
{
  const int is_nan = size != size, other_is_nan = other != other;
  return size > other || (is_nan && !other_is_nan) ||
         ((size == other || (is_nan && other_is_nan)) && row < place);
}

#define SCANNERS (PANEL_ITEMS < 16 ? PANEL_ITEMS : 16)
#define BEST_ROOM (PANEL_ITEMS == 1 ? 1 : PANEL_ITEMS + SCANNERS)

/* The best of what the items found, in two steps: few items look at many, then all at few. sizes and
   rows have BEST_ROOM elements; the next call may follow without a barrier. */
DEVICE int best_of_items(REAL size, int row, LOCAL_PTR REAL* sizes, LOCAL_PTR int* rows)
{
#if PANEL_ITEMS > 1
  const int t = ITEM(0);
  sizes[t] = size;
  rows[t] = row;
  BARRIER();
  if (t < SCANNERS) {
    for (int e = t + SCANNERS; e < PANEL_ITEMS; e += SCANNERS)
      if (is_better(sizes[e], rows[e], size, row)) {
        size = sizes[e];
        row = rows[e];
      }
    sizes[PANEL_ITEMS + t] = size;
    rows[PANEL_ITEMS + t] = row;
  }
  BARRIER();
  size = sizes[PANEL_ITEMS];
  row = rows[PANEL_ITEMS];
  for (int e = PANEL_ITEMS + 1; e < PANEL_ITEMS + SCANNERS; ++e)
    if (is_better(sizes[e], rows[e], size, row)) {
      size = sizes[e];
      row = rows[e];
    }
#endif
  return row;
}

/* Pivots: those on the diagonal; the largest of a column; the largest after division by the scale of
   its row. */
#define NONE 0
#define PLAIN 1
#define SCALED 2

/* `width` pivots in the columns from `first` on. Column j gets the products of this step just
   before its pivot is searched, in the same pass that divides column j - 1:
     l(:, j-1) = a(:, j-1) / u_pivot,   a(:, j) = a(:, j) - l(:, 0:j) u(0:j),   find the largest.
   How a pivot is chosen: see PLAIN. Rows are exchanged in all n columns, row k with row
   k + exchanges[k]. The loops are not unrolled: nine copies of the pass take a compiler three times
   as long as all the rest of LU, and run no faster. PoCL compiles barriers in the loop over j
   rightly only where its count is a constant. */
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
      for (int r = start + t * VW; r < m; r += PANEL_ITEMS * VW) {
        const ROWV row = (ROWV)(r) + LANES;
        const ROWV below = row >= (ROWV)(row_j);
        SCALARV l, x, sum, uv;
        if (j > 0) {
          x = load_packed(AT(P, height, r, row_j - 1), height);
          l = x;
          DIVIDE(l, pivot);
          CHOOSE(l, below, l, x);
          store_packed(AT(P, height, r, row_j - 1), height, l);
        }
        if (j < width) {
          x = load_packed(AT(P, height, r, row_j), height);
          if (j > 0) {
            sum = x;
            NO_UNROLL
            for (int q = 0; q + 1 < j; ++q) {
              SPLAT(uv, u[q]);
              const SCALARV lq = load_packed(AT(P, height, r, first + q), height);
              FNMA(sum, lq, uv);
            }
            SPLAT(uv, u[j - 1]);
            FNMA(sum, l, uv);
            CHOOSE(x, below, sum, x);
            store_packed(AT(P, height, r, row_j), height, x);
          }
          REALV size = SEARCH_SIZE(x);
          if (rule == SCALED) size /= LOAD_REALV(scales + r);
          const ROWV better = ((size > largest) | ((size != size) & (largest == largest))) &
                              (row < (ROWV)(m)) & below;
          largest = better ? size : largest;
          place = better ? row : place;
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
