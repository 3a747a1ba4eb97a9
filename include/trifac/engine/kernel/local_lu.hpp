#pragma once
// Device code of a tournament's local LUs: any number of rows, in memory.

#include "trifac/engine/kernel/lu_panel.hpp"

namespace trifac::kernel {

/// Follows lu_panel.hpp.
inline constexpr const char* local_lu = TRIFAC_KERNEL_LINE("local_lu.hpp") R"kernel(
/* One local LU per group: eliminates its candidate rows; the first b pivots remain. Group g has
   the candidates from units*g/groups*unit on, rows of the panel A or of the list `candidates`.
   chosen[g*b ...] := the pivot rows in order of elimination; `order` is scratch, one number per
   candidate. Each group has packed memory for `height` rows (P), a T and `height` scales;
   exchanges: b numbers per group. With a single group, `root`, b x b, receives its factor L\U. */
KERNEL LAUNCH_BOUNDS(PANEL_ITEMS, 1) void local_lu(
    CONST_MATRIX(A), ROUND round, GLOBAL const i64* candidates, i64 candidates_at,
    GLOBAL i64* chosen, i64 chosen_at, GLOBAL i64* order, GLOBAL REAL* P, int height,
    GLOBAL REAL* T, GLOBAL REAL* scales, GLOBAL i64* exchanges, MATRIX(root),
    const STATE* state)
{
  LOCAL REAL sizes[BEST_ROOM];
  LOCAL int rows[BEST_ROOM];
  /* After a failure the panel is empty: all items must still reach the barriers. */
  const int stop = is_fatal(state[FAILED]), t = ITEM(0), b = (int)A_view.cols, n = stop ? 0 : b;
  const i64 g = GROUP(0), from = round.units * g / round.groups * round.unit;
  const i64 end = round.units * (g + 1) / round.groups * round.unit;
  const int m = stop ? 0 : (int)(end - from), rule = round.rule;
  P += g * height * PARTS * (b + PANEL_COLS);
  T += g * PANEL_COLS * PARTS * (b + PANEL_COLS);
  scales += g * height;
  exchanges += g * b;
  order += from;
  for (int i = t; i < m; i += PANEL_ITEMS)
    order[i] = round.listed ? candidates[candidates_at + from + i] : from + i;
  PANEL_BARRIER();
  for (int j = 0; j < n + PANEL_COLS; j += PANEL_FLIGHT)
    for (int i = t; i < height; i += PANEL_ITEMS) {
      const i64 row = i < m ? order[i] : 0;
      SCALAR x[PANEL_FLIGHT];
      UNROLL
      for (int c = 0; c < PANEL_FLIGHT; ++c) {
        if (i < m && j + c < n)
          x[c] = ELEMENT(A, row, j + c);
        else
          SET_REAL(x[c], 0);
      }
      UNROLL
      for (int c = 0; c < PANEL_FLIGHT; ++c)
        if (c == 0 || j + c < n + PANEL_COLS) set_packed(AT(P, height, i, j + c), height, x[c]);
    }
  /* The scale of a zero row: any value but 0 keeps its elements 0, so it is not chosen. */
  for (int i = t; i < height && rule == SCALED; i += PANEL_ITEMS) {
    REAL scale = 0;
    for (int j = 0; j < n && i < m; ++j) {
      const SCALAR x = get_packed(AT(P, height, i, j), height);
      const REAL size = SIZE_IN_ROW(x);
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
      chosen[chosen_at + g * b + k] = row;
    }
  if (round.groups == 1)
    for (int j = 0; j < n; ++j)
      for (int i = t; i < n; i += PANEL_ITEMS)
        ELEMENT(root, i, j) = get_packed(AT(P, height, i, j), height);
}
)kernel";

}  // namespace trifac::kernel
