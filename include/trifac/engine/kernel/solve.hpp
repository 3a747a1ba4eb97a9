#pragma once
// Device code of triangular solves with many right-hand sides: packs the triangle once, then solves
// each strip of right-hand sides in packed memory, ready as an operand of the update.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows substitute_tile.
inline constexpr const char* solve = TRIFAC_KERNEL_LINE("solve.hpp") R"kernel(
/* D := a lower triangle of n rows in packed memory, padded by I to `padded` rows and columns;
   one group per column; elements above the diagonal are not written. With negative strides from
   the far corner, L is a reversed upper triangle. */
KERNEL void pack_triangle(CONST_MATRIX(L), int conjugated, int unit, GLOBAL REAL* D, int padded,
                          const STATE* state)
{
  if (is_fatal(state[FAILED])) return;
  const int n = (int)L_view.rows, j = (int)GROUP(0);
  for (int i = j + ITEM(0); i < padded; i += ITEMS(0)) {
    SCALAR x;
    if (i >= n || (i == j && unit))
      SET_REAL(x, i == j);
    else
      x = ELEMENT(L, i, j);
    if (conjugated) CONJUGATE(x);
    set_packed(AT(D, padded, i, j), padded, x);
  }
}

/* B := L^-1 B, n x count, one strip of right-hand sides per group. D: from pack_triangle. W
   receives the packed strips, conjugated if requested (then D is that of conj(L)); unknowns
   beyond n are zero. */
KERNEL LAUNCH_BOUNDS(SOLVE_ITEMS, 1) void substitute(
    GLOBAL SCALAR* RESTRICT B, VIEW B_view, int conjugated, int unit,
    GLOBAL const REAL* RESTRICT D, int padded, GLOBAL REAL* RESTRICT W, const STATE* state)
{
  if (is_fatal(state[FAILED])) return;
  const i64 count = B_view.cols, along = B_view.rs, across = B_view.cs;
  const int n = (int)B_view.rows;
  const i64 top = GROUP(0) * STRIP + ITEM(0) * SOLVE_ROWS;
  const int sides = count - top >= SOLVE_ROWS ? SOLVE_ROWS : count - top > 0 ? (int)(count - top) : 0;
  GLOBAL REAL* w = W + GROUP(0) * STRIP_COLUMN * padded + ITEM(0) * SOLVE_ROWS;
  GLOBAL SCALAR* b = &ELEMENT(B, 0, top);
  NO_UNROLL
  for (int first = 0; first < padded; first += SOLVE_N) {
    GLOBAL REAL* tile = w + (i64)first * STRIP_COLUMN;
    const int whole = sides == SOLVE_ROWS && first + SOLVE_N <= n && across == 1 && !conjugated;
    SCALARV x[SOLVE_N][SOLVE_V];
    if (whole) {
      UNROLL
      for (int j = 0; j < SOLVE_N; ++j) {
        UNROLL
        for (int i = 0; i < SOLVE_V; ++i) x[j][i] = load_elements(b + (first + j) * along + i * VW);
      }
    } else {
      NO_UNROLL
      for (int i = 0; i < SOLVE_ROWS; ++i) {
        NO_VECTOR
        for (int j = 0; j < SOLVE_N; ++j) {
          SCALAR e;
          if (i < sides && first + j < n)
            e = b[(first + j) * along + i * across];
          else
            SET_REAL(e, 0);
          if (conjugated) CONJUGATE(e);
          set_packed(tile + i + (i64)j * STRIP_COLUMN, STRIP, e);
        }
      }
      UNROLL
      for (int j = 0; j < SOLVE_N; ++j) {
        UNROLL
        for (int i = 0; i < SOLVE_V; ++i)
          x[j][i] = load_packed(tile + i * VW + (i64)j * STRIP_COLUMN, STRIP);
      }
    }
    substitute_tile(first, unit, 0, D, padded, w, x);
    UNROLL
    for (int j = 0; j < SOLVE_N; ++j) {
      UNROLL
      for (int i = 0; i < SOLVE_V; ++i) {
        store_packed(tile + i * VW + (i64)j * STRIP_COLUMN, STRIP, x[j][i]);
        if (whole) store_elements(b + (first + j) * along + i * VW, x[j][i]);
      }
    }
    if (!whole) {
      NO_UNROLL
      for (int i = 0; i < sides; ++i) {
        NO_VECTOR
        for (int j = 0; j < SOLVE_N; ++j)
          if (first + j < n) {
            SCALAR e = get_packed(tile + i + (i64)j * STRIP_COLUMN, STRIP);
            if (conjugated) CONJUGATE(e);
            b[(first + j) * along + i * across] = e;
          }
      }
    }
  }
}
)kernel";

}  // namespace trifac::kernel
