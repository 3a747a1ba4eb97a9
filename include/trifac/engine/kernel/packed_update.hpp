#pragma once
// Device code of products of packed strips, C := C - A*B^H: the inner kernel of every blocked
// factorization. packed_tiles follows arithmetic.hpp, and packed_update follows packed_tiles.
//
// Parameters, chosen in device/tiles.hpp:
//   TILE_V     vectors of rows in one item's tile       ITEMS_X, ITEMS_Y  items of a group
//   TILE_N     columns in one item's tile               STRIPS, TILES     row strips and column
//   STAGE_K    columns staged in local memory at once;                    tiles per group
//              0: read from global memory
//   SOLVE_V, SOLVE_N   vectors of rows and columns in one item's tile of a triangular solve;
//                      SOLVE_V*VW divides STRIP and is at least SOLVE_N

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Strips and tiles: functions for the kernels that follow.
inline constexpr const char* packed_tiles = TRIFAC_KERNEL_LINE("packed_update.hpp") R"kernel(
/* A strip is STRIP rows of a matrix: consecutive columns of packed memory (arithmetic.hpp), with
   rows beyond the matrix zero. The same strip serves as left and right operand. */
#define STRIP (TILE_V * VW * ITEMS_X)
#define STRIP_COLUMN (PARTS * STRIP)
#define TILE_COLUMNS (TILE_N * ITEMS_Y)
/* The tile of one item in a triangular solve, and the items of a strip. */
#define SOLVE_ROWS (SOLVE_V * VW)
#define SOLVE_ITEMS (STRIP / SOLVE_ROWS)

/* The elements of C to update: all, the lower triangle, the upper triangle; both with diagonal. */
#define WHOLE 0
#define LOWER 1
#define UPPER 2

/* The edge of C: subtracts `sum` from the existing ones of VW elements of column j from row i
   on. */
DEVICE void subtract_lanes(i64 i, i64 j, i64 rows, i64 cols, i64 rs, i64 cs, GLOBAL SCALAR* C,
                           int part, const REAL* sum)
{
  const i64 below = rows - i, before = j - i;
  const int first = part == LOWER && before > 0 ? (int)(before < VW ? before : VW) : 0;
  int last = j >= cols || below < 0 ? 0 : below < VW ? (int)below : VW;
  if (part == UPPER && before + 1 < last) last = before < 0 ? 0 : (int)before + 1;
  GLOBAL SCALAR* c = C + i * rs + j * cs;
  NO_UNROLL
  for (int l = first; l < last; ++l) {
    SCALAR e = c[l * rs], a;
#if COMPLEX
    a.re = sum[l];
    a.im = l == before && part != WHOLE ? e.im : sum[VW + l]; /* Hermitian: real diagonal */
#else
    a = sum[l];
#endif
    SUBTRACT(e, a);
    c[l * rs] = e;
  }
}
/* The same for the tile of item (x, y), vector by vector. In loops: code for each vector would
   double the compile time. */
DEVICE void subtract_at_edge(int x, int y, i64 i0, i64 j0, i64 rows, i64 cols, i64 rs, i64 cs,
                             GLOBAL SCALAR* C, int part, const REAL* sum)
{
  NO_UNROLL
  for (int v = 0; v < TILE_N * TILE_V; ++v)
    subtract_lanes(i0 + (v % TILE_V * ITEMS_X + x) * VW, j0 + v / TILE_V * ITEMS_Y + y, rows, cols,
                   rs, cs, C, part, sum + v * PARTS * VW);
}

#if STAGE_K
  #define STAGE_PARAMETERS , LOCAL_PTR REAL* stage_a, LOCAL_PTR REAL* stage_b
  #define STAGE_ARGUMENTS , stage_a, stage_b
#else
  #define STAGE_PARAMETERS
  #define STAGE_ARGUMENTS
#endif

