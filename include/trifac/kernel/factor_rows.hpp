#pragma once
// Device code: a panel of partial pivoting that fits in the registers of one work-group.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows lu_game.
inline constexpr const char* factor_rows = TRIFAC_KERNEL_LINE("factor_rows.hpp") R"kernel(
#if PANEL_ITEMS > 1
/* As factor_panel, for m <= GAME_ROWS*PANEL_ITEMS and n <= GAME_COLS. Bits may differ in
   two cases: an l goes through every later step with u = 0, which can make +0 of -0 and, after a
   pivot that is not finite, NaN of a number. */
KERNEL GROUP_SHAPE(PANEL_ITEMS, 1) void factor_rows(
    GLOBAL SCALAR* A, i64 offset, int m, int n, i64 rs, i64 cs, int rule, i64 base,
    GLOBAL i64* interchanges, GLOBAL i64* state)
{
  LOCAL REAL sizes[BEST_ROOM], u[2 * SHARED_ROW];
  LOCAL int rows[BEST_ROOM];
  if (is_fatal(state[FAILED])) m = 0;
  const int steps = m < n ? m : n;
  SCALAR x[GAME_ROWS][GAME_COLS];
  int place[GAME_ROWS];
  REAL scale[GAME_ROWS];
  GLOBAL SCALAR* a = A + offset;
  UNROLL
  for (int r = 0; r < GAME_ROWS; ++r) {
    const int row = r * PANEL_ITEMS + ITEM(0);
    place[r] = row;
    scale[r] = 1;
    UNROLL
    for (int j = 0; j < GAME_COLS; ++j)
      if (row < m && j < n)
        x[r][j] = a[row * rs + j * cs];
      else
        SET_REAL(x[r][j], 0);
  }
  eliminate_rows(m, steps, rule, x, place, scale, sizes, rows, u, interchanges + base, base, state,
                 (GLOBAL SCALAR*)0, 0, 0);
  UNROLL
  for (int r = 0; r < GAME_ROWS; ++r) {
    UNROLL
    for (int i = 0; i < GAME_COLS; ++i) {
      const int c = column_at(i, steps);
      if (place[r] < m && c < n) a[place[r] * rs + c * cs] = x[r][i];
    }
  }
}
#endif
)kernel";

}  // namespace trifac::kernel
