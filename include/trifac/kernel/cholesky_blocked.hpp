#pragma once
// Device code of blocked Cholesky: the diagonal block, the strips below it, and the update of the
// rest with the next diagonal block ahead of it. Follows packed_tiles of packed_update.hpp.
//
// Parameters besides those of packed_update.hpp:
//   SOLVE_V, SOLVE_N   vectors of rows and columns in one item's tile of a triangular solve;
//                      SOLVE_V*VW divides STRIP and is at least SOLVE_N
//   DIAGONAL_ITEMS     items that factor a diagonal block: 1 on CPUs

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* cholesky_blocked = TRIFAC_KERNEL_LINE("cholesky_blocked.hpp") R"kernel(
/* A is a lower triangle, element (i, j) at i*rs + j*cs, or, where `upper` is set, the upper one of a
   Hermitian matrix read as its adjoint: element (j, i) conjugated at j*rs + i*cs. Packed memory
   always holds the lower triangle. */
DEVICE SCALAR get_lower(GLOBAL const SCALAR* A, i64 i, i64 j, i64 rs, i64 cs, int upper)
{
  SCALAR x = upper ? A[j * rs + i * cs] : A[i * rs + j * cs];
  if (upper) CONJUGATE(x);
  return x;
}
DEVICE void set_lower(GLOBAL SCALAR* A, i64 i, i64 j, i64 rs, i64 cs, int upper, SCALAR x)
{
  if (upper) CONJUGATE(x);
  A[upper ? j * rs + i * cs : i * rs + j * cs] = x;
}

#define SOLVE_ROWS (SOLVE_V * VW)
#define SOLVE_ITEMS (STRIP / SOLVE_ROWS)
#define ROUND_UP(x, to) (((x) + (to)-1) / (to) * (to))
#if DIAGONAL_ITEMS == 1
  #define DIAGONAL_BARRIER()
#else
  #define DIAGONAL_BARRIER() BARRIER()
#endif

/* D: packed memory of `height` rows for a diagonal block, its columns rounded up to SOLVE_N with
   those of the unit matrix; behind them 1/l_jj for each. */
DEVICE GLOBAL REAL* reciprocals(GLOBAL REAL* D, int nb, int height)
{
  return D + (i64)ROUND_UP(nb, SOLVE_N) * PARTS * height;
}

/* One step of the solve inside a tile: column j is divided by l_jj and subtracted from those right
   of it; row q of column j of the factor is L[q + j*PARTS*height]. */
DEVICE void solve_tile(SCALARV x[SOLVE_N][SOLVE_V], GLOBAL const REAL* L, int height,
                       GLOBAL const REAL* reciprocal)
{
  UNROLL
  for (int j = 0; j < SOLVE_N; ++j) {
    const REALV r = (REALV)(reciprocal[j]);
    UNROLL
    for (int i = 0; i < SOLVE_V; ++i) SCALE(x[j][i], r);
    UNROLL
    for (int q = j + 1; q < SOLVE_N; ++q) {
      const SCALARV l = splat_packed(L + q + (i64)j * PARTS * height, height);
      UNROLL
      for (int i = 0; i < SOLVE_V; ++i) FNMA_CONJ(x[q][i], x[j][i], l);
    }
  }
}

/* x := x - W*L^H over `depth` packed columns: W has rows of x, L the rows that are its columns. */
DEVICE void reduce_tile(SCALARV x[SOLVE_N][SOLVE_V], GLOBAL const REAL* W, int w_height,
                        GLOBAL const REAL* L, int l_height, int depth)
{
  for (int p = 0; p < depth; ++p) {
    SCALARV w[SOLVE_V];
    UNROLL
    for (int i = 0; i < SOLVE_V; ++i)
      w[i] = load_packed(W + (i64)p * PARTS * w_height + i * VW, w_height);
    UNROLL
    for (int j = 0; j < SOLVE_N; ++j) {
      const SCALARV l = splat_packed(L + j + (i64)p * PARTS * l_height, l_height);
      UNROLL
      for (int i = 0; i < SOLVE_V; ++i) FNMA_CONJ(x[j][i], w[i], l);
    }
  }
}

