#pragma once
// Solves with the factors of a batch on a device, one system per lane. Follows batch_lanes.hpp.
//
//         i
//   | L00       |   | B0 |    row of tiles i: B1 := L11⁻¹·(B1 − L10·B0); an upper triangle is a
//   | L10  L11  |   | B1 |    lower one with its rows and columns in reverse

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// KIND: A = L·Lᴴ, P·A = L·U, the transpose of the latter, or a triangle.
inline constexpr const char* batch_solve = TRIFAC_KERNEL_LINE("batch_solve.hpp") R"kernel(
#define BY_CHOLESKY 0
#define BY_LU 1
#define BY_LU_TRANSPOSED 2
#define BY_LOWER 3
#define BY_UPPER 4
#define BY_UNIT_LOWER 5
#define BY_UNIT_UPPER 6
#define IS_LOWER (KIND == BY_CHOLESKY || KIND == BY_LOWER || KIND == BY_UNIT_LOWER)
#define IS_UNIT_TRIANGLE (KIND == BY_UNIT_LOWER || KIND == BY_UNIT_UPPER)
#define GOES_FORWARD (KIND != BY_UPPER && KIND != BY_UNIT_UPPER)
#define GOES_BACKWARD (KIND != BY_LOWER && KIND != BY_UNIT_LOWER)
#define IS_TRANSPOSED_BACKWARD (KIND == BY_CHOLESKY || KIND == BY_LU_TRANSPOSED)
/* A triangle and its divisors: x / l_ii = x / r[i], or x*r[i]*s[i], with s only if `scaled`;
   none for a unit diagonal. sign: -1 for conj(L). */
typedef struct {
  LANES L;
  const SCALARV *r;
  const REALV *s;
  i64 step;
  int scaled, unit;
  REAL sign;
} TRIANGLE;

INLINED void solve_tile_of_sides(TRIANGLE t, LANES B, i64 i, i64 j, int rows, int cols)
{
  SCALARV x[TILE][TILE];
  load_tile(x, B, i, j, rows, cols, 0);
  LOOP for (i64 k = 0; k < i; ++k) {
    SCALARV right[TILE];
    UNROLL for (int c = 0; c < cols; ++c) right[c] = LOAD_LANES(AT(B, k, j + c));
    UNROLL for (int r = 0; r < rows; ++r) {
      SCALARV left = LOAD_LANES(AT(t.L, i + r, k));
      CONJUGATE_BY(left, t.sign);
      UNROLL for (int c = 0; c < cols; ++c) FNMA(x[r][c], left, right[c]);
    }
  }
  UNROLL for (int d = 0; d < rows; ++d) {
    if (!t.unit) {
      SCALARV r = t.r[(i + d) * t.step];
      CONJUGATE_BY(r, t.sign);
      UNROLL for (int c = 0; c < cols; ++c)
        x[d][c] = QUOTIENT(x[d][c], r, t.s[(i + d) * t.step], t.scaled);
    }
    UNROLL for (int r = d + 1; r < rows; ++r) {
      SCALARV l = LOAD_LANES(AT(t.L, i + r, i + d));
      CONJUGATE_BY(l, t.sign);
      UNROLL for (int c = 0; c < cols; ++c) FNMA(x[r][c], l, x[d][c]);
    }
  }
  store_tile(x, B, i, j, rows, cols, 0);
}
/* B := L^-1*B. */
INLINED void substitute_columns(TRIANGLE t, LANES B, i64 n, i64 j, int cols)
{
  i64 i = 0;
  LOOP for (; i + TILE <= n; i += TILE) solve_tile_of_sides(t, B, i, j, TILE, cols);
  LOOP for (; i < n; ++i) solve_tile_of_sides(t, B, i, j, 1, cols);
}
INLINED void substitute_lanes(TRIANGLE t, LANES B, i64 n, i64 sides)
{
  i64 j = 0;
  NO_UNROLL for (; j + TILE <= sides; j += TILE) substitute_columns(t, B, n, j, TILE);
  NO_UNROLL for (; j < sides; ++j) substitute_columns(t, B, n, j, 1);
}

DEVICE void conjugate_lanes(LANES B, i64 rows, i64 cols)
{
#if COMPLEX
  NO_UNROLL for (i64 j = 0; j < cols; ++j)
    NO_UNROLL for (i64 i = 0; i < rows; ++i) {
      SCALARV x = LOAD_LANES(AT(B, i, j));
      CONJUGATE(x);
      STORE_LANES(AT(B, i, j), x);
    }
#endif
}

