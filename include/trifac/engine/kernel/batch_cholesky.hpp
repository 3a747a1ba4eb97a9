#pragma once
// Cholesky of a batch on a device, one matrix per lane. Follows batch_lanes.hpp; the kernel is in
// batch_factor.hpp.
//
//         k        i
//     | L00             |    top-looking: row of tiles by row of tiles, rows below are untouched
//   i | L10 ← A10  A11  |    left-looking: column of tiles by column of tiles, updated first
//     |  …     …        |    right-looking: a column of tiles, then all updates to its right

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// LOOKING: 0 right, 1 left, 2 top.
inline constexpr const char* batch_cholesky = TRIFAC_KERNEL_LINE("batch_cholesky.hpp") R"kernel(
/* A11, `size` rows from row j on: subtracts the products of columns k0 ... j-1, then factors.
   inverse: 1 / l_jj. Imaginary parts of the diagonal are not read. */
INLINED void factor_diagonal_tile(LANES A, i64 j, i64 k0, int size, REALV *inverse, REALV *failed)
{
  SCALARV x[TILE][TILE];
  load_tile(x, A, j, j, size, size, 1);
  LOOP for (i64 k = k0; k < j; ++k) {
    SCALARV l[TILE];
    UNROLL for (int r = 0; r < size; ++r) l[r] = LOAD_LANES(AT(A, j + r, k));
    UNROLL for (int r = 0; r < size; ++r)
      UNROLL for (int c = 0; c <= r; ++c) FNMA_CONJ(x[r][c], l[r], l[c]);
  }
  UNROLL for (int c = 0; c < size; ++c) {
    const REALV d = RE(x[c][c]), at = (REALV)(j + c + 1);
    *failed = (((d > 0) & (d - d == 0)) | (*failed != 0)) ? *failed : d - d == 0 ? at : -at;
    const REALV root = sqrt(d), r = (REALV)(1) / root;
    inverse[j + c] = r;
    SET_ZERO(x[c][c]);
    RE(x[c][c]) = root;
    UNROLL for (int i = c + 1; i < size; ++i) SCALE(x[i][c], r);
    UNROLL for (int i = c + 1; i < size; ++i)
      UNROLL for (int e = c + 1; e <= i; ++e) FNMA_CONJ(x[i][e], x[i][c], x[e][c]);
  }
  store_tile(x, A, j, j, size, size, 1);
}
/* A10 := (A10 - products of columns k0 ... j-1) * L00^-H; rows i ..., columns j .... */
INLINED void solve_rows_of_tile(LANES A, i64 i, i64 j, i64 k0, int rows, int cols,
                                const REALV *inverse)
{
  SCALARV x[TILE][TILE];
  load_tile(x, A, i, j, rows, cols, 0);
  subtract_products(x, AT(A, i, k0), A.rs, A.cs, AT(A, j, k0), A.rs, A.cs, j - k0, rows, cols, 1);
  UNROLL for (int c = 0; c < cols; ++c) {
    const REALV by = inverse[j + c];
    UNROLL for (int r = 0; r < rows; ++r) SCALE(x[r][c], by);
    UNROLL for (int d = c + 1; d < cols; ++d) {
      const SCALARV l = LOAD_LANES(AT(A, j + d, j + c));
      UNROLL for (int r = 0; r < rows; ++r) FNMA_CONJ(x[r][d], x[r][c], l);
    }
  }
  store_tile(x, A, i, j, rows, cols, 0);
}