/* The tile of C from row i0 and column j0 on, part of item (x, y). a: strip of the rows; b:
   strip of the columns, from column j0 of C on; both have `depth` packed columns. */
DEVICE void update_tile(int x, int y, i64 i0, i64 j0, i64 rows, i64 cols, i64 rs, i64 cs,
                        GLOBAL SCALAR* RESTRICT C, GLOBAL const REAL* RESTRICT a,
                        GLOBAL const REAL* RESTRICT b, int depth, int part STAGE_PARAMETERS)
{
  SCALARV sum[TILE_N][TILE_V];
  UNROLL
  for (int j = 0; j < TILE_N; ++j) {
    UNROLL
    for (int i = 0; i < TILE_V; ++i) SET_ZERO(sum[j][i]);
  }
#if STAGE_K
  for (int p0 = 0; p0 < depth; p0 += STAGE_K) {
    const int item = x + y * ITEMS_X, columns = depth - p0 < STAGE_K ? depth - p0 : STAGE_K;
    for (int e = item; e < STAGE_K * STRIP_COLUMN; e += ITEMS_X * ITEMS_Y)
      stage_a[e] = e < columns * STRIP_COLUMN ? a[(i64)p0 * STRIP_COLUMN + e] : 0;
    for (int e = item; e < STAGE_K * PARTS * TILE_COLUMNS; e += ITEMS_X * ITEMS_Y) {
      const int p = e / (PARTS * TILE_COLUMNS), l = e % (PARTS * TILE_COLUMNS);
      stage_b[e] = p < columns ? b[(i64)(p0 + p) * STRIP_COLUMN + l / TILE_COLUMNS * STRIP +
                                   l % TILE_COLUMNS]
                               : 0;
    }
    BARRIER();
    UNROLL
    for (int p = 0; p < STAGE_K; ++p) {
      SCALARV u[TILE_V];
      UNROLL
      for (int i = 0; i < TILE_V; ++i) {
        LOCAL_PTR const REAL* q = stage_a + p * STRIP_COLUMN + (i * ITEMS_X + x) * VW;
  #if COMPLEX
        u[i].re = LOAD_REALV(q);
        u[i].im = LOAD_REALV(q + STRIP);
  #else
        u[i] = LOAD_REALV(q);
  #endif
      }
      UNROLL
      for (int j = 0; j < TILE_N; ++j) {
        LOCAL_PTR const REAL* q = stage_b + p * PARTS * TILE_COLUMNS + j * ITEMS_Y + y;
        SCALARV v;
  #if COMPLEX
        v.re = (REALV)(q[0]);
        v.im = (REALV)(q[TILE_COLUMNS]);
  #else
        v = (REALV)(q[0]);
  #endif
        UNROLL
        for (int i = 0; i < TILE_V; ++i) FMA_CONJ(sum[j][i], u[i], v);
      }
    }
    BARRIER();
  }
#else
  for (int p = 0; p < depth; ++p) {
    SCALARV u[TILE_V];
    UNROLL
    for (int i = 0; i < TILE_V; ++i)
      u[i] = load_packed(a + (i64)p * STRIP_COLUMN + (i * ITEMS_X + x) * VW, STRIP);
    UNROLL
    for (int j = 0; j < TILE_N; ++j) {
      const SCALARV v = splat_packed(b + (i64)p * STRIP_COLUMN + j * ITEMS_Y + y, STRIP);
      UNROLL
      for (int i = 0; i < TILE_V; ++i) FMA_CONJ(sum[j][i], u[i], v);
    }
  }
#endif
  const i64 last_i = i0 + STRIP - 1, last_j = j0 + TILE_COLUMNS - 1;
  if (rs == 1 && last_i < rows && last_j < cols &&
      (part == WHOLE || (part == LOWER ? i0 > last_j : last_i < j0))) {
    UNROLL
    for (int j = 0; j < TILE_N; ++j) {
      UNROLL
      for (int i = 0; i < TILE_V; ++i) {
        GLOBAL SCALAR* c = C + i0 + (i * ITEMS_X + x) * VW + (j0 + j * ITEMS_Y + y) * cs;
        SUBTRACT_FROM(sum[j][i], load_elements(c));
        store_elements(c, sum[j][i]);
      }
    }
  } else {
    REAL rest[TILE_N * TILE_V * PARTS * VW];
    UNROLL
    for (int j = 0; j < TILE_N; ++j) {
      UNROLL
      for (int i = 0; i < TILE_V; ++i) {
        REAL* p = rest + (j * TILE_V + i) * PARTS * VW;
#if COMPLEX
        STORE_REALV(p, sum[j][i].re);
        STORE_REALV(p + VW, sum[j][i].im);
#else
        STORE_REALV(p, sum[j][i]);
#endif
      }
    }
    subtract_at_edge(x, y, i0, j0, rows, cols, rs, cs, C, part, rest);
  }
}

