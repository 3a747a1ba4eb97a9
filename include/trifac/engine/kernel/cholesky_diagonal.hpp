#pragma once
// Device code of blocked Cholesky: the diagonal block by one item, and the steps of a triangular
// solve that it shares with the rows below. Follows packed_tiles of packed_update.hpp.
//
// Additional parameters:
//   DIAGONAL_ITEMS  items that factor a diagonal block: 1 on CPUs

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* cholesky_diagonal =
    TRIFAC_KERNEL_LINE("cholesky_diagonal.hpp") R"kernel(
/* A is a lower triangle, element (i, j) at i*rs + j*cs; with `upper`, the upper triangle of a
   Hermitian matrix, read as its adjoint: conj of the element at j*rs + i*cs. Packed memory
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

/* D: packed memory of `height` rows for a diagonal block, padded to a multiple of SOLVE_N
   columns by columns of I, followed by 1/l_jj for each column. */
DEVICE GLOBAL REAL* reciprocals(GLOBAL REAL* D, int nb, int height)
{
  return D + (i64)ROUND_UP(nb, SOLVE_N) * PARTS * height;
}

/* One step of the solve within a tile: divides column j by l_jj and subtracts it from the
   columns to its right; row q of column j of the factor is L[q + j*PARTS*height]. */
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

/* x := x - W*L^H over `depth` packed columns; rows of W are those of x, rows of L its columns. */
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

/* Returns 1/l_jj, l_jj = sqrt(d), for the pivot d of column j; `item` 0 records a bad pivot. */
DEVICE REAL factor_pivot(REAL d, i64 j, int item, STATE* state)
{
  if (!(d > 0) || !IS_FINITE_REAL(d)) {
    if (item == 0) record(state, IS_FINITE_REAL(d) ? NOT_POSITIVE_DEFINITE : NOT_FINITE, j);
  }
  return 1 / sqrt(d);
}

#if DIAGONAL_ITEMS == 1
/* A := L with A = L*L^H; A: nb x nb. By columns of tiles, each updated by all previous ones,
   then factored from the top. After a bad pivot, previous columns are still valid. */
DEVICE void factor_diagonal_block(int nb, i64 rs, i64 cs, int upper, GLOBAL SCALAR* RESTRICT A,
                                  GLOBAL REAL* RESTRICT D, int height, STATE* state, i64 first)
{
  const int padded = ROUND_UP(nb, SOLVE_N), column = PARTS * height;
  GLOBAL REAL* reciprocal = reciprocals(D, nb, height);
  for (int j = 0; j < padded; ++j)
    for (int i = j; i < padded; ++i) {
      SCALAR x;
      if (i < nb)
        x = get_lower(A, i, j, rs, cs, upper);
      else
        SET_REAL(x, i == j);
      set_packed(D + i + (i64)j * column, height, x);
    }
  NO_UNROLL
  for (int jb = 0; jb < padded; jb += SOLVE_N) {
    GLOBAL REAL* Dj = D + (i64)jb * column; /* columns of the tile */
    NO_UNROLL
    for (int r = jb; r < padded; r += SOLVE_ROWS) {
      SCALARV x[SOLVE_N][SOLVE_V];
      UNROLL
      for (int j = 0; j < SOLVE_N; ++j) {
        UNROLL
        for (int i = 0; i < SOLVE_V; ++i)
          x[j][i] = load_packed(Dj + r + i * VW + (i64)j * column, height);
      }
      reduce_tile(x, D + r, height, D + jb, height, jb);
      if (r > jb) {
        solve_tile(x, Dj + jb, height, reciprocal + jb);
      } else {
        UNROLL /* stores the top of the next column for its pivot */
        for (int j = 0; j < SOLVE_N; ++j) {
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
      UNROLL
      for (int j = 0; j < SOLVE_N; ++j) {
        UNROLL
        for (int i = 0; i < SOLVE_V; ++i)
          store_packed(Dj + r + i * VW + (i64)j * column, height, x[j][i]);
      }
    }
  }
  for (int j = 0; j < nb; ++j)
    for (int i = j; i < nb; ++i) {
      SCALAR x = get_packed(D + i + (i64)j * column, height);
      if (i == j) SET_REAL(x, RE(x));
      set_lower(A, i, j, rs, cs, upper, x);
    }
}
#endif
)kernel";

}  // namespace trifac::kernel