INLINED void solve_lanes(LANES A, LANES B, i64 n, i64 sides, int exchanges, GLOBAL const int *pivots)
{
  SCALARV r[MOST];
  REALV s[MOST];
  TRIANGLE t;
  t.L = KIND == BY_LU_TRANSPOSED ? transposed(A) : A;
  t.r = r, t.s = s, t.step = 1, t.scaled = 0, t.unit = KIND == BY_LU || IS_UNIT_TRIANGLE, t.sign = 1;
  LOOP for (i64 i = 0; i < n; ++i) {
    r[i] = LOAD_LANES(AT(A, i, i));
    if (!GIVES_QUOTIENTS) t.scaled |= divisor_of(r[i], &r[i], &s[i], IN_SOLVE);
  }
  if (KIND == BY_LU && exchanges)
    NO_UNROLL for (i64 k = 0; k < n; ++k)
      exchange_rows(B, k, pivots + k * PIVOTS_TOGETHER, 0, sides);
  /* Forward, then backward: the other triangle in reverse order is a lower one, too. */
  LANES part = B;
  LOOP for (int pass = !GOES_FORWARD; pass < 1 + GOES_BACKWARD; ++pass) {
    if (pass == 1) {
      t.L = reversed(IS_TRANSPOSED_BACKWARD ? transposed(A) : A, n, n);
      t.r = r + (n - 1), t.s = s + (n - 1), t.step = -1;
      t.unit = KIND == BY_LU_TRANSPOSED || IS_UNIT_TRIANGLE;
      t.sign = KIND == BY_CHOLESKY ? -1 : 1;
      part.data = AT(B, n - 1, 0), part.rs = -B.rs;
    }
    substitute_lanes(t, part, n, sides);
  }
  if (KIND == BY_LU_TRANSPOSED && exchanges)
    NO_UNROLL for (i64 k = n - 1; k >= 0; --k)
      exchange_rows(B, k, pivots + k * PIVOTS_TOGETHER, 0, sides);
}

/* B := A^-1*B, A^-T*B or a triangular solve, for the systems from b on whose info is 0;
   `conjugated`: with conj(A). info: of the first system, that of the next is info_step further.
   If the sides are not in place, or not all systems are good, they are packed into `work`, in
   columns of ld rows. */
INLINED void solve_group(LANES A, i64 n, GLOBAL REAL *B, BATCH place, i64 b, GLOBAL REAL *work,
                         i64 ld, int in_place, int conjugated, int exchanges,
                         GLOBAL const int *pivots, GLOBAL const int *info, int info_step)
{
  LANES sides = group_in_place(B, place, b);
#if VW == 1
  if (info[0] != 0) return;
#else
  const int lanes = place.count - b < VW ? (int)(place.count - b) : VW;
  int failed[VW], some = 0;
  UNROLL for (int l = 0; l < VW; ++l) {
    failed[l] = l < lanes ? info[l * info_step] : 0;
    some |= failed[l];
  }
  const int direct = in_place && lanes == VW && some == 0;
  if (!direct) {
    sides = packed_group(work, ld);
    pack_lanes(sides, B, place, b, lanes, 0);
  }
#endif
  if (conjugated) conjugate_lanes(sides, n, place.cols);
  solve_lanes(A, sides, n, place.cols, exchanges, pivots);
  if (conjugated) conjugate_lanes(sides, n, place.cols);
#if VW > 1
  if (!direct) unpack_lanes(sides, B, place, b, lanes, failed, 0);
#endif
}

#ifndef SOLVES /* batch_factor calls solve_group() itself */
/* solve_group() for all systems, with the parameters of batch_factor; `work` holds a factor with
   columns of ld rows, then right-hand sides. one_factor: matrix 0 serves all systems, not in
   place with lanes, and its interchanges are those of 16 copies. */
KERNEL void batch_solve(GLOBAL REAL *A, BATCH place, GLOBAL REAL *B, BATCH B_place,
                        GLOBAL REAL *work, i64 step, i64 ld, int in_place, int sides_in_place,
                        i64 each, int conjugated, int exchanges, int one_factor,
                        GLOBAL const int *pivots, GLOBAL const int *info)
{
  const i64 item = GROUP(0) * ITEMS(0) + ITEM(0), from = item * each * VW, n = ORDER_OF(place);
  const i64 count = B_place.count, end = from + each * VW < count ? from + each * VW : count;
  work += item * step;
  NO_UNROLL for (i64 b = from; b < end; b += VW) {
    const i64 f = one_factor ? 0 : b;
    LANES here = group_in_place(A, place, f);
#if VW > 1
    const int lanes = count - b < VW ? (int)(count - b) : VW;
    if (!in_place || lanes != VW) {
      here = packed_group(work, ld);
      if (!one_factor || b == from)
        pack_lanes(here, A, place, f, one_factor ? 1 : lanes, IS_LOWER);
    }
#endif
    solve_group(here, n, B, B_place, b, work + ld * n * PARTS * VW, ld, sides_in_place, conjugated,
                exchanges, pivots + pivots_of(f, n), info + f, !one_factor);
  }
}
#endif
)kernel";

}  // namespace trifac::kernel
