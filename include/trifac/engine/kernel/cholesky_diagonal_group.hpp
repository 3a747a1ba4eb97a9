#pragma once
// Device code of blocked Cholesky: the diagonal block by a group of many items, in registers.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// The largest order of a block.
inline constexpr int largest_diagonal = 64;  // DIAGONAL_ORDER below

/// Follows cholesky_diagonal; DIAGONAL_ITEMS is a power of two.
inline constexpr const char* cholesky_diagonal_group =
    TRIFAC_KERNEL_LINE("cholesky_diagonal_group.hpp") R"kernel(
#if DIAGONAL_ITEMS > 1
#define DIAGONAL_ORDER 64
/* Item (x, y) holds the elements of rows x, x + GRID_X, ... and columns y, y + GRID_Y, ... */
#define GRID_X (DIAGONAL_ITEMS < 16 ? DIAGONAL_ITEMS : 16)
#define GRID_Y (DIAGONAL_ITEMS / GRID_X)
#define GRID_ROWS (DIAGONAL_ORDER / GRID_X)
#define GRID_COLS (DIAGONAL_ORDER / GRID_Y)

/* A := L with A = L*L^H; A: a diagonal block of at most DIAGONAL_ORDER rows, at row and column
   `first` of the matrix, padded by rows of I; one group. A column is copied to local memory at its
   step:
     l(:, j) = a(:, j) / l_jj,   a(:, c) = a(:, c) - l(:, j) conj(l_cj)   for c > j.
   Two alternating columns need only one barrier per column. After a bad pivot, previous columns
   are still valid. D: in the form that cholesky_solve needs. */
KERNEL LAUNCH_BOUNDS(DIAGONAL_ITEMS, 1) void cholesky_diagonal(
    GLOBAL SCALAR* RESTRICT A, VIEW A_view, int upper, GLOBAL REAL* RESTRICT D, int height, i64 first,
    STATE* state)
{
  LOCAL SCALAR columns[2 * DIAGONAL_ORDER];
  const int x = ITEM(0) % GRID_X, y = ITEM(0) / GRID_X;
  const int nb = is_fatal(state[FAILED]) ? 0 : (int)A_view.rows, padded = ROUND_UP(nb, SOLVE_N);
  const i64 rs = A_view.rs, cs = A_view.cs;
  GLOBAL SCALAR* a = A + A_view.offset;
  GLOBAL REAL* reciprocal = reciprocals(D, nb, height);
  SCALAR l[GRID_COLS][GRID_ROWS];
  UNROLL
  for (int q = 0; q < GRID_COLS; ++q) {
    UNROLL
    for (int i = 0; i < GRID_ROWS; ++i) {
      const int r = x + i * GRID_X, c = y + q * GRID_Y;
      if (c <= r && r < nb)
        l[q][i] = get_lower(a, r, c, rs, cs, upper);
      else
        SET_REAL(l[q][i], r == c);
    }
  }
  UNROLL
  for (int p = 0; p < GRID_COLS; ++p) {
    NO_UNROLL
    for (int s = 0; s < GRID_Y; ++s) {
      const int j = p * GRID_Y + s;
      LOCAL_PTR SCALAR* column = columns + j % 2 * DIAGONAL_ORDER;
      if (y == s) {
        UNROLL
        for (int i = 0; i < GRID_ROWS; ++i) column[x + i * GRID_X] = l[p][i];
      }
      BARRIER();
      if (j < nb) {
        const SCALAR pivot = column[j];
        const REAL inverse = factor_pivot(RE(pivot), first + j, ITEM(0), state);
        SCALAR below[GRID_ROWS];
        UNROLL
        for (int i = 0; i < GRID_ROWS; ++i) {
          below[i] = column[x + i * GRID_X];
          SCALE(below[i], inverse);
          if (y == s) l[p][i] = below[i];
        }
        UNROLL
        for (int q = p; q < GRID_COLS; ++q) {
          const int c = y + q * GRID_Y;
          if (c > j) {
            SCALAR beside = column[c];
            SCALE(beside, inverse);
            UNROLL
            for (int i = 0; i < GRID_ROWS; ++i) FNMA_CONJ(l[q][i], below[i], beside);
          }
        }
        if (ITEM(0) == 0) reciprocal[j] = inverse;
      } else if (ITEM(0) == 0 && j < padded) {
        reciprocal[j] = 1;
      }
    }
  }
  UNROLL
  for (int q = 0; q < GRID_COLS; ++q) {
    UNROLL
    for (int i = 0; i < GRID_ROWS; ++i) {
      const int r = x + i * GRID_X, c = y + q * GRID_Y;
      SCALAR e = l[q][i];
      if (c <= r && r < padded) set_packed(D + r + (i64)c * PARTS * height, height, e);
      if (r == c) SET_REAL(e, RE(e));
      if (c <= r && r < nb) set_lower(a, r, c, rs, cs, upper, e);
    }
  }
}
#endif
)kernel";

}  // namespace trifac::kernel
