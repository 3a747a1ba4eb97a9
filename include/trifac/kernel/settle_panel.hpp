#pragma once
// Device code: all that follows from a tournament for a narrow panel: interchanges, L21, the
// verdict, and partial pivoting where that asks for it.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows lu_game.
inline constexpr const char* settle_panel = TRIFAC_KERNEL_LINE("settle_panel.hpp") R"kernel(
#if PANEL_ITEMS > 1
#define SETTLE_ITEMS 64

/* What the winners mean for the panel of m x b below its first b rows, its row 0 being row `first` of
   the matrix: the interchanges that bring them there are written and applied, then
     A21 := A21 U11^-1,
   U11 from `root`. The first b rows stay until conclude_panel. `before` receives the panel as it was.
   Asks for a fallback where a pivot is zero or not finite or an |l|, of L11 too, is above the limit.
   Item: one row. */
KERNEL GROUP_SHAPE(SETTLE_ITEMS, 1) void settle_panel(
    GLOBAL SCALAR* A, i64 offset, i64 m, int b, i64 rs, i64 cs, GLOBAL const i64* winners,
    i64 winners_at, GLOBAL const SCALAR* root, i64 root_at, i64 root_cs, GLOBAL SCALAR* before,
    i64 before_at, i64 before_cs, REAL limit, i64 first, GLOBAL i64* interchanges, GLOBAL i64* state)
{
  LOCAL REAL U[GAME_COLS * SHARED_ROW];
  LOCAL i64 other[GAME_COLS];
  const int t = ITEM(0), n = is_fatal(state[FAILED]) ? 0 : b;
  const i64 i = GROUP(0) * SETTLE_ITEMS + t;
  /* Row j of U11 from its diagonal on. */
  for (int e = t; e < n * GAME_COLS; e += SETTLE_ITEMS) {
    const int j = e / GAME_COLS, q = e % GAME_COLS;
    SCALAR x;
    if (j + q < n)
      x = root[root_at + j + (j + q) * root_cs];
    else
      SET_REAL(x, 0);
    set_shared(U + j * SHARED_ROW, q, x);
  }
  /* Where winner t is when its turn comes: it may have made room for those before. */
  i64 at = t < n ? winners[winners_at + t] : 0;
  NO_UNROLL
  for (int k = 0; k < GAME_COLS; ++k) {
    if (t == k) other[k] = at;
    BARRIER();
    if (k < t && t < n && at == k) at = other[k];
  }
  BARRIER();
  if (i < n) interchanges[first + i] = other[t] - t;
  int bad = 0;
  if (i < n) {
    const SCALAR pivot = get_shared(U + t * SHARED_ROW, 0);
    bad = !IS_FINITE(pivot) || IS_ZERO(pivot);
    for (int j = 0; j < t; ++j) {
      const SCALAR l = root[root_at + t + j * root_cs];
      bad |= !(PIVOT_SIZE(l) <= limit);
    }
    for (int j = 0; j < n; ++j)
      before[before_at + i + j * before_cs] = A[offset + i * rs + j * cs];
  } else if (i < m) {
    i64 source = i;
    for (int k = n - 1; k >= 0; --k)
      source = source == k ? other[k] : source == other[k] ? k : source;
    SCALAR x[GAME_COLS];
    UNROLL
    for (int j = 0; j < GAME_COLS; ++j)
      if (j < n) {
        const SCALAR own = A[offset + i * rs + j * cs];
        before[before_at + i + j * before_cs] = own;
        x[j] = own;
        if (source != i) x[j] = A[offset + source * rs + j * cs];
      } else {
        SET_REAL(x[j], 0);
      }
    NO_UNROLL
    for (int k = 0; k < n; ++k) {
      SCALAR l = x[0];
      const DIVISOR pivot = divisor(get_shared(U + k * SHARED_ROW, 0));
      DIVIDE(l, pivot);
      bad |= !(PIVOT_SIZE(l) <= limit);
      A[offset + i * rs + k * cs] = l;
      UNROLL
      for (int j = 1; j < GAME_COLS; ++j) {
        const SCALAR u = get_shared(U + k * SHARED_ROW, j);
        x[j - 1] = x[j];
        FNMA(x[j - 1], l, u);
      }
      SET_REAL(x[GAME_COLS - 1], 0);
    }
  }
  if (bad) state[FALLBACK] = 1; /* whoever writes, writes the same */
}

/* The first b rows of the panel := root, or, where a fallback was asked for, the whole panel from
   what it was by partial pivoting. P, T: see eliminate. One group. */
KERNEL GROUP_SHAPE(PANEL_ITEMS, 1) void conclude_panel(
    GLOBAL SCALAR* A, i64 offset, int m, int b, i64 rs, i64 cs, GLOBAL const SCALAR* root,
    i64 root_at, i64 root_cs, GLOBAL const SCALAR* before, i64 before_at, i64 before_cs,
    GLOBAL REAL* P, int height, GLOBAL REAL* T, i64 first, GLOBAL i64* interchanges,
    GLOBAL i64* state)
{
  LOCAL REAL sizes[BEST_ROOM];
  LOCAL int rows[BEST_ROOM];
  if (is_fatal(state[FAILED])) return;
  if (!state[FALLBACK]) {
    for (int e = ITEM(0); e < b * b; e += PANEL_ITEMS)
      A[offset + e % b * rs + e / b * cs] = root[root_at + e % b + e / b * root_cs];
    return;
  }
  BARRIER(); /* all have read the state */
  load_panel(m, b, before + before_at, 1, before_cs, P, height);
  BARRIER();
  eliminate(m, b, P, height, T, PLAIN, P, interchanges + first, sizes, rows);
  BARRIER();
  store_panel(m, b, A + offset, rs, cs, P, height);
  if (ITEM(0) == 0) {
    record_pivots(b, P, height, SINGULAR, first, state);
    state[FALLBACK] = 0;
  }
}
#endif
)kernel";

}  // namespace trifac::kernel
