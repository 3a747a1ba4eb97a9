#pragma once
// Device code: the games of a tournament that fit in the registers of their work-groups.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows lu_game.
inline constexpr const char* tournament_rows = TRIFAC_KERNEL_LINE("tournament_rows.hpp") R"kernel(
#if PANEL_ITEMS > 1
/* As play, for games of at most GAME_ROWS*PANEL_ITEMS rows and panels of at most GAME_COLS
   columns. */
KERNEL GROUP_SHAPE(PANEL_ITEMS, 1) void play_rows(
    GLOBAL const SCALAR* A, i64 offset, i64 rs, i64 cs, int b, int listed,
    GLOBAL const i64* candidates, i64 candidates_at, GLOBAL i64* winners, i64 winners_at, i64 games,
    i64 units, i64 unit, int rule, GLOBAL SCALAR* root, i64 root_at, i64 root_rs, i64 root_cs,
    GLOBAL i64* state)
{
  LOCAL REAL sizes[BEST_ROOM], u[2 * SHARED_ROW];
  LOCAL int rows[BEST_ROOM];
  const int stop = is_fatal(state[FAILED]);
  const i64 g = GROUP(0), from = units * g / games * unit;
  const int m = stop ? 0 : (int)(units * (g + 1) / games * unit - from), n = stop ? 0 : b;
  SCALAR x[GAME_ROWS][GAME_COLS];
  int place[GAME_ROWS];
  REAL scale[GAME_ROWS];
  UNROLL
  for (int r = 0; r < GAME_ROWS; ++r) {
    const int at = r * PANEL_ITEMS + ITEM(0);
    place[r] = at;
    const i64 row = at < m && listed ? candidates[candidates_at + from + at] : from + at;
    scale[r] = 0;
    GLOBAL const SCALAR* a = A + offset + row * rs;
    UNROLL
    for (int j = 0; j < GAME_COLS; ++j) {
      if (at < m && j < n)
        x[r][j] = *a;
      else
        SET_REAL(x[r][j], 0);
      const REAL size = SEARCH_SIZE(x[r][j]);
      if (!(size <= scale[r])) scale[r] = size;
      a += cs;
    }
    if (scale[r] == 0) scale[r] = 1;
  }
  eliminate_rows(m, n, rule, x, place, scale, sizes, rows, u, (GLOBAL i64*)0, 0, state,
                 games == 1 ? root + root_at : (GLOBAL SCALAR*)0, (int)root_rs, (int)root_cs);
  UNROLL
  for (int r = 0; r < GAME_ROWS; ++r) {
    const int at = r * PANEL_ITEMS + ITEM(0);
    if (place[r] < n)
      winners[winners_at + g * b + place[r]] =
          listed ? candidates[candidates_at + from + at] : from + at;
  }
}
#endif
)kernel";

}  // namespace trifac::kernel
