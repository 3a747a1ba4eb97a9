#pragma once
// Solves with the factors of a batch on a device, one group for several systems, 32 items each: the
// solve of Proc. IEEE 2018 (docs/sources.md C). Follows batch_divide.hpp.
//
//   | l00           |   | b0 |    item h holds the unknowns h, h + 32, … in registers. Unknown k is
//   | l10  l11      |   | b1 |    divided by its item and broadcast to the others, which subtract
//   | l20  l21  l22 |   | b2 |    column k of L times it: columns are read from top to bottom

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Additional parameters:
///   SYSTEMS  systems per group
///   ROWS     unknowns per item: 32*ROWS ≥ n
///   SIDES    right-hand sides at a time
///   KIND     as for batch_solve
inline constexpr const char* batch_group_solve =
    TRIFAC_KERNEL_LINE("batch_group_solve.hpp") R"kernel(
#define TOGETHER 32
#define BY_CHOLESKY 0
#define BY_LU 1
#define BY_LU_TRANSPOSED 2

/* A triangle with element (i, k), i > k, at data[i*rs + k*cs]: a lower one, or an upper one in
   reverse order. unit: unit diagonal. sign: -1 for its conjugate. */
typedef struct { GLOBAL const SCALAR *data; i64 rs, cs; int unit; REAL sign; } TRIANGLE;

/* x := t^-1*x; `given`: 2*SIDES elements of local memory per system. Called by all items. */
INLINED void substitute_together(TRIANGLE t, SCALARV x[][SIDES], int n, LOCAL_PTR SCALARV *given)
{
  const int h = ITEM(0);
  UNROLL for (int r = 0; r < ROWS; ++r)
    NO_UNROLL for (int v = 0; v < TOGETHER && r * TOGETHER + v < n; ++v) {
      const int k = r * TOGETHER + v;
      LOCAL_PTR SCALARV *now = given + (k & 1) * SIDES; /* alternating: one barrier suffices */
      if (h == v) {
        if (!t.unit) {
          SCALARV by = load_elements(t.data + k * (t.rs + t.cs));
          REALV scale = (REALV)(1);
          const int scaled = !GIVES_QUOTIENTS && divisor_of(by, &by, &scale, IN_SOLVE);
          CONJUGATE_BY(by, t.sign);
          UNROLL for (int c = 0; c < SIDES; ++c)
            x[r][c] = QUOTIENT(x[r][c], by, scale, scaled);
        }
        UNROLL for (int c = 0; c < SIDES; ++c) now[c] = x[r][c];
      }
      BARRIER();
      UNROLL for (int q = r; q < ROWS; ++q) {
        const int i = q * TOGETHER + h;
        if (i > k && i < n) {
          SCALARV l = load_elements(t.data + i * t.rs + k * t.cs);
          CONJUGATE_BY(l, t.sign);
          UNROLL for (int c = 0; c < SIDES; ++c) {
            const SCALARV u = now[c];
            FNMA(x[q][c], l, u);
          }
        }
      }
    }
  BARRIER(); /* before `given` is overwritten */
}

/* Loads the unknowns of B into registers, in reverse order for a reversed triangle; and stores
   them. */
