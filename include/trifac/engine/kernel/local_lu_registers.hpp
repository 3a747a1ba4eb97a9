#pragma once
// Device code of a tournament's local LUs: as many rows as a group holds in registers.

#include "trifac/engine/kernel/lu_search.hpp"

namespace trifac::kernel {

/// Rows per item; a group has that many for each of its NEIGHBOURS (lu_search).
inline constexpr int held_rows = 8;  // HELD_ROWS below

/// Follows lu_search.
inline constexpr const char* local_lu_registers =
    TRIFAC_KERNEL_LINE("local_lu_registers.hpp") R"kernel(
#if DIAGONAL_ITEMS > 1
/* Items (x, y), x in 0 ... NEIGHBOURS-1: items of equal y, neighbours, hold HELD_COLS columns y,
   y + HELD_LINES, ... of HELD_STEP; of these, item x has rows x, x + NEIGHBOURS, ... of
   HELD_MOST. In double this takes 64 of an item's 128 registers. */
#define HELD_ROWS 8
#define HELD_COLS (COMPLEX && DOUBLE ? 2 : 4)
#define HELD_LINES (DIAGONAL_ITEMS / NEIGHBOURS)
#define HELD_STEP (HELD_LINES * HELD_COLS)
#define HELD_MOST (HELD_ROWS * NEIGHBOURS)
/* Columns of L loaded at a time. */
#define HELD_AGAIN 4

/* Element `slot` of a, by halving: indexing would put the array in memory. */
DEVICE SCALAR pick_held(const SCALAR a[HELD_ROWS], int slot)
{
  SCALAR left[HELD_ROWS];
  UNROLL
  for (int i = 0; i < HELD_ROWS; ++i) left[i] = a[i];
  UNROLL
  for (int part = HELD_ROWS / 2; part > 0; part /= 2) {
    const int is_above = (slot & part) != 0;
    UNROLL
    for (int i = 0; i < part; ++i) CHOOSE(left[i], is_above, left[i + part], left[i]);
  }
  return left[0];
}

/* a := a - l u; u: the row `pivot` of a, which is copied to local memory at u. The next call
   must use another u. */
DEVICE void subtract_held(int x, int pivot, SCALAR a[HELD_COLS][HELD_ROWS],
                          LOCAL_PTR const SCALAR* l, LOCAL_PTR SCALAR* u)
{
  UNROLL
  for (int c = 0; c < HELD_COLS; ++c) {
    const SCALAR here = pick_held(a[c], pivot / NEIGHBOURS);
    if (x == pivot % NEIGHBOURS) u[c] = here;
  }
  WARP_BARRIER();
  UNROLL
  for (int i = 0; i < HELD_ROWS; ++i) {
    const SCALAR li = l[x + i * NEIGHBOURS];
    UNROLL
    for (int c = 0; c < HELD_COLS; ++c) {
      const SCALAR uc = u[c];
      FNMA(a[c][i], li, uc);
    }
  }
}

/* local_lu, with the same bits, for at most HELD_MOST rows. Rows are not moved: row `slot` of
   the group is at place place_of[slot] of the elimination; slot_at[place] is the inverse.
   Eliminates HELD_STEP columns at a time; L is stored in memory, HELD_MOST x b per group, and
   reloaded for later columns. Values computed in rows that were already pivots are never read. */
KERNEL LAUNCH_BOUNDS(DIAGONAL_ITEMS, 1) void local_lu_held(
    CONST_MATRIX(A), ROUND round, GLOBAL const i64* candidates, i64 candidates_at,
    GLOBAL i64* chosen, i64 chosen_at, GLOBAL REAL* L, MATRIX(root), const STATE* state)
{
  LOCAL SCALAR columns[HELD_AGAIN * HELD_MOST], u_of[2 * HELD_STEP], pivots[HELD_LINES];
  LOCAL REAL scales[HELD_MOST], sizes[NEIGHBOUR_ROOM + 1];
  LOCAL int place_of[HELD_MOST], slot_at[HELD_MOST], codes[NEIGHBOUR_ROOM + 1];
  LOCAL i64 rows[HELD_MOST];
  const int stop = is_fatal(state[FAILED]), b = (int)A_view.cols, n = stop ? 0 : b;
  const i64 g = GROUP(0), from = round.units * g / round.groups * round.unit;
  const i64 end = round.units * (g + 1) / round.groups * round.unit;
  const int m = stop ? 0 : (int)(end - from), scaled = round.rule == SCALED;
  const int t = ITEM(0), x = t % NEIGHBOURS, y = t / NEIGHBOURS, is_last = round.groups == 1;
  L += g * HELD_MOST * PARTS * b;
  for (int r = t; r < HELD_MOST; r += DIAGONAL_ITEMS) {
    place_of[r] = slot_at[r] = r < m ? r : -1; /* never a pivot */
    if (r < m) {
      const i64 row = round.listed ? candidates[candidates_at + from + r] : from + r;
      REAL scale = 0;
      for (int j = 0; j < n && scaled; ++j) {
        const SCALAR e = ELEMENT(A, row, j);
        const REAL size = SIZE_IN_ROW(e);
        if (!(size <= scale)) scale = size;
      }
      rows[r] = row;
      scales[r] = scale == 0 ? 1 : scale; /* a row of zeros stays zero and is not chosen */
    }
  }
  BARRIER();
  NO_UNROLL
  for (int first = 0; first < n; first += HELD_STEP) {
    SCALAR a[HELD_COLS][HELD_ROWS];
    UNROLL
    for (int c = 0; c < HELD_COLS; ++c) {
      UNROLL
      for (int i = 0; i < HELD_ROWS; ++i) {
        const int r = x + i * NEIGHBOURS, j = first + y + c * HELD_LINES;
        if (r < m && j < n)
          a[c][i] = ELEMENT(A, rows[r], j);
        else
          SET_REAL(a[c][i], 0);
      }
    }
    /* Reloads and applies the previous columns of L. */
    NO_UNROLL
    for (int k0 = 0; k0 < first; k0 += HELD_AGAIN) {
      BARRIER();
      for (int k = k0 + y; k < k0 + HELD_AGAIN && k < first; k += HELD_LINES) {
        UNROLL
        for (int i = 0; i < HELD_ROWS; ++i) {
          const int r = x + i * NEIGHBOURS;
          columns[k % HELD_AGAIN * HELD_MOST + r] = get_packed(AT(L, HELD_MOST, r, k), HELD_MOST);
        }
      }
      BARRIER();
      NO_UNROLL
      for (int k = k0; k < k0 + HELD_AGAIN && k < first; ++k) {
        LOCAL_PTR SCALAR* u = u_of + k % 2 * HELD_STEP + y * HELD_COLS;
        subtract_held(x, slot_at[k], a, columns + k % HELD_AGAIN * HELD_MOST, u);
        for (int c = x; c < HELD_COLS && is_last; c += NEIGHBOURS) {
          const int j = first + y + c * HELD_LINES;
          if (j < n) ELEMENT(root, k, j) = u[c];
        }
      }
    }
    BARRIER();
    /* Column first + q*HELD_LINES + s is in a[0] of the items y == s. */
    NO_UNROLL
    for (int q = 0; q < HELD_COLS; ++q) {
      NO_UNROLL
      for (int s = 0; s < HELD_LINES; ++s) {
        const int k = first + q * HELD_LINES + s;
        if (k < n) {
          LOCAL_PTR SCALAR* column = columns + k % 2 * HELD_MOST;
          LOCAL_PTR SCALAR* u = u_of + k % 2 * HELD_STEP + y * HELD_COLS;
          if (WARP_ALONE(y == s)) {
            REAL size = -1;
            int best = k * HELD_MOST; /* place and slot: the smaller place wins */
            UNROLL
            for (int i = 0; i < HELD_ROWS; ++i) {
              const int r = x + i * NEIGHBOURS, place = place_of[r];
              if (place >= k) {
                REAL here = SEARCH_SIZE(a[0][i]);
                if (scaled) here = SIZE_IN_ROW(a[0][i]) / scales[r];
                if (is_better(here, place * HELD_MOST + r, size, best)) {
                  size = here;
                  best = place * HELD_MOST + r;
                }
              }
            }
            best = best_of_neighbours(&size, best, sizes, codes);
            const int pivot = best % HELD_MOST, place = best / HELD_MOST;
            const SCALAR largest = pick_held(a[0], pivot / NEIGHBOURS);
            if (x == pivot % NEIGHBOURS) pivots[y] = largest;
            WARP_BARRIER();
            const DIVISOR by = divisor(pivots[y]);
            UNROLL
            for (int i = 0; i < HELD_ROWS; ++i) {
              const int r = x + i * NEIGHBOURS;
              SCALAR divided = a[0][i];
              DIVIDE(divided, by);
              if (y == s) {
                column[r] = divided;
                set_packed(AT(L, HELD_MOST, r, k), HELD_MOST, divided);
              }
            }
            if (y == s && x == 0) {
              const int displaced = slot_at[k];
              place_of[displaced] = place;
              slot_at[place] = displaced;
              place_of[pivot] = k;
              slot_at[k] = pivot;
            }
          }
          BARRIER();
          subtract_held(x, slot_at[k], a, column, u);
          for (int c = x; c + q < HELD_COLS && is_last; c += NEIGHBOURS) {
            const int j = first + y + (q + c) * HELD_LINES;
            if (k <= j && j < n) ELEMENT(root, k, j) = u[c];
          }
        }
      }
      UNROLL
      for (int c = 0; c + 1 < HELD_COLS; ++c) {
        UNROLL
        for (int i = 0; i < HELD_ROWS; ++i) a[c][i] = a[c + 1][i];
      }
    }
  }
  for (int k = t; k < n; k += DIAGONAL_ITEMS) {
    chosen[chosen_at + g * b + k] = rows[slot_at[k]];
    for (int j = 0; j < k && is_last; ++j)
      ELEMENT(root, k, j) = get_packed(AT(L, HELD_MOST, slot_at[k], j), HELD_MOST);
  }
}
#endif
)kernel";

}  // namespace trifac::kernel
