#pragma once
// Device code: Gaussian elimination of a few hundred rows in the registers of one work-group, and
// the tournaments that are made of it. For groups of many items.

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
#define SCANNERS (PANEL_ITEMS < 16 ? PANEL_ITEMS : 16)

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

/* The best of what the items found, in two steps: few items look at many, then all at few. sizes and
   rows: PANEL_ITEMS + SCANNERS. */
DEVICE int best_in_group(REAL size, int row, LOCAL_PTR REAL* sizes, LOCAL_PTR int* rows)
{
  const int t = ITEM(0);
  sizes[t] = size;
  rows[t] = row;
  BARRIER();
  if (t < SCANNERS) {
    for (int e = t + SCANNERS; e < PANEL_ITEMS; e += SCANNERS)
      if (is_better(sizes[e], rows[e], size, row)) {
        size = sizes[e];
        row = rows[e];
      }
    sizes[PANEL_ITEMS + t] = size;
    rows[PANEL_ITEMS + t] = row;
  }
  BARRIER();
  size = sizes[PANEL_ITEMS];
  row = rows[PANEL_ITEMS];
  for (int e = PANEL_ITEMS + 1; e < PANEL_ITEMS + SCANNERS; ++e)
    if (is_better(sizes[e], rows[e], size, row)) {
      size = sizes[e];
      row = rows[e];
    }
  return row;
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
        REAL size = rule == NONE ? (REAL)(place[r] == k) : PIVOT_SIZE(x[r][0]);
        if (rule == SCALED) size /= scale[r];
        if (is_better(size, place[r], largest, best)) {
          largest = size;
          best = place[r];
        }
      }
    best = best_in_group(largest, best, sizes, rows);
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

/// Follows lu_game: a panel of partial pivoting that fits in registers.
inline constexpr const char* factor_rows = TRIFAC_KERNEL_LINE("lu_game.hpp") R"kernel(
#if PANEL_ITEMS > 1
/* As factor_panel, for m <= GAME_ROWS*PANEL_ITEMS and n <= GAME_COLS. Bits may differ in
   two cases: an l goes through every later step with u = 0, which can make +0 of -0 and, after a
   pivot that is not finite, NaN of a number. */
KERNEL GROUP_SHAPE(PANEL_ITEMS, 1) void factor_rows(
    GLOBAL SCALAR* A, i64 offset, int m, int n, i64 rs, i64 cs, int rule, i64 base,
    GLOBAL i64* interchanges, GLOBAL i64* state)
{
  LOCAL REAL sizes[PANEL_ITEMS + SCANNERS], u[2 * SHARED_ROW];
  LOCAL int rows[PANEL_ITEMS + SCANNERS];
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

/// Follows lu_game: the games of a tournament, and what follows from them for the panel.
inline constexpr const char* tournament_rows = TRIFAC_KERNEL_LINE("lu_game.hpp") R"kernel(
#if PANEL_ITEMS > 1
/* As play, for games of at most GAME_ROWS*PANEL_ITEMS rows and panels of at most GAME_COLS
   columns. */
KERNEL GROUP_SHAPE(PANEL_ITEMS, 1) void play_rows(
    GLOBAL const SCALAR* A, i64 offset, i64 rs, i64 cs, int b, int listed,
    GLOBAL const i64* candidates, i64 candidates_at, GLOBAL i64* winners, i64 winners_at, i64 games,
    i64 units, i64 unit, int rule, GLOBAL SCALAR* root, i64 root_at, i64 root_rs, i64 root_cs,
    GLOBAL i64* state)
{
  LOCAL REAL sizes[PANEL_ITEMS + SCANNERS], u[2 * SHARED_ROW];
  LOCAL int rows[PANEL_ITEMS + SCANNERS];
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
      const REAL size = PIVOT_SIZE(x[r][j]);
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

#define SETTLE_ITEMS 64

/* What the winners mean for the panel of m x b below its first b rows, its row 0 being row `first` of
   the matrix: the interchanges that bring them there are written and applied, then
     A21 := A21 U11^-1,
   U11 from `root`. The first b rows stay until conclude_panel. `before` receives the panel as it was.
   Asks for a fallback where a pivot is zero or not finite or an |l| is above the limit. Item: one
   row. */
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
  LOCAL REAL sizes[PANEL_ITEMS];
  LOCAL int rows[PANEL_ITEMS];
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
