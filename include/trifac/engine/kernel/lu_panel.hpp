#pragma once
// Device code: Gaussian elimination of one panel by one work-group, shared by partial pivoting, LU
// without pivoting and local LUs of a tournament.

#include "trifac/engine/kernel/lu_panel_pivots.hpp"

namespace trifac::kernel {

/// Follows lu_panel_pivots.
inline constexpr const char* lu_panel = TRIFAC_KERNEL_LINE("lu_panel.hpp") R"kernel(
/* `width` columns from `first` on, above row `depth`: T := L11^-1 A12, stored in T in rows of
   PANEL_COLS elements and copied back. */
DEVICE void solve_step(int depth, int first, int width, GLOBAL REAL* P, int height, GLOBAL REAL* T)
{
  NO_UNROLL
  for (int c = ITEM(0) * VW; c < PANEL_COLS; c += PANEL_ITEMS * VW) {
    for (int l = c; l < c + VW; ++l)
      for (int p = 0; p < (depth + 7) / 8 * 8; ++p) {
        SCALAR x;
        SET_REAL(x, 0);
        if (p < depth) x = get_packed(AT(P, height, p, first + l), height);
        set_packed(AT(T, PANEL_COLS, l, p), PANEL_COLS, x);
      }
    NO_UNROLL
    for (int r = 0; r < depth; r += 8) {
      SCALARV x[8];
      UNROLL
      for (int i = 0; i < 8; ++i) x[i] = load_packed(AT(T, PANEL_COLS, c, r + i), PANEL_COLS);
      for (int p = 0; p < r; ++p) {
        const SCALARV done = load_packed(AT(T, PANEL_COLS, c, p), PANEL_COLS);
        UNROLL
        for (int i = 0; i < 8; ++i) {
          const SCALARV l = splat_packed(AT(P, height, r + i, p), height);
          FNMA(x[i], l, done);
        }
      }
      UNROLL
      for (int k = 0; k < 8; ++k) {
        UNROLL
        for (int i = k + 1; i < 8; ++i) {
          const SCALARV l = splat_packed(AT(P, height, r + i, r + k), height);
          FNMA(x[i], l, x[k]);
        }
      }
      UNROLL
      for (int i = 0; i < 8; ++i) store_packed(AT(T, PANEL_COLS, c, r + i), PANEL_COLS, x[i]);
    }
    for (int l = c; l < c + VW && l < width; ++l)
      for (int p = 0; p < depth; ++p)
        set_packed(AT(P, height, p, first + l), height,
                   get_packed(AT(T, PANEL_COLS, l, p), PANEL_COLS));
  }
}

/* The same columns from row `first` on:  A22 := A22 - A21 T. */
DEVICE void update_step(int m, int first, int width, GLOBAL REAL* P, int height, GLOBAL const REAL* T)
{
  NO_UNROLL
  for (int r = first + ITEM(0) * (PANEL_TILE * VW); r < m; r += PANEL_ITEMS * (PANEL_TILE * VW)) {
    SCALARV x[PANEL_COLS][PANEL_TILE];
    UNROLL
    for (int j = 0; j < PANEL_COLS; ++j) {
      UNROLL
      for (int i = 0; i < PANEL_TILE; ++i)
        x[j][i] = load_packed(AT(P, height, r + i * VW, first + j), height);
    }
    for (int p = 0; p < first; ++p) {
      SCALARV l[PANEL_TILE];
      UNROLL
      for (int i = 0; i < PANEL_TILE; ++i) l[i] = load_packed(AT(P, height, r + i * VW, p), height);
      UNROLL
      for (int j = 0; j < PANEL_COLS; ++j) {
        const SCALARV u = splat_packed(AT(T, PANEL_COLS, j, p), PANEL_COLS);
        UNROLL
        for (int i = 0; i < PANEL_TILE; ++i) FNMA(x[j][i], l[i], u);
      }
    }
    UNROLL
    for (int j = 0; j < PANEL_COLS; ++j)
      if (j < width) {
        UNROLL
        for (int i = 0; i < PANEL_TILE; ++i)
          store_packed(AT(P, height, r + i * VW, first + j), height, x[j][i]);
      }
  }
}

/* P := L\U of an m x n panel, left-looking in steps of PANEL_COLS columns. T has room for n +
   PANEL_COLS rows of PANEL_COLS elements. Zero or non-finite pivots do not change the control
   flow: no index leaves its range, and the diagonal shows them afterwards. */
DEVICE void eliminate(int m, int n, GLOBAL REAL* P, int height, GLOBAL REAL* T, int rule,
                      GLOBAL REAL* scales, GLOBAL i64* exchanges, LOCAL_PTR REAL* sizes,
                      LOCAL_PTR int* rows)
{
  int first = 0;
  NO_UNROLL
  while (first < n) {
    /* If the rows end within a step, the columns after the last pivot form the next step. */
    const int pivots = (m < n ? m : n) - first;
    const int width = pivots > 0 && pivots < PANEL_COLS ? pivots : PANEL_COLS;
    solve_step(first < m ? first : m, first, width, P, height, T);
    PANEL_BARRIER();
    if (0 < first && first < m) update_step(m, first, width, P, height, T);
    PANEL_BARRIER();
    factor_step(m, n, first, first < m ? width : 0, P, height, rule, scales, exchanges, sizes,
                rows);
    PANEL_BARRIER();
    first += width;
  }
}

/* Loads an m x n panel into packed memory, with zeros around it. */
DEVICE void load_panel(int m, int n, GLOBAL const SCALAR* RESTRICT A, i64 rs, i64 cs,
                       GLOBAL REAL* RESTRICT P, int height)
{
  for (int j = 0; j < n + PANEL_COLS; j += PANEL_FLIGHT)
    for (int i = ITEM(0); i < height; i += PANEL_ITEMS) {
      SCALAR x[PANEL_FLIGHT];
      UNROLL
      for (int c = 0; c < PANEL_FLIGHT; ++c) {
        if (i < m && j + c < n)
          x[c] = A[i * rs + (j + c) * cs];
        else
          SET_REAL(x[c], 0);
      }
      UNROLL
      for (int c = 0; c < PANEL_FLIGHT; ++c)
        if (c == 0 || j + c < n + PANEL_COLS) set_packed(AT(P, height, i, j + c), height, x[c]);
    }
}
DEVICE void store_panel(int m, int n, GLOBAL SCALAR* RESTRICT A, i64 rs, i64 cs,
                        GLOBAL const REAL* RESTRICT P, int height)
{
  for (int j = 0; j < n; j += PANEL_FLIGHT)
    for (int i = ITEM(0); i < m; i += PANEL_ITEMS) {
      SCALAR x[PANEL_FLIGHT];
      UNROLL
      for (int c = 0; c < PANEL_FLIGHT; ++c)
        if (c == 0 || j + c < n) x[c] = get_packed(AT(P, height, i, j + c), height);
      UNROLL
      for (int c = 0; c < PANEL_FLIGHT; ++c)
        if (c == 0 || j + c < n) A[i * rs + (j + c) * cs] = x[c];
    }
}

/* Records the first zero and the first non-finite pivot. */
DEVICE void record_pivots(int steps, GLOBAL const REAL* P, int height, int kind_of_zero, i64 base,
                          STATE* state)
{
  for (int k = 0; k < steps; ++k) {
    const SCALAR pivot = get_packed(AT(P, height, k, k), height);
    if (!IS_FINITE(pivot)) record(state, NOT_FINITE, base + k);
    if (IS_ZERO(pivot)) record(state, kind_of_zero, base + k);
  }
}
)kernel";

