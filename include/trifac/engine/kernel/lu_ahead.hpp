#pragma once
// Device code of LU with look-ahead: the solve and interchanges right of a panel, and the update
// that concurrently factors the next panel. For contiguous columns and vector tiles (one item per
// group).

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows packed_tiles, lu_panel and substitute_tile.
inline constexpr const char* lu_ahead = TRIFAC_KERNEL_LINE("lu_ahead.hpp") R"kernel(
#if !STAGE_K && DIAGONAL_ITEMS == 1
/* The status word for 1 + the first row of the last factored panel. */
#define FACTORED 6

/* The net effect of b exchanges of rows k and k + exchanges[k]: moves[p] is the row moved to row
   p < b, moves[b] the number of pairs after it, each a row >= b and the row < b that it
   receives. places: one zero per row, zero again on return. */
DEVICE void list_moves(int b, GLOBAL const i64* exchanges, GLOBAL i64* places, GLOBAL i64* moves)
{
  i64 pairs = 0;
  NO_UNROLL
  for (int k = 0; k < b; ++k) {
    const i64 other = k + exchanges[k], row = k + places[k];
    places[k] = other + places[other] - k;
    places[other] = row - other;
  }
  NO_UNROLL
  for (int k = 0; k < b; ++k) {
    const i64 other = k + exchanges[k];
    moves[k] = k + places[k];
    if (other >= b && places[other] != 0) {
      moves[b + 1 + 2 * pairs] = other;
      moves[b + 2 + 2 * pairs] = other + places[other];
      places[other] = 0;
      ++pairs;
    }
  }
  NO_UNROLL
  for (int k = 0; k < b; ++k) places[k] = 0;
  moves[b] = pairs;
}

/* Copies rows g*STRIP ... of the panel (m x b, packed in P) to A, and those below its first b
   rows to strip g of W. */
DEVICE void store_strip(i64 g, int m, int b, i64 cs, GLOBAL SCALAR* RESTRICT A,
                        GLOBAL const REAL* RESTRICT P, int height, i64 pitch,
                        GLOBAL REAL* RESTRICT W)
{
  const int top = (int)g * STRIP, rows = m - top < STRIP ? m - top : STRIP;
  GLOBAL REAL* w = W + g * STRIP_COLUMN * pitch;
  NO_UNROLL
  for (int p = 0; p < b; ++p) {
    GLOBAL SCALAR* a = A + top + p * cs;
    NO_UNROLL
    for (int i = 0; i < rows; ++i) a[i] = get_packed(AT(P, height, top + i, p), height);
    if (top + b < m) { /* rows of P beyond m are zero */
      UNROLL
      for (int i = 0; i < TILE_V; ++i)
        store_packed(w + (i64)p * STRIP_COLUMN + i * VW, STRIP,
                     load_packed(AT(P, height, top + b + i * VW, p), height));
    }
  }
}

/* A12 := L11^-1 P A12 for the columns g*STRIP ... of A12, which has `cols`; also packs its
   conjugated rows into strip g of U. A: element (0, 0) of A12, above A22. L11: unit lower, at
   the top of the panel. */
DEVICE void solve_strip(i64 g, int b, i64 cols, i64 cs, GLOBAL SCALAR* RESTRICT A,
                        GLOBAL const REAL* RESTRICT P, int height,
                        GLOBAL const i64* RESTRICT moves, int padded, GLOBAL REAL* RESTRICT U)
{
  const i64 left = g * STRIP;
  const int columns = cols - left < STRIP ? (int)(cols - left) : STRIP, pairs = (int)moves[b];
  GLOBAL SCALAR* a = A + left * cs;
  GLOBAL REAL* u = U + g * STRIP_COLUMN * padded;
  SCALAR zero;
  SET_REAL(zero, 0);
  NO_UNROLL
  for (int c = 0; c < STRIP; ++c) {
    GLOBAL SCALAR* x = a + c * cs;
    const int rows = c < columns ? b : 0;
    NO_VECTOR
    for (int p = 0; p < rows; ++p)
      set_packed(u + c + (i64)p * STRIP_COLUMN, STRIP, x[moves[p]]);
    NO_VECTOR
    for (int p = rows; p < padded; ++p) set_packed(u + c + (i64)p * STRIP_COLUMN, STRIP, zero);
    NO_VECTOR
    for (int p = 0; p < (c < columns ? pairs : 0); ++p)
      x[moves[b + 1 + 2 * p]] = x[moves[b + 2 + 2 * p]];
  }
  NO_UNROLL
  for (int first = 0; first < padded; first += SOLVE_N) {
    GLOBAL REAL* tile = u + (i64)first * STRIP_COLUMN;
    SCALARV x[SOLVE_N][SOLVE_V];
    UNROLL
    for (int j = 0; j < SOLVE_N; ++j) {
      UNROLL
      for (int i = 0; i < SOLVE_V; ++i)
        x[j][i] = load_packed(tile + i * VW + (i64)j * STRIP_COLUMN, STRIP);
    }
    substitute_tile(first, 1, 1, P, height, u, x);
    UNROLL
    for (int j = 0; j < SOLVE_N; ++j) {
      UNROLL
      for (int i = 0; i < SOLVE_V; ++i) {
        CONJUGATE(x[j][i]);
        store_packed(tile + i * VW + (i64)j * STRIP_COLUMN, STRIP, x[j][i]);
      }
    }
  }
  NO_UNROLL
  for (int c = 0; c < columns; ++c) {
    NO_VECTOR
    for (int p = 0; p < b; ++p) {
      SCALAR e = get_packed(u + c + (i64)p * STRIP_COLUMN, STRIP);
      CONJUGATE(e);
      a[p + c * cs] = e;
    }
  }
}