INLINED void load_unknowns(SCALARV x[][SIDES], GLOBAL const SCALAR *B, BATCH at, i64 j,
                           int from_below, int works)
{
  const int n = (int)at.rows;
  UNROLL for (int r = 0; r < ROWS; ++r) {
    const int k = r * TOGETHER + ITEM(0), i = from_below ? n - 1 - k : k;
    UNROLL for (int c = 0; c < SIDES; ++c) {
      SET_ZERO(x[r][c]);
      if (works && k < n && j + c < at.cols)
        x[r][c] = load_elements(B + i * at.rs + (j + c) * at.cs);
    }
  }
}
INLINED void store_unknowns(SCALARV x[][SIDES], GLOBAL SCALAR *B, BATCH at, i64 j, int from_below)
{
  const int n = (int)at.rows;
  UNROLL for (int r = 0; r < ROWS; ++r) {
    const int k = r * TOGETHER + ITEM(0), i = from_below ? n - 1 - k : k;
    UNROLL for (int c = 0; c < SIDES; ++c)
      if (k < n && j + c < at.cols) store_elements(B + i * at.rs + (j + c) * at.cs, x[r][c]);
  }
}
/* Exchanges rows in all columns, one column per item at a time; backwards: in reverse order. */
DEVICE void exchange_together(GLOBAL SCALAR *B, BATCH at, GLOBAL const int *pivots, int backwards)
{
  const int n = (int)at.rows;
  NO_UNROLL for (i64 j = ITEM(0); j < at.cols; j += TOGETHER)
    NO_UNROLL for (int s = 0; s < n; ++s) {
      const int k = backwards ? n - 1 - s : s;
      GLOBAL SCALAR *upper = B + k * at.rs + j * at.cs;
      GLOBAL SCALAR *lower = B + pivots[k * PIVOTS_TOGETHER] * at.rs + j * at.cs;
      const SCALAR moved = *upper;
      *upper = *lower;
      *lower = moved;
    }
}
INLINED void conjugate_unknowns(SCALARV x[][SIDES])
{
  UNROLL for (int r = 0; r < ROWS; ++r)
    UNROLL for (int c = 0; c < SIDES; ++c) CONJUGATE(x[r][c]);
}

/* B := A^-1*B as batch_solve; items (h, s) solve system GROUP(0)*SYSTEMS + s. mirrored: the
   upper triangle holds L^H. */
KERNEL GROUP_SHAPE(TOGETHER, SYSTEMS) void batch_group_solve(
    GLOBAL const REAL *factors, BATCH place, GLOBAL REAL *sides, BATCH sides_place, int conjugated,
    int exchanges, int one_factor, int mirrored, GLOBAL const int *pivots, GLOBAL const int *info)
{
  LOCAL SCALARV given[SYSTEMS * 2 * SIDES];
  const i64 system = GROUP(0) * SYSTEMS + ITEM(1);
  /* Items without a system compute too, since all items must reach the barriers, but write
     nothing. */
  const i64 b = system < sides_place.count ? system : sides_place.count - 1;
  const i64 f = one_factor ? 0 : b;
  const int works = system < sides_place.count && info[f] == 0, n = (int)place.rows;
  GLOBAL const SCALAR *A = (GLOBAL const SCALAR *)factors + place_of(place, f);
  GLOBAL SCALAR *B = (GLOBAL SCALAR *)sides + place_of(sides_place, b);
  LOCAL_PTR SCALARV *mine = given + ITEM(1) * 2 * SIDES;
  const i64 to_last = (n - 1) * (place.rs + place.cs);
  TRIANGLE first, second;
  first.data = A, first.rs = place.rs, first.cs = place.cs;
  second.data = A + to_last, second.rs = -place.rs, second.cs = -place.cs;
  first.unit = KIND == BY_LU, second.unit = KIND == BY_LU_TRANSPOSED;
  first.sign = 1, second.sign = KIND == BY_CHOLESKY && !mirrored ? -1 : 1;
  if (KIND == BY_LU_TRANSPOSED) first.rs = place.cs, first.cs = place.rs;
  if (KIND != BY_LU && !mirrored) second.rs = -place.cs, second.cs = -place.rs;

  if (KIND == BY_LU && exchanges && works)
    exchange_together(B, sides_place, pivots + pivots_of(f, n), 0);
  BARRIER();
  NO_UNROLL for (i64 j = 0; j < sides_place.cols; j += SIDES) {
    SCALARV x[ROWS][SIDES];
    NO_UNROLL for (int pass = 0; pass < 2; ++pass) {
      load_unknowns(x, B, sides_place, j, pass, works);
      if (conjugated && pass == 0) conjugate_unknowns(x);
      substitute_together(pass == 0 ? first : second, x, n, mine);
      if (conjugated && pass == 1) conjugate_unknowns(x);
      if (works) store_unknowns(x, B, sides_place, j, pass);
      BARRIER(); /* items hold other unknowns in the second pass */
    }
  }
  if (KIND == BY_LU_TRANSPOSED && exchanges && works)
    exchange_together(B, sides_place, pivots + pivots_of(f, n), 1);
}
)kernel";

}  // namespace trifac::kernel
