#pragma once
// Device code of tournament pivoting: the games, the winners as row interchanges, and the verdict
// on the panel.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows lu_panel.hpp.
inline constexpr const char* tournament = TRIFAC_KERNEL_LINE("tournament.hpp") R"kernel(
/* One game in each group: elimination of its candidates' rows, of which the first b chosen win.
   Candidates of game g are those from units*g/games*unit on; where there is no list of them
   (`listed` is 0), they are the rows of the panel. winners[g*b ...] receives their rows in the order
   of the elimination; `order` is scratch, a number for each candidate. Each game has packed memory
   for `height` rows (P), a T and `height` scales of its own; exchanges: b numbers for each. A single
   game leaves its factor L\U in `root`, b x b. */
KERNEL GROUP_SHAPE(PANEL_ITEMS, 1) void play(
    GLOBAL const SCALAR* A, i64 offset, i64 rs, i64 cs, int b, int listed,
    GLOBAL const i64* candidates, i64 candidates_at, GLOBAL i64* winners, i64 winners_at,
    GLOBAL i64* order, i64 games, i64 units, i64 unit, int rule, GLOBAL REAL* P, int height,
    GLOBAL REAL* T, GLOBAL REAL* scales, GLOBAL i64* exchanges, GLOBAL SCALAR* root, i64 root_at,
    i64 root_rs, i64 root_cs, GLOBAL const i64* state)
{
  LOCAL REAL sizes[BEST_ROOM];
  LOCAL int rows[BEST_ROOM];
  /* Nothing is done after a failure: an empty game, as all items must meet at the barriers. */
  const int stop = is_fatal(state[FAILED]), t = ITEM(0), n = stop ? 0 : b;
  const i64 g = GROUP(0), from = units * g / games * unit;
  const int m = stop ? 0 : (int)(units * (g + 1) / games * unit - from);
  P += g * height * PARTS * (b + PANEL_COLS);
  T += g * PANEL_COLS * PARTS * (b + PANEL_COLS);
  scales += g * height;
  exchanges += g * b;
  order += from;
  for (int i = t; i < m; i += PANEL_ITEMS)
    order[i] = listed ? candidates[candidates_at + from + i] : from + i;
  PANEL_BARRIER();
  for (int j = 0; j < n + PANEL_COLS; ++j)
    for (int i = t; i < height; i += PANEL_ITEMS) {
      SCALAR x;
      if (i < m && j < n)
        x = A[offset + order[i] * rs + j * cs];
      else
        SET_REAL(x, 0);
      set_packed(AT(P, height, i, j), height, x);
    }
  /* A row of zeros stays one: any scale but 0 keeps it from winning. */
  for (int i = t; i < height && rule == SCALED; i += PANEL_ITEMS) {
    REAL scale = 0;
    for (int j = 0; j < n && i < m; ++j) {
      const SCALAR x = get_packed(AT(P, height, i, j), height);
      const REAL size = SEARCH_SIZE(x);
      if (!(size <= scale)) scale = size;
    }
    scales[i] = scale == 0 ? 1 : scale;
  }
  PANEL_BARRIER();
  eliminate(m, n, P, height, T, rule, scales, exchanges, sizes, rows);
  PANEL_BARRIER();
  if (t == 0)
    for (int k = 0; k < n; ++k) {
      const i64 other = k + exchanges[k], row = order[other];
      order[other] = order[k];
      order[k] = row;
      winners[winners_at + g * b + k] = row;
    }
  if (games == 1)
    for (int j = 0; j < n; ++j)
      for (int i = t; i < n; i += PANEL_ITEMS)
        root[root_at + i * root_rs + j * root_cs] = get_packed(AT(P, height, i, j), height);
}

/* The row interchanges that bring rows first + winners[k] of the matrix to rows first + k. places:
   scratch for 2*rows numbers, rows being the height of the panel. One group. */
KERNEL void adopt_winners(GLOBAL const i64* winners, i64 winners_at, int b, i64 first, i64 rows,
                          GLOBAL i64* interchanges, GLOBAL i64* places, GLOBAL const i64* state)
{
  GLOBAL i64* row_at = places;
  GLOBAL i64* place_of = places + rows;
  const int stop = is_fatal(state[FAILED]);
  for (i64 i = ITEM(0); i < rows && !stop; i += ITEMS(0)) row_at[i] = place_of[i] = i;
  BARRIER();
  if (ITEM(0) == 0 && !stop)
    for (int k = 0; k < b; ++k) {
      const i64 winner = winners[winners_at + k], from = place_of[winner], displaced = row_at[k];
      interchanges[first + k] = from - k;
      row_at[k] = winner;
      row_at[from] = displaced;
      place_of[displaced] = from;
      place_of[winner] = k;
    }
}

/* Asks for a fallback where a pivot of A11 = L11\U11 (b x b) is zero or not finite, or a |l_ij| of
   L11 or of A21 = L21 (m x b) is above the limit, NaN being above. Item: one row of [A11; A21]. */
KERNEL void judge(GLOBAL const SCALAR* A11, i64 at, GLOBAL const SCALAR* A21, i64 below_at, i64 m,
                  int b, i64 rs, i64 cs, REAL limit, GLOBAL i64* state)
{
  if (is_fatal(state[FAILED])) return;
  const i64 i = GROUP(0) * ITEMS(0) + ITEM(0);
  int bad = 0;
  if (i < b) {
    const SCALAR pivot = A11[at + i * (rs + cs)];
    bad = !IS_FINITE(pivot) || IS_ZERO(pivot);
    for (int j = 0; j < i; ++j) {
      const SCALAR l = A11[at + i * rs + j * cs];
      bad |= !(PIVOT_SIZE(l) <= limit);
    }
  } else if (i < b + m) {
    for (int j = 0; j < b; ++j) {
      const SCALAR l = A21[below_at + (i - b) * rs + j * cs];
      bad |= !(PIVOT_SIZE(l) <= limit);
    }
  }
  if (bad) state[FALLBACK] = 1; /* whoever writes, writes the same */
}

/* The fallback has been done. */
KERNEL void settle_fallback(GLOBAL i64* state)
{
  state[FALLBACK] = 0;
}
)kernel";

}  // namespace trifac::kernel
