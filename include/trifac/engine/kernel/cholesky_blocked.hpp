#pragma once
// Device code of blocked Cholesky: the solve of the strips below a diagonal block, and the trailing
// update with look-ahead to the next diagonal block. Follows packed_tiles and cholesky_diagonal.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* cholesky_blocked = TRIFAC_KERNEL_LINE("cholesky_blocked.hpp") R"kernel(
/* A := A*L11^-H, one strip of rows per group, also packed into W. A: m x nb, or its transpose if
   `upper`. */
KERNEL LAUNCH_BOUNDS(SOLVE_ITEMS, 1) void cholesky_solve(
    GLOBAL SCALAR* RESTRICT A, VIEW A_view, int upper, GLOBAL REAL* RESTRICT D, int height,
    GLOBAL REAL* RESTRICT W, STATE* state)
{
  const i64 m = upper ? A_view.cols : A_view.rows, rs = A_view.rs, cs = A_view.cs;
  const int nb = (int)(upper ? A_view.rows : A_view.cols);
  if (GROUP(0) == 0 && ITEM(0) == 0) {
    state[SETTLED] = state[FAILED];
    state[TAKEN] = 0;
  }
  if (is_fatal(state[FAILED])) return;
  const int padded = ROUND_UP(nb, SOLVE_N);
  const i64 top = GROUP(0) * STRIP + ITEM(0) * SOLVE_ROWS;
  const int rows = m - top >= SOLVE_ROWS ? SOLVE_ROWS : m - top > 0 ? (int)(m - top) : 0;
  GLOBAL REAL* w = W + GROUP(0) * STRIP_COLUMN * padded + ITEM(0) * SOLVE_ROWS;
  GLOBAL const REAL* reciprocal = reciprocals(D, nb, height);
  GLOBAL SCALAR* a = A + A_view.offset;
  NO_UNROLL
  for (int jb = 0; jb < padded; jb += SOLVE_N) {
    SCALARV x[SOLVE_N][SOLVE_V];
    const int whole = rows == SOLVE_ROWS && jb + SOLVE_N <= nb && rs == 1 && !upper;
    if (whole) {
      UNROLL
      for (int j = 0; j < SOLVE_N; ++j) {
        UNROLL
        for (int i = 0; i < SOLVE_V; ++i) x[j][i] = load_elements(a + top + i * VW + (jb + j) * cs);
      }
    } else {
      const int outer = upper ? SOLVE_ROWS : SOLVE_N, inner = upper ? SOLVE_N : SOLVE_ROWS;
      NO_UNROLL
      for (int p = 0; p < outer; ++p) { /* in storage order */
        NO_UNROLL
        for (int q = 0; q < inner; ++q) {
          const int i = upper ? p : q, j = upper ? q : p;
          SCALAR e;
          if (i < rows && jb + j < nb)
            e = get_lower(a, top + i, jb + j, rs, cs, upper);
          else
            SET_REAL(e, 0);
          set_packed(w + i + (i64)(jb + j) * STRIP_COLUMN, STRIP, e);
        }
      }
      UNROLL
      for (int j = 0; j < SOLVE_N; ++j) {
        UNROLL
        for (int i = 0; i < SOLVE_V; ++i)
          x[j][i] = load_packed(w + i * VW + (i64)(jb + j) * STRIP_COLUMN, STRIP);
      }
    }
    reduce_tile(x, w, STRIP, D + jb, height, jb);
    solve_tile(x, D + jb + (i64)jb * PARTS * height, height, reciprocal + jb);
    UNROLL
    for (int j = 0; j < SOLVE_N; ++j) {
      UNROLL
      for (int i = 0; i < SOLVE_V; ++i) {
        store_packed(w + i * VW + (i64)(jb + j) * STRIP_COLUMN, STRIP, x[j][i]);
        if (whole) store_elements(a + top + i * VW + (jb + j) * cs, x[j][i]);
      }
    }
    if (!whole) {
      const int left = nb - jb < SOLVE_N ? nb - jb : SOLVE_N;
      const int outer = upper ? rows : left, inner = upper ? left : rows;
      NO_UNROLL
      for (int p = 0; p < outer; ++p) {
        NO_UNROLL
        for (int q = 0; q < inner; ++q) {
          const int i = upper ? p : q, j = upper ? q : p;
          set_lower(a, top + i, jb + j, rs, cs, upper,
                    get_packed(w + i + (i64)(jb + j) * STRIP_COLUMN, STRIP));
        }
      }
    }
  }
}

#if !STAGE_K && DIAGONAL_ITEMS == 1
/* A := A - A21*A21^H from the packed strips W of nb columns; A: m x m. Group 0 updates and
   factors the next diagonal block, the leading `next` rows and columns; then all groups take
   pieces of the rest until none is left. nb = 0: only the diagonal block. */
KERNEL GROUP_SHAPE(1, 1) void cholesky_update_ahead(
    MATRIX(A), int upper, GLOBAL const REAL* W, int nb, GLOBAL REAL* D, int height, int next,
    i64 first, STATE* state)
{
  const i64 m = A_view.rows, rs = A_view.rs, cs = A_view.cs;
  GLOBAL SCALAR* a = A + A_view.offset;
  const int part = upper ? UPPER : LOWER;
  const i64 columns = ROUND_UP(nb, SOLVE_N), high = STRIPS * STRIP, wide = TILES * TILE_COLUMNS;
  const i64 down = ROUND_UP(m, high) / high;
  const i64 pieces = nb > 0 ? down * (ROUND_UP(m, wide) / wide) : 0;
  const int ahead = GROUP(0) == 0;
  if (is_fatal(state[ahead ? FAILED : SETTLED])) return;
  i64 piece = ahead ? -1 : ATOMIC_INC(state + TAKEN);
  NO_UNROLL
  while (piece < pieces) {
    const i64 top = piece < 0 ? 0 : piece % down * high, left = piece < 0 ? 0 : piece / down * wide;
    const i64 bottom = piece < 0 ? next : top + high < m ? top + high : m;
    const i64 right = nb == 0 ? 0 : piece < 0 ? next : left + wide < m ? left + wide : m;
    NO_UNROLL
    for (i64 j0 = left; j0 < right; j0 += TILE_COLUMNS) {
      NO_UNROLL
      for (i64 i0 = top; i0 < bottom; i0 += STRIP) {
        const int leading = i0 < next && j0 < next;
        if (leading == (piece < 0) && !is_outside(i0, j0, m, m, part))
          update_tile(0, 0, i0, j0, m, m, rs, cs, a, W + i0 * PARTS * columns,
                      W + j0 / STRIP * STRIP * PARTS * columns + j0 % STRIP, nb, part);
      }
    }
    if (piece < 0)
      factor_diagonal_block(next, rs, cs, upper, a, D, height, state, first);
    piece = ATOMIC_INC(state + TAKEN);
  }
}
#endif
)kernel";

}  // namespace trifac::kernel