/* True if the tile has no element of C: past the edge, or in the other triangle. */
DEVICE int is_outside(i64 i0, i64 j0, i64 rows, i64 cols, int part)
{
  return i0 >= rows || j0 >= cols || (part == LOWER && i0 + STRIP - 1 < j0) ||
         (part == UPPER && i0 > j0 + TILE_COLUMNS - 1);
}

/* Group (g, h): strips g*STRIPS ... and column tiles h*TILES ... of C := C - A*B^H. `columns`:
   packed columns per strip. */
DEVICE void update_group(i64 g, i64 h, int x, int y, i64 rows, i64 cols, i64 rs, i64 cs,
                         GLOBAL SCALAR* RESTRICT C, GLOBAL const REAL* RESTRICT A,
                         GLOBAL const REAL* RESTRICT B, int depth, i64 columns,
                         int part STAGE_PARAMETERS)
{
  NO_UNROLL
  for (int t = 0; t < STRIPS * TILES; ++t) {
    const i64 i0 = (g * STRIPS + t % STRIPS) * STRIP;
    const i64 j0 = (h * TILES + t / STRIPS) * TILE_COLUMNS;
    if (is_outside(i0, j0, rows, cols, part)) continue;
    update_tile(x, y, i0, j0, rows, cols, rs, cs, C, A + i0 * PARTS * columns,
                B + j0 / STRIP * STRIP * PARTS * columns + j0 % STRIP, depth,
                part STAGE_ARGUMENTS);
  }
}

)kernel";

/// The kernels of products, after packed_tiles.
inline constexpr const char* packed_update = TRIFAC_KERNEL_LINE("packed_update.hpp") R"kernel(
/* C := C - A*B^H. Groups: see update_group; a triangle's columns run
   from the short ones to the long ones. */
KERNEL LAUNCH_BOUNDS(ITEMS_X, ITEMS_Y) void update(
    MATRIX(C), GLOBAL const REAL* A, GLOBAL const REAL* B, int depth, i64 columns, int part,
    const STATE* state)
{
#if STAGE_K
  LOCAL REAL stage_a[STAGE_K * STRIP_COLUMN], stage_b[STAGE_K * PARTS * TILE_COLUMNS];
  /* Read once per group, whose items share barriers: another queue may write the word
     concurrently. */
  LOCAL int stop;
  if (ITEM(0) == 0 && ITEM(1) == 0) stop = is_fatal(state[FAILED]);
  BARRIER();
  if (stop) return;
#else
  if (is_fatal(state[FAILED])) return;
#endif
  const i64 h = part == LOWER ? GROUPS(1) - 1 - GROUP(1) : GROUP(1);
  update_group(GROUP(0), h, ITEM(0), ITEM(1), C_view.rows, C_view.cols, C_view.rs, C_view.cs,
               C + C_view.offset, A, B, depth, columns, part STAGE_ARGUMENTS);
}
)kernel";

}  // namespace trifac::kernel
