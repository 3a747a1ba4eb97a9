#pragma once
// Device code: Gaussian elimination of a few hundred rows in the registers of one work-group of many
// items.

#include "trifac/kernel/prelude_opencl.hpp"
#include "trifac/scalar.hpp"

namespace trifac::kernel {

/// The most columns of a panel in registers, and rows for each item: half of a GPU's registers for
/// double. Complex elements have fewer; with more PoCL's compiler fails.
template <class T>
inline constexpr int game_columns = is_complex<T> ? 16 : 32;
template <class T>
inline constexpr int game_rows = is_complex<T> ? 1 : 2;

/// Follows lu_panel.hpp.
inline constexpr const char* lu_game = TRIFAC_KERNEL_LINE("lu_game.hpp") R"kernel(
#if PANEL_ITEMS > 1
#if COMPLEX /* game_columns, game_rows */
  #define GAME_COLS 16
  #define GAME_ROWS 1
#else
  #define GAME_COLS 32
  #define GAME_ROWS 2
#endif

/* One row of GAME_COLS elements that the group shares. */
#define SHARED_ROW (PARTS * GAME_COLS)
DEVICE SCALAR get_shared(LOCAL_PTR const REAL* u, int j)
{
  SCALAR x;
#if COMPLEX
  x.re = u[j];
  x.im = u[GAME_COLS + j];
#else
  x = u[j];
#endif
  return x;
}
DEVICE void set_shared(LOCAL_PTR REAL* u, int j, SCALAR x)
{
#if COMPLEX
  u[j] = x.re;
  u[GAME_COLS + j] = x.im;
#else
  u[j] = x;
#endif
}

/* Gaussian elimination of m rows in `steps` columns; an item has the rows in places place[r] (those
   from m on are none) and their elements x[r]. Rows stay where they are and change places. A step
   uses up the first column; the others move up, and what belongs to it comes last: l, or u of a row
   that has been a pivot row. So column c < steps ends in x[.][GAME_COLS - steps + c], and those
   behind in x[.][c - steps]. rule, scale: see factor_step. u: two rows that the group shares. Where
   they are wanted, exchanges receives the distances of the interchanges and state the first bad
   pivot, as record_pivots has it, and root the first `steps` rows and columns of L\U. */
DEVICE void eliminate_rows(int m, int steps, int rule, SCALAR x[GAME_ROWS][GAME_COLS],
                           int place[GAME_ROWS], const REAL scale[GAME_ROWS],
                           LOCAL_PTR REAL* sizes, LOCAL_PTR int* rows, LOCAL_PTR REAL* u,
                           GLOBAL i64* exchanges, i64 base, GLOBAL i64* state,
                           GLOBAL SCALAR* root, int root_rs, int root_cs)
{
  const int t = ITEM(0);
  NO_UNROLL
  for (int k = 0; k < GAME_COLS; ++k) {
    REAL largest = -1;
    int best = m;
    UNROLL
    for (int r = 0; r < GAME_ROWS; ++r)
      if (place[r] >= k && place[r] < m) {
        REAL size = rule == NONE ? (REAL)(place[r] == k) : SEARCH_SIZE(x[r][0]);
        if (rule == SCALED) size /= scale[r];
        if (is_better(size, place[r], largest, best)) {
          largest = size;
          best = place[r];
        }
      }
    best = best_of_items(largest, best, sizes, rows);
    UNROLL
    for (int r = 0; r < GAME_ROWS; ++r)
      if (k < steps && place[r] == best) {
        UNROLL
        for (int j = 0; j < GAME_COLS; ++j) {
          SCALAR e = x[r][j];
          if (root) set_shared(u + SHARED_ROW, j, e);
          if (j >= GAME_COLS - k) SET_REAL(e, 0); /* an l: those of other rows keep their values */
          set_shared(u, j, e);
        }
      }
    BARRIER();
    if (k < steps) {
      const SCALAR first = get_shared(u, 0);
      const DIVISOR pivot = divisor(first);
      if (root && t < steps)
        root[k * root_rs + t * root_cs] =
            get_shared(u + SHARED_ROW, t < k ? GAME_COLS - k + t : t - k);
      if (t == 0 && exchanges) {
        exchanges[k] = best - k;
        if (!IS_FINITE(first)) record(state, NOT_FINITE, base + k);
        if (IS_ZERO(first)) record(state, rule == NONE ? ZERO_PIVOT : SINGULAR, base + k);
      }
      UNROLL
      for (int r = 0; r < GAME_ROWS; ++r) {
        place[r] = place[r] == best ? k : place[r] == k ? best : place[r];
        SCALAR last = x[r][0];
        if (place[r] > k) {
          DIVIDE(last, pivot);
          UNROLL
          for (int j = 1; j < GAME_COLS; ++j) {
            const SCALAR uj = get_shared(u, j);
            x[r][j - 1] = x[r][j];
            FNMA(x[r][j - 1], last, uj);
          }
        } else {
          UNROLL
          for (int j = 1; j < GAME_COLS; ++j) x[r][j - 1] = x[r][j];
        }
        x[r][GAME_COLS - 1] = last;
      }
    }
  }
}
/* The column that is in x[.][i] afterwards. */
DEVICE int column_at(int i, int steps)
{
  return i < GAME_COLS - steps ? i + steps : i - (GAME_COLS - steps);
}
#endif
)kernel";

}  // namespace trifac::kernel