#if LOOKING == 2
/* A row of tiles and its diagonal tile. Columns from `whole` on form 1-column tiles. */
INLINED void factor_row_of_tiles(LANES A, i64 i, i64 whole, int rows, REALV *inverse, REALV *failed)
{
  const i64 end = i < whole ? i : whole;
  LOOP for (i64 k = 0; k < end; k += TILE) solve_rows_of_tile(A, i, k, 0, rows, TILE, inverse);
  if (rows == 1)
    LOOP for (i64 k = whole; k < i; ++k) solve_rows_of_tile(A, i, k, 0, rows, 1, inverse);
  factor_diagonal_tile(A, i, 0, rows, inverse, failed);
}
INLINED REALV cholesky_of_lanes(LANES A, i64 n)
{
  REALV inverse[MOST], failed = (REALV)(0);
  const i64 whole = n / TILE * TILE;
  LOOP for (i64 i = 0; i < whole; i += TILE)
    factor_row_of_tiles(A, i, whole, TILE, inverse, &failed);
  LOOP for (i64 i = whole; i < n; ++i) factor_row_of_tiles(A, i, whole, 1, inverse, &failed);
  return failed;
}
#else
/* Subtracts the products of columns k ... k+depth-1 from a tile of the trailing matrix. */
INLINED void update_trailing_tile(LANES A, i64 i, i64 j, i64 k, int depth, int rows, int cols,
                                  int lower)
{
  SCALARV x[TILE][TILE];
  load_tile(x, A, i, j, rows, cols, lower);
  LOOP for (i64 p = k; p < k + depth; ++p) {
    SCALARV right[TILE];
    UNROLL for (int c = 0; c < cols; ++c) right[c] = LOAD_LANES(AT(A, j + c, p));
    UNROLL for (int r = 0; r < rows; ++r) {
      const SCALARV left = LOAD_LANES(AT(A, i + r, p));
      UNROLL for (int c = 0; c < cols; ++c)
        if (!lower || c <= r) FNMA_CONJ(x[r][c], left, right[c]);
    }
  }
  store_tile(x, A, i, j, rows, cols, lower);
}
/* A block column of `cols` = TILE or 1 columns from k on. Rows from `whole` on form 1-row tiles. */
INLINED void factor_column_of_tiles(LANES A, i64 n, i64 whole, i64 k, int cols, REALV *inverse,
                                    REALV *failed)
{
  const i64 k0 = LOOKING == 0 ? k : 0; /* right-looking: updates are already subtracted */
  factor_diagonal_tile(A, k, k0, cols, inverse, failed);
  LOOP for (i64 i = k + cols; i < whole; i += TILE)
    solve_rows_of_tile(A, i, k, k0, TILE, cols, inverse);
  LOOP for (i64 i = k < whole ? whole : k + 1; i < n; ++i)
    solve_rows_of_tile(A, i, k, k0, 1, cols, inverse);
#if LOOKING == 0
  LOOP for (i64 j = k + cols; j < whole; j += TILE) {
    update_trailing_tile(A, j, j, k, cols, TILE, TILE, 1);
    LOOP for (i64 i = j + TILE; i < whole; i += TILE)
      update_trailing_tile(A, i, j, k, cols, TILE, TILE, 0);
    LOOP for (i64 i = whole; i < n; ++i) update_trailing_tile(A, i, j, k, cols, 1, TILE, 0);
  }
  LOOP for (i64 j = k < whole ? whole : k + 1; j < n; ++j)
    LOOP for (i64 i = j; i < n; ++i) update_trailing_tile(A, i, j, k, cols, 1, 1, 0);
#endif
}
INLINED REALV cholesky_of_lanes(LANES A, i64 n)
{
  REALV inverse[MOST], failed = (REALV)(0);
  const i64 whole = n / TILE * TILE;
  LOOP for (i64 k = 0; k < whole; k += TILE)
    factor_column_of_tiles(A, n, whole, k, TILE, inverse, &failed);
  LOOP for (i64 k = whole; k < n; ++k)
    factor_column_of_tiles(A, n, whole, k, 1, inverse, &failed);
  return failed;
}
#endif

#define FACTORS_LOWER 1
INLINED REALV factor_of_lanes(LANES A, BATCH place, GLOBAL int *pivots)
{
  return cholesky_of_lanes(A, ORDER_OF(place));
}
)kernel";

}  // namespace trifac::kernel