/* 1/l_jj and l_jj = sqrt(d) for the pivot d of column j; `item` 0 tells about a bad one. */
DEVICE REAL factor_pivot(REAL d, i64 j, int item, GLOBAL i64* state)
{
  if (!(d > 0) || !IS_FINITE_REAL(d)) {
    if (item == 0) record(state, IS_FINITE_REAL(d) ? NOT_POSITIVE_DEFINITE : NOT_FINITE, j);
  }
  return 1 / sqrt(d);
}

/* A := L with A = L*L^H; A: nb x nb. By columns of tiles, each reduced by all before it, then
   factored from the top. After a bad pivot the columns before it are still right. */
DEVICE void factor_diagonal_block(int nb, i64 rs, i64 cs, int upper, GLOBAL SCALAR* RESTRICT A,
                                  GLOBAL REAL* RESTRICT D, int height, GLOBAL i64* state, i64 first)
{
  const int t = ITEM(0), padded = ROUND_UP(nb, SOLVE_N), column = PARTS * height;
  GLOBAL REAL* reciprocal = reciprocals(D, nb, height);
  for (int j = 0; j < padded; ++j)
    for (int i = j + t; i < padded; i += DIAGONAL_ITEMS) {
      SCALAR x;
      if (i < nb)
        x = get_lower(A, i, j, rs, cs, upper);
      else
        SET_REAL(x, i == j);
      set_packed(D + i + (i64)j * column, height, x);
    }
  DIAGONAL_BARRIER();
  NO_UNROLL
  for (int jb = 0; jb < padded; jb += SOLVE_N) {
    GLOBAL REAL* Dj = D + (i64)jb * column; /* the tile's columns */
    NO_UNROLL
    for (int r = jb + t * SOLVE_ROWS; r < padded; r += DIAGONAL_ITEMS * SOLVE_ROWS) {
      SCALARV x[SOLVE_N][SOLVE_V];
      UNROLL
      for (int j = 0; j < SOLVE_N; ++j) {
        UNROLL
        for (int i = 0; i < SOLVE_V; ++i)
          x[j][i] = load_packed(Dj + r + i * VW + (i64)j * column, height);
      }
      reduce_tile(x, D + r, height, D + jb, height, jb);
#if DIAGONAL_ITEMS == 1
      if (r > jb) {
        solve_tile(x, Dj + jb, height, reciprocal + jb);
      } else {
        UNROLL
        for (int j = 0; j < SOLVE_N; ++j) { /* the top of the next column goes to memory for its pivot */
          UNROLL
          for (int i = 0; i * VW < SOLVE_N; ++i)
            store_packed(Dj + r + i * VW + (i64)j * column, height, x[j][i]);
          const REAL inverse = factor_pivot(Dj[jb + j + (i64)j * column], first + jb + j, 0, state);
          reciprocal[jb + j] = inverse;
          UNROLL
          for (int i = 0; i < SOLVE_V; ++i) {
            SCALE(x[j][i], (REALV)(inverse));
            store_packed(Dj + r + i * VW + (i64)j * column, height, x[j][i]);
          }
          UNROLL
          for (int q = j + 1; q < SOLVE_N; ++q) {
            const SCALARV l = splat_packed(Dj + jb + q + (i64)j * column, height);
            UNROLL
            for (int i = 0; i < SOLVE_V; ++i) FNMA_CONJ(x[q][i], x[j][i], l);
          }
        }
      }
#endif
      UNROLL
      for (int j = 0; j < SOLVE_N; ++j) {
        UNROLL
        for (int i = 0; i < SOLVE_V; ++i)
          store_packed(Dj + r + i * VW + (i64)j * column, height, x[j][i]);
      }
    }
#if DIAGONAL_ITEMS > 1
    DIAGONAL_BARRIER();
    for (int j = 0; j < SOLVE_N; ++j) {
      GLOBAL REAL* d = Dj + (i64)j * column;
      const REAL inverse = factor_pivot(d[jb + j], first + jb + j, t, state);
      DIAGONAL_BARRIER();
      if (t == 0) reciprocal[jb + j] = inverse;
      for (int r = jb + j + t; r < padded; r += DIAGONAL_ITEMS) {
        SCALAR x = get_packed(d + r, height);
        SCALE(x, inverse);
        set_packed(d + r, height, x);
      }
      DIAGONAL_BARRIER();
      for (int q = j + 1; q < SOLVE_N; ++q) {
        const SCALAR l = get_packed(d + jb + q, height);
        for (int r = jb + q + t; r < padded; r += DIAGONAL_ITEMS) {
          SCALAR x = get_packed(Dj + r + (i64)q * column, height);
          const SCALAR y = get_packed(d + r, height);
          FNMA_CONJ(x, y, l);
          set_packed(Dj + r + (i64)q * column, height, x);
        }
      }
      DIAGONAL_BARRIER();
    }
#endif
  }
  for (int j = 0; j < nb; ++j)
    for (int i = j + t; i < nb; i += DIAGONAL_ITEMS) {
      SCALAR x = get_packed(D + i + (i64)j * column, height);
      if (i == j) SET_REAL(x, RE(x));
      set_lower(A, i, j, rs, cs, upper, x);
    }
}