/// The kernel of a single panel.
inline constexpr const char* factor_panel = TRIFAC_KERNEL_LINE("lu_panel.hpp") R"kernel(
/* A := L\U; A: m x n, its first row is row `base` of the matrix; one group. rule: PLAIN, partial
   pivoting, writes interchanges[base ...]; NONE, no exchanges, leaves them unchanged. With
   `guarded`, only if a fallback was requested. P, T: see eliminate. */
KERNEL LAUNCH_BOUNDS(PANEL_ITEMS, 1) void factor_panel(
    MATRIX(A), int rule, GLOBAL REAL* P, int height, GLOBAL REAL* T, i64 base,
    GLOBAL i64* interchanges, int guarded, STATE* state)
{
  int m = (int)A_view.rows, n = (int)A_view.cols;
  LOCAL REAL sizes[BEST_ROOM];
  LOCAL int rows[BEST_ROOM];
  /* After a failure the panel is empty: all items must still reach the barriers. */
  if (is_fatal(state[FAILED]) || (guarded && !state[FALLBACK])) m = n = 0;
  PANEL_BARRIER(); /* all items have read the state */
  load_panel(m, n, A + A_view.offset, A_view.rs, A_view.cs, P, height);
  PANEL_BARRIER();
  eliminate(m, n, P, height, T, rule, P, interchanges + base, sizes, rows);
  PANEL_BARRIER();
  store_panel(m, n, A + A_view.offset, A_view.rs, A_view.cs, P, height);
  if (ITEM(0) == 0)
    record_pivots(m < n ? m : n, P, height, rule == NONE ? ZERO_PIVOT : SINGULAR, base, state);
}
)kernel";

}  // namespace trifac::kernel
