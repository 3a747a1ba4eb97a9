#pragma once
// Device code: Gaussian elimination of one panel by one work-group: the core of partial pivoting, of
// LU without pivoting and of a tournament's games.

#include "trifac/kernel/arithmetic.hpp"

namespace trifac::kernel {

/// Follows packed_tiles and lu_pivot; DIAGONAL_ITEMS of packed_tiles are the items of the group, a
/// power of two. PANEL_COLS columns make a step of the elimination; an item keeps PANEL_TILE
/// vectors of rows of them in registers. The panel lies in packed memory, `height` elements to a
/// column, zero outside of the panel: m rows and n columns need a height of m + panel_rows_beyond
/// and n + PANEL_COLS columns.
inline constexpr int panel_rows_beyond = 64;
inline constexpr int panel_cols_beyond = 16;

inline constexpr const char* lu_panel = TRIFAC_KERNEL_LINE("lu_panel.hpp") R"kernel(
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

/* `width` columns from `first` on, above row `depth`:  T := L11^-1 A12, kept in T by rows of
   PANEL_COLS elements and copied back. */
DEVICE void solve_step(int depth, int first, int width, GLOBAL REAL* P, int height, GLOBAL REAL* T)
{
  NO_UNROLL
  for (int c = ITEM(0) * VW; c < PANEL_COLS; c += PANEL_ITEMS * VW) {
    for (int l = c; l < c + VW; ++l)
      for (int p = 0; p < depth; ++p)
        set_packed(AT(T, PANEL_COLS, l, p), PANEL_COLS,
                   get_packed(AT(P, height, p, first + l), height));
    NO_UNROLL
    for (int r = 0; r < depth; r += 8) {
      SCALARV x[8];
      UNROLL
      for (int i = 0; i < 8; ++i) x[i] = load_packed(AT(T, PANEL_COLS, c, r + i), PANEL_COLS);
      for (int p = 0; p < r; ++p) {
        const SCALARV done = load_packed(AT(T, PANEL_COLS, c, p), PANEL_COLS);
        UNROLL
        for (int i = 0; i < 8; ++i) {
          const SCALARV l = splat_packed(AT(P, height, r + i, p), height);
          FNMA(x[i], l, done);
        }
      }
      UNROLL
      for (int k = 0; k < 8; ++k) {
        UNROLL
        for (int i = k + 1; i < 8; ++i) {
          const SCALARV l = splat_packed(AT(P, height, r + i, r + k), height);
          FNMA(x[i], l, x[k]);
        }
      }
      UNROLL
      for (int i = 0; i < 8; ++i) store_packed(AT(T, PANEL_COLS, c, r + i), PANEL_COLS, x[i]);
    }
    for (int l = c; l < c + VW && l < width; ++l)
      for (int p = 0; p < depth; ++p)
        set_packed(AT(P, height, p, first + l), height,
                   get_packed(AT(T, PANEL_COLS, l, p), PANEL_COLS));
  }
}

/* The same columns from row `first` on:  A22 := A22 - A21 T. */
DEVICE void update_step(int m, int first, int width, GLOBAL REAL* P, int height, GLOBAL const REAL* T)
{
  NO_UNROLL
  for (int r = first + ITEM(0) * (PANEL_TILE * VW); r < m; r += PANEL_ITEMS * (PANEL_TILE * VW)) {
    SCALARV x[PANEL_COLS][PANEL_TILE];
    UNROLL
    for (int j = 0; j < PANEL_COLS; ++j) {
      UNROLL
      for (int i = 0; i < PANEL_TILE; ++i)
        x[j][i] = load_packed(AT(P, height, r + i * VW, first + j), height);
    }
    for (int p = 0; p < first; ++p) {
      SCALARV l[PANEL_TILE];
      UNROLL
      for (int i = 0; i < PANEL_TILE; ++i) l[i] = load_packed(AT(P, height, r + i * VW, p), height);
      UNROLL
      for (int j = 0; j < PANEL_COLS; ++j) {
        const SCALARV u = splat_packed(AT(T, PANEL_COLS, j, p), PANEL_COLS);
        UNROLL
        for (int i = 0; i < PANEL_TILE; ++i) FNMA(x[j][i], l[i], u);
      }
    }
    UNROLL
    for (int j = 0; j < PANEL_COLS; ++j)
      if (j < width) {
        UNROLL
        for (int i = 0; i < PANEL_TILE; ++i)
          store_packed(AT(P, height, r + i * VW, first + j), height, x[j][i]);
      }
  }
}

/* The best of what the items found, by a tree whose result does not depend on its shape. */
DEVICE int best_of_items(REAL size, int row, LOCAL_PTR REAL* sizes, LOCAL_PTR int* rows)
{
#if PANEL_ITEMS == 1
  return row;
#else
  const int t = ITEM(0);
  sizes[t] = size;
  rows[t] = row;
  BARRIER();
  for (int reach = PANEL_ITEMS / 2; reach > 0; reach /= 2) {
    if (t < reach && is_better(sizes[t + reach], rows[t + reach], sizes[t], rows[t])) {
      sizes[t] = sizes[t + reach];
      rows[t] = rows[t + reach];
    }
    BARRIER();
  }
  return rows[0];
#endif
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
          REALV size = PIVOT_SIZE(x);
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

/* P := L\U of an m x n panel, left-looking in steps of PANEL_COLS columns. T has room for n +
   PANEL_COLS rows of PANEL_COLS elements. A zero or not finite pivot changes nothing in the course of
   the elimination: no index leaves its range, and the diagonal tells afterwards. */
DEVICE void eliminate(int m, int n, GLOBAL REAL* P, int height, GLOBAL REAL* T, int rule,
                      GLOBAL REAL* scales, GLOBAL i64* exchanges, LOCAL_PTR REAL* sizes,
                      LOCAL_PTR int* rows)
{
  int first = 0;
  NO_UNROLL
  while (first < n) {
    /* Where the rows end within a step, the columns behind the last pivot make the next step. */
    const int pivots = (m < n ? m : n) - first;
    const int width = pivots > 0 && pivots < PANEL_COLS ? pivots : PANEL_COLS;
    solve_step(first < m ? first : m, first, width, P, height, T);
    PANEL_BARRIER();
    if (0 < first && first < m) update_step(m, first, width, P, height, T);
    PANEL_BARRIER();
    factor_step(m, n, first, first < m ? width : 0, P, height, rule, scales, exchanges, sizes,
                rows);
    PANEL_BARRIER();
    first += width;
  }
}

/* Packed memory of a panel: m x n from A, zeros around it. */
DEVICE void load_panel(int m, int n, GLOBAL const SCALAR* A, i64 rs, i64 cs, GLOBAL REAL* P, int height)
{
  for (int j = 0; j < n + PANEL_COLS; ++j)
    for (int i = ITEM(0); i < height; i += PANEL_ITEMS) {
      SCALAR x;
      if (i < m && j < n)
        x = A[i * rs + j * cs];
      else
        SET_REAL(x, 0);
      set_packed(AT(P, height, i, j), height, x);
    }
}
DEVICE void store_panel(int m, int n, GLOBAL SCALAR* A, i64 rs, i64 cs, GLOBAL const REAL* P, int height)
{
  for (int j = 0; j < n; ++j)
    for (int i = ITEM(0); i < m; i += PANEL_ITEMS)
      A[i * rs + j * cs] = get_packed(AT(P, height, i, j), height);
}

/* Tells about the first pivot that is zero, and the first that is not finite. */
DEVICE void record_pivots(int steps, GLOBAL const REAL* P, int height, int kind_of_zero, i64 base,
                          GLOBAL i64* state)
{
  for (int k = 0; k < steps; ++k) {
    const SCALAR pivot = get_packed(AT(P, height, k, k), height);
    if (!IS_FINITE(pivot)) record(state, NOT_FINITE, base + k);
    if (IS_ZERO(pivot)) record(state, kind_of_zero, base + k);
  }
}
)kernel";

/// The kernel of a panel by itself.
inline constexpr const char* factor_panel = TRIFAC_KERNEL_LINE("lu_panel.hpp") R"kernel(
/* A := L\U of the m x n block at A + offset, whose first row is row `base` of the matrix; one group.
   rule: PLAIN, partial pivoting, interchanges[base ...] are written; NONE, no row is exchanged, the
   interchanges come out as they are. With `guarded`, only where a fallback was asked for. P, T: see
   eliminate. */
KERNEL GROUP_SHAPE(PANEL_ITEMS, 1) void factor_panel(
    GLOBAL SCALAR* A, i64 offset, int m, int n, i64 rs, i64 cs, int rule, GLOBAL REAL* P, int height,
    GLOBAL REAL* T, i64 base, GLOBAL i64* interchanges, int guarded, GLOBAL i64* state)
{
  LOCAL REAL sizes[PANEL_ITEMS];
  LOCAL int rows[PANEL_ITEMS];
  /* Nothing is done after a failure: an empty panel, as all items must meet at the barriers. */
  if (is_fatal(state[FAILED]) || (guarded && !state[FALLBACK])) m = n = 0;
  PANEL_BARRIER(); /* all have read the state */
  load_panel(m, n, A + offset, rs, cs, P, height);
  PANEL_BARRIER();
  eliminate(m, n, P, height, T, rule, P, interchanges + base, sizes, rows);
  PANEL_BARRIER();
  store_panel(m, n, A + offset, rs, cs, P, height);
  if (ITEM(0) == 0)
    record_pivots(m < n ? m : n, P, height, rule == NONE ? ZERO_PIVOT : SINGULAR, base, state);
}
)kernel";

}  // namespace trifac::kernel