/* A21 := A21*L11^-H, a strip of its m rows for each group, and the strip packed into W. A21 begins at
   A + offset. */
KERNEL GROUP_SHAPE(SOLVE_ITEMS, 1) void cholesky_solve(
    GLOBAL SCALAR* RESTRICT A, i64 offset, i64 m, int nb, i64 rs, i64 cs, int upper,
    GLOBAL REAL* RESTRICT D, int height, GLOBAL REAL* RESTRICT W, GLOBAL i64* state)
{
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
  GLOBAL SCALAR* a = A + offset;
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
      for (int p = 0; p < outer; ++p) { /* along the storage */
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
/* A22 := A22 - A21*A21^H from the packed strips of nb columns, A22: m x m at A + offset. Group 0
   updates and factors the next diagonal block, the leading `next` rows and columns; then all groups
   take pieces of the rest until there are none. With nb = 0 there is only the diagonal block. */
KERNEL GROUP_SHAPE(1, 1) void cholesky_update_ahead(
    GLOBAL SCALAR* A, i64 offset, i64 m, i64 rs, i64 cs, int upper, GLOBAL const REAL* W, int nb,
    GLOBAL REAL* D, int height, int next, GLOBAL i64* state, i64 first)
{
  const int part = upper ? UPPER : LOWER;
  const i64 columns = ROUND_UP(nb, SOLVE_N), high = STRIPS * STRIP, wide = TILES * TILE_COLUMNS;
  const i64 down = ROUND_UP(m, high) / high;
  const i64 pieces = nb > 0 ? down * (ROUND_UP(m, wide) / wide) : 0;
  const int ahead = GROUP(0) == 0;
  if (is_fatal(state[ahead ? FAILED : SETTLED])) return;
  i64 piece = ahead ? -1 : TAKE_NUMBER(state + TAKEN);
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
          update_tile(0, 0, i0, j0, m, m, rs, cs, A + offset, W + i0 * PARTS * columns,
                      W + j0 / STRIP * STRIP * PARTS * columns + j0 % STRIP, nb, part);
      }
    }
    if (piece < 0)
      factor_diagonal_block(next, rs, cs, upper, A + offset, D, height, state, first);
    piece = TAKE_NUMBER(state + TAKEN);
  }
}
#else
/* The block at A + offset, row and column `first` of the matrix. */
KERNEL GROUP_SHAPE(DIAGONAL_ITEMS, 1) void cholesky_diagonal(
    GLOBAL SCALAR* A, i64 offset, int nb, i64 rs, i64 cs, int upper, GLOBAL REAL* D, int height,
    GLOBAL i64* state, i64 first)
{
  const int stop = is_fatal(state[FAILED]);
  DIAGONAL_BARRIER(); /* all have read it */
  if (!stop) factor_diagonal_block(nb, rs, cs, upper, A + offset, D, height, state, first);
}
#endif
)kernel";

}  // namespace trifac::kernel
