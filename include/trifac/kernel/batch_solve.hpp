#pragma once
// Solves with the factors of a batch on a device, a system in each lane. Follows batch_lanes.hpp.
//
//         i
//   | L00       |   | B0 |    row of tiles i: B1 := L11⁻¹·(B1 − L10·B0); an upper triangle is a lower
//   | L10  L11  |   | B1 |    one with its rows and columns in reverse

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* batch_solve = TRIFAC_KERNEL_LINE("batch_solve.hpp") R"kernel(
/* What a solve divides by: x / l_ii = x*r[i]*s[i], s only where `scaled`. */
typedef struct { const SCALARV *r; const REALV *s; int scaled; i64 step; } DIVISORS;

INLINED void solve_tile_of_sides(LANES L, LANES B, i64 i, i64 j, int rows, int cols, int unit,
                                 int conjugated, DIVISORS by)
{
  SCALARV x[TILE][TILE];
  load_tile(x, B, i, j, rows, cols, 0);
  NO_UNROLL for (i64 k = 0; k < i; ++k) {
    SCALARV right[TILE];
    UNROLL for (int c = 0; c < cols; ++c) right[c] = LOAD_LANES(AT(B, k, j + c));
    UNROLL for (int r = 0; r < rows; ++r) {
      const SCALARV left = LOAD_LANES(AT(L, i + r, k));
      UNROLL for (int c = 0; c < cols; ++c)
        if (conjugated) FNMA_CONJ(x[r][c], right[c], left);
        else FNMA(x[r][c], left, right[c]);
    }
  }
  UNROLL for (int d = 0; d < rows; ++d) {
    if (!unit) {
      SCALARV r = by.r[(i + d) * by.step];
      if (conjugated) CONJUGATE(r);
      UNROLL for (int c = 0; c < cols; ++c) {
        x[d][c] = divided(x[d][c], r, by.s[(i + d) * by.step], by.scaled);
      }
    }
    UNROLL for (int r = d + 1; r < rows; ++r) {
      const SCALARV l = LOAD_LANES(AT(L, i + r, i + d));
      UNROLL for (int c = 0; c < cols; ++c)
        if (conjugated) FNMA_CONJ(x[r][c], x[d][c], l);
        else FNMA(x[r][c], l, x[d][c]);
    }
  }
  store_tile(x, B, i, j, rows, cols, 0);
}
/* B := L^-1*B, or with conj(L). */
INLINED void substitute_columns(LANES L, LANES B, i64 n, i64 j, int cols, int unit, int conjugated,
                                DIVISORS by)
{
  i64 i = 0;
  NO_UNROLL for (; i + TILE <= n; i += TILE)
    solve_tile_of_sides(L, B, i, j, TILE, cols, unit, conjugated, by);
  NO_UNROLL for (; i < n; ++i) solve_tile_of_sides(L, B, i, j, 1, cols, unit, conjugated, by);
}
INLINED void substitute_lanes(LANES L, LANES B, i64 n, i64 sides, int unit, int conjugated,
                              DIVISORS by)
{
  i64 j = 0;
  NO_UNROLL for (; j + TILE <= sides; j += TILE)
    substitute_columns(L, B, n, j, TILE, unit, conjugated, by);
  NO_UNROLL for (; j < sides; ++j) substitute_columns(L, B, n, j, 1, unit, conjugated, by);
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

/* How a solve is done: A = L*L^H, P*A = L*U, or with the transpose of the latter. */
#define BY_CHOLESKY 0
#define BY_LU 1
#define BY_LU_TRANSPOSED 2
INLINED void solve_lanes(LANES A, LANES B, i64 n, i64 sides, int how, int exchanges,
                         GLOBAL const int *pivots)
{
  SCALARV r[MOST];
  REALV s[MOST];
  DIVISORS by, back;
  by.r = r, by.s = s, by.scaled = 0, by.step = 1;
  NO_UNROLL for (i64 i = 0; i < n; ++i)
    by.scaled |= divisor_of(LOAD_LANES(AT(A, i, i)), &r[i], &s[i]);
  back.r = r + (n - 1), back.s = s + (n - 1), back.scaled = by.scaled, back.step = -1;
  const LANES upside_down = {AT(B, n - 1, 0), -B.rs, B.cs};
  if (how == BY_CHOLESKY) {
    substitute_lanes(A, B, n, sides, 0, 0, by);
    substitute_lanes(reversed(transposed(A), n, n), upside_down, n, sides, 0, COMPLEX, back);
  } else if (how == BY_LU) {
    if (exchanges)
      NO_UNROLL for (i64 k = 0; k < n; ++k)
        exchange_rows(B, k, pivots + k * PIVOTS_TOGETHER, 0, sides);
    substitute_lanes(A, B, n, sides, 1, 0, by);
    substitute_lanes(reversed(A, n, n), upside_down, n, sides, 0, 0, back);
  } else {
    substitute_lanes(transposed(A), B, n, sides, 0, 0, by);
    substitute_lanes(reversed(transposed(A), n, n), upside_down, n, sides, 1, 0, back);
    if (exchanges)
      NO_UNROLL for (i64 k = n - 1; k >= 0; --k)
        exchange_rows(B, k, pivots + k * PIVOTS_TOGETHER, 0, sides);
  }
}

/* B := A^-1*B of each matrix whose info is 0, or A^-T*B; `conjugated`: with conj(A). As batch_cholesky;
   in `work` are a factor with columns of ld rows and right-hand sides behind it. */
#define SOLVE_ALL(how)                                                                            \
  const i64 item = GROUP(0) * ITEMS(0) + ITEM(0), from = item * each * VW, n = ORDER_OF(place);    \
  const i64 end = from + each * VW < place.count ? from + each * VW : place.count;                \
  NO_UNROLL for (i64 b = from; b < end; b += VW) {                                                \
    const int lanes = place.count - b < VW ? (int)(place.count - b) : VW;                         \
    const i64 first = b / PIVOTS_TOGETHER * PIVOTS_TOGETHER * n + b % PIVOTS_TOGETHER;            \
    LANES here = group_in_place(A, place, b), sides = group_in_place(B, B_place, b);              \
    PACK_SYSTEMS(how)                                                                             \
    if (conjugated) conjugate_lanes(sides, n, B_place.cols);                                      \
    solve_lanes(here, sides, n, B_place.cols, how, exchanges, pivots + first);                    \
    if (conjugated) conjugate_lanes(sides, n, B_place.cols);                                      \
    UNPACK_SIDES                                                                                  \
  }
#if VW > 1
  #define PACK_SYSTEMS(how)                                                   \
    int failed[VW], some = 0;                                                 \
    UNROLL for (int l = 0; l < VW; ++l) {                                     \
      failed[l] = l < lanes ? info[b + l] : 0;                                \
      some |= failed[l];                                                      \
    }                                                                         \
    const int direct = sides_in_place && lanes == VW && some == 0;            \
    if (!in_place || lanes != VW) {                                           \
      here = packed_group(work + item * step, ld);                            \
      pack_lanes(here, A, place, b, lanes, how == BY_CHOLESKY);               \
    }                                                                         \
    if (!direct) {                                                            \
      sides = packed_group(work + item * step + ld * n * PARTS * VW, ld);     \
      pack_lanes(sides, B, B_place, b, lanes, 0);                             \
    }
  #define UNPACK_SIDES \
    if (!direct) unpack_lanes(sides, B, B_place, b, lanes, failed, 0);
#else
  #define PACK_SYSTEMS(how) if (info[b] != 0) continue;
  #define UNPACK_SIDES
#endif
#define SOLVE_KERNEL(name, how)                                                                  \
  KERNEL void name(GLOBAL REAL *A, BATCH place, GLOBAL REAL *B, BATCH B_place, GLOBAL REAL *work, \
                   i64 step, i64 ld, int in_place, int sides_in_place, i64 each, int conjugated, \
                   int exchanges, GLOBAL const int *pivots, GLOBAL const int *info)              \
  {                                                                                              \
    SOLVE_ALL(how)                                                                               \
  }
SOLVE_KERNEL(batch_solve_cholesky, BY_CHOLESKY)
SOLVE_KERNEL(batch_solve_lu, BY_LU)
SOLVE_KERNEL(batch_solve_lu_transposed, BY_LU_TRANSPOSED)
)kernel";

}  // namespace trifac::kernel