/* Work outside the last factored panel, the first b columns of A, whose row 0 is row `first` of
   the matrix: the first groups each copy a strip of the panel to A and pack L21 into W, the
   others process strips of the columns to its right. */
KERNEL GROUP_SHAPE(1, 1) void lu_outside_panel(
    MATRIX(A), int b, GLOBAL const REAL* P, int height, GLOBAL const i64* moves, GLOBAL REAL* W,
    GLOBAL REAL* U, i64 first, STATE* state)
{
  const i64 g = GROUP(0), cs = A_view.cs, down = ROUND_UP(A_view.rows, STRIP) / STRIP;
  GLOBAL SCALAR* a = A + A_view.offset;
  const int m = (int)A_view.rows, padded = ROUND_UP(b, SOLVE_N);
  if (g == 0) {
    state[SETTLED] = state[FAILED];
    state[TAKEN] = 0;
  }
  /* An unfinished panel is copied, too: its leading part is valid. */
  if (state[FACTORED] != first + 1) return;
  if (g < down)
    store_strip(g, m, b, cs, a, P, height, padded, W);
  else if (!is_fatal(state[FAILED]))
    solve_strip(g - down, b, A_view.cols - b, cs, a + b * cs, P, height, moves, padded, U);
}

/* A := A - L21 U12 from the strips W and U of `depth` columns; A begins at row and column
   `first` of the matrix. Group 0 updates the first `next` columns and factors them as the next
   panel: P, T: see eliminate; moves, places: see list_moves. All groups then take pieces of the
   rest until none is left. depth 0: only the panel. */
KERNEL GROUP_SHAPE(1, 1) void lu_update_ahead(
    MATRIX(A), GLOBAL const REAL* W, GLOBAL const REAL* U, int depth, int next, GLOBAL REAL* P,
    int height, GLOBAL REAL* T, i64 first, GLOBAL i64* interchanges, GLOBAL i64* places,
    GLOBAL i64* moves, STATE* state)
{
  const i64 rows = A_view.rows, cols = A_view.cols, cs = A_view.cs;
  GLOBAL SCALAR* a = A + A_view.offset;
  LOCAL REAL sizes[1];
  LOCAL int best_rows[1];
  const i64 high = STRIPS * STRIP, wide = TILES * TILE_COLUMNS, pitch = ROUND_UP(depth, SOLVE_N);
  const i64 down = ROUND_UP(rows, high) / high;
  const i64 pieces = depth > 0 ? down * (ROUND_UP(cols, wide) / wide) : 0;
  const int ahead = GROUP(0) == 0 && next > 0;
  if (is_fatal(state[ahead ? FAILED : SETTLED])) return;
  i64 piece = ahead ? -1 : ATOMIC_INC(state + TAKEN);
  NO_UNROLL
  while (piece < pieces) {
    const i64 top = piece < 0 ? 0 : piece % down * high, left = piece < 0 ? 0 : piece / down * wide;
    const i64 bottom = piece < 0 ? (depth > 0 ? rows : 0) : top + high < rows ? top + high : rows;
    const i64 right = piece < 0 ? next : left + wide < cols ? left + wide : cols;
    NO_UNROLL
    for (i64 i1 = top; i1 < bottom; i1 += high) {
      NO_UNROLL
      for (i64 j0 = left; j0 < right; j0 += TILE_COLUMNS) {
        if (piece >= 0 && j0 < next) continue;
        NO_UNROLL
        for (i64 i0 = i1; i0 < i1 + high && i0 < bottom; i0 += STRIP)
          update_tile(0, 0, i0, j0, rows, cols, 1, cs, a, W + i0 * PARTS * pitch,
                      U + j0 / STRIP * STRIP * PARTS * pitch + j0 % STRIP, depth, WHOLE);
      }
    }
    if (piece < 0) {
      const int m = (int)rows;
      load_panel(m, next, a, 1, cs, P, height);
      eliminate(m, next, P, height, T, PLAIN, P, interchanges + first, sizes, best_rows);
      list_moves(m < next ? m : next, interchanges + first, places, moves);
      record_pivots(m < next ? m : next, P, height, SINGULAR, first, state);
      state[FACTORED] = first + 1;
    }
    piece = ATOMIC_INC(state + TAKEN);
  }
}
#endif
)kernel";

}  // namespace trifac::kernel
