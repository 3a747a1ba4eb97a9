#pragma once
// Device code: partial pivoting of a panel held in registers by the groups of a cluster.

#include "trifac/engine/kernel/lu_cluster_step.hpp"

namespace trifac::kernel {

/// Follows lu_cluster_step.
inline constexpr const char* lu_panel_cluster = TRIFAC_KERNEL_LINE("lu_panel_cluster.hpp") R"kernel(
/* factor_panel with the rule PLAIN and the same bits, for at most CLUSTER_COLS columns and
   `height` rows, CLUSTER_ROWS per item of the cluster, at most CLUSTER_SLOTS. One cluster of 1,
   2, 4, ... groups. Left-looking in steps of CLUSTER_STEP columns. One cluster barrier per
   column: before it, each line writes its best row to all groups; after it, all choose the same
   one. Columns of L are stored in L, height x cols, and copied to A at the end. Values computed
   in rows that were already pivots are never read. */
KERNEL CLUSTER_SHAPE(DIAGONAL_ITEMS) void factor_panel_in_cluster(
    MATRIX(A), GLOBAL REAL* L, int height, i64 base, GLOBAL i64* interchanges, int guarded,
    STATE* state)
{
  CLUSTER_LOCAL(SCALAR, top, (CLUSTER_COLS - CLUSTER_STEP) * CLUSTER_STEP);
  CLUSTER_LOCAL(SCALAR, candidates, 2 * CLUSTER_LINES * CLUSTER_STEP);
  CLUSTER_LOCAL(SCALAR, pivot_rows, CLUSTER_LINES * CLUSTER_STEP);
  CLUSTER_LOCAL(REAL, found_sizes, 2 * CLUSTER_LINES * CLUSTER_MOST);
  CLUSTER_LOCAL(int, found_codes, 2 * CLUSTER_LINES * CLUSTER_MOST);
  CLUSTER_LOCAL(REAL, size_room, NEIGHBOUR_ROOM + 1);
  CLUSTER_LOCAL(int, code_room, NEIGHBOUR_ROOM + 1);
  CLUSTER_LOCAL(int, slot_at, CLUSTER_COLS);
  CLUSTER_LOCAL(int, places, DIAGONAL_ITEMS * CLUSTER_ROWS);
  CLUSTER_LOCAL(int, stop, 1);
  const int t = ITEM(0), x = t % NEIGHBOURS, y = t / NEIGHBOURS;
  const int stride = height / CLUSTER_ROWS, groups = stride / DIAGONAL_ITEMS, rank = CLUSTER_RANK;
  const int slot = rank * DIAGONAL_ITEMS + t;
  LOCAL_PTR int* place = places + t * CLUSTER_ROWS;
  UNROLL
  for (int i = 0; i < CLUSTER_ROWS; ++i)
    place[i] = slot + i * stride < A_view.rows ? slot + i * stride : -1; /* never a pivot */
  /* One item decides for all: a kernel of the other queue may write the state concurrently. */
  if (t == 0) stop[0] = is_fatal(state[FAILED]) || (guarded && !state[FALLBACK]);
  CLUSTER_BARRIER();
  const int n = IN_GROUP(stop, 0)[0] ? 0 : (int)A_view.cols;
  const int steps = A_view.rows < n ? (int)A_view.rows : n;
  NO_UNROLL
  for (int first = 0; first < n; first += CLUSTER_STEP) {
    const int rows = first < steps ? first : steps;
    SCALAR a[CLUSTER_STEP][CLUSTER_ROWS];
    BARRIER();
    solve_top(rows, first, A, A_view, L, height, slot_at, top);
    BARRIER();
    /* If all rows were pivots, there is nothing to update. */
    load_held(slot, stride, first < steps ? first : 0, first, A, A_view, L, height, top, a);
    NO_UNROLL
    for (int s = 0; s < CLUSTER_STEP; ++s) { /* a[0] is column first + s */
      const int k = first + s, at = s % 2 * CLUSTER_LINES;
      if (k < steps) {
        LOCAL_PTR SCALAR* u = pivot_rows + y * CLUSTER_STEP;
        REAL size = -1;
        int code = NOBODY; /* place and slot: of equal sizes the smaller place wins */
        UNROLL
        for (int i = 0; i < CLUSTER_ROWS; ++i) {
          const REAL here = SEARCH_SIZE(a[0][i]);
          const int in = place[i], own = in * CLUSTER_SLOTS + slot + i * stride;
          if (in >= k && is_better(here, own, size, code)) {
            size = here;
            code = own;
          }
        }
        code = best_of_neighbours(&size, code, size_room, code_room);
        UNROLL
        for (int i = 0; i < CLUSTER_ROWS; ++i)
          if (code % CLUSTER_SLOTS == slot + i * stride && code != NOBODY) {
            UNROLL
            for (int c = 0; c < CLUSTER_STEP; ++c)
              candidates[(at + y) * CLUSTER_STEP + c] = a[c][i];
          }
        if (x < groups) {
          IN_GROUP(found_sizes, x)[at * CLUSTER_MOST + rank * CLUSTER_LINES + y] = size;
          IN_GROUP(found_codes, x)[at * CLUSTER_MOST + rank * CLUSTER_LINES + y] = code;
        }
        CLUSTER_BARRIER();
        size = -1;
        code = NOBODY;
        for (int e = x; e < groups * CLUSTER_LINES; e += NEIGHBOURS) {
          const REAL other = found_sizes[at * CLUSTER_MOST + e];
          const int own = found_codes[at * CLUSTER_MOST + e];
          if (is_better(other, own, size, code)) {
            size = other;
            code = own;
          }
        }
        code = best_of_neighbours(&size, code, size_room, code_room);
        const int pivot = code % CLUSTER_SLOTS, displaced_to = code / CLUSTER_SLOTS;
        const int line = at + pivot % DIAGONAL_ITEMS / NEIGHBOURS;
        const int owner = pivot / DIAGONAL_ITEMS & (groups - 1);
        for (int c = x; c < CLUSTER_STEP; c += NEIGHBOURS)
          u[c] = IN_GROUP(candidates, owner)[line * CLUSTER_STEP + c];
        WARP_BARRIER();
        const SCALAR largest = u[0];
        const DIVISOR by = divisor(largest);
        SCALAR l[CLUSTER_ROWS];
        UNROLL
        for (int i = 0; i < CLUSTER_ROWS; ++i) {
          const int r = slot + i * stride;
          l[i] = a[0][i];
          DIVIDE(l[i], by);
          set_packed(AT(L, height, r, k), height, l[i]);
          if (r == pivot)
            place[i] = k;
          else if (place[i] == k)
            place[i] = displaced_to;
        }
        UNROLL
        for (int c = 0; c + 1 < CLUSTER_STEP; ++c) {
          const SCALAR right = u[c + 1];
          UNROLL
          for (int i = 0; i < CLUSTER_ROWS; ++i) {
            SCALAR next = a[c + 1][i];
            FNMA(next, l[i], right);
            a[c][i] = next;
          }
        }
        if (t == 0) slot_at[k] = pivot;
        if (rank == 0) {
          if (t < CLUSTER_STEP - s && k + t < n) ELEMENT(A, k, k + t) = u[t]; /* u of line 0 */
          if (t == 0) {
            interchanges[base + k] = displaced_to - k;
            if (!IS_FINITE(largest)) record(state, NOT_FINITE, base + k);
            if (IS_ZERO(largest)) record(state, SINGULAR, base + k);
          }
        }
      }
    }
    CLUSTER_BARRIER();
    for (int e = slot; e < rows * CLUSTER_STEP; e += stride)
      if (first + e % CLUSTER_STEP < n)
        ELEMENT(A, e / CLUSTER_STEP, first + e % CLUSTER_STEP) = top[e];
  }
  CLUSTER_BARRIER();
  UNROLL
  for (int i = 0; i < CLUSTER_ROWS; ++i) {
    const int r = slot + i * stride;
    NO_UNROLL
    for (int p0 = 0; p0 < steps; p0 += CLUSTER_AHEAD) {
      SCALAR l[CLUSTER_AHEAD];
      UNROLL
      for (int q = 0; q < CLUSTER_AHEAD; ++q)
        if (p0 + q < steps) l[q] = get_packed(AT(L, height, r, p0 + q), height);
      UNROLL
      for (int q = 0; q < CLUSTER_AHEAD; ++q)
        if (p0 + q < steps && p0 + q < place[i]) ELEMENT(A, place[i], p0 + q) = l[q];
    }
  }
}
)kernel";

}  // namespace trifac::kernel
