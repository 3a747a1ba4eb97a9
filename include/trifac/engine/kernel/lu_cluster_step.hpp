#pragma once
// Device code of one step of a panel that a cluster's groups hold in registers: loading and
// updating the held columns.

#include "trifac/engine/kernel/lu_search.hpp"

namespace trifac::kernel {

/// Limits of a cluster: CLUSTER_MOST of the preludes, CLUSTER_COLS and CLUSTER_SLOTS below.
inline constexpr int cluster_most = 16, cluster_cols = 128, cluster_slots = 16384;

/// Follows lu_search; CLUSTER_ROWS: rows per item, 1, 2 or 4, in double complex 1 or 2.
inline constexpr const char* lu_cluster_step = TRIFAC_KERNEL_LINE("lu_cluster_step.hpp") R"kernel(
/* An item holds CLUSTER_ROWS rows of CLUSTER_STEP columns, as many as fit 128 registers. Rows
   are not moved: row `slot` of the panel is at place place[] of the elimination; slot_at[place]
   is the inverse for pivots. Slots are assigned to the items of group 0, then of group 1, ...,
   then of group 0 again. */
#if CLUSTER_ROWS == 1
  #define CLUSTER_STEP (COMPLEX && DOUBLE ? 16 : 32)
#elif COMPLEX
  #define CLUSTER_STEP (DOUBLE ? 4 : 8)
#else
  #define CLUSTER_STEP (32 / CLUSTER_ROWS)
#endif
#define CLUSTER_LINES (DIAGONAL_ITEMS / NEIGHBOURS)
#define CLUSTER_SLOTS 16384
#define CLUSTER_COLS 128
#define NOBODY 0x7fffffff
/* Columns of L loaded at a time: for one row, for the rows of an item. */
#define CLUSTER_AHEAD (COMPLEX || DOUBLE ? 4 : 8)
#define CLUSTER_AGAIN (CLUSTER_ROWS == 4 ? 2 : COMPLEX || DOUBLE ? 1 : 4)
/* Columns per line in solve_top. */
#define TOP_COLS (CLUSTER_STEP < CLUSTER_LINES ? 1 : CLUSTER_STEP / CLUSTER_LINES)

/* top := L11^-1 A12, the first `rows` rows of U in the columns from `first` on, rows of
   CLUSTER_STEP elements: NEIGHBOURS rows at a time, one item each; each line has its own
   columns. */
DEVICE void solve_top(int rows, int first, CONST_MATRIX(A), GLOBAL const REAL* L, int height,
                      LOCAL_PTR const int* slot_at, LOCAL_PTR SCALAR* top)
{
  const int x = ITEM(0) % NEIGHBOURS, y = ITEM(0) / NEIGHBOURS;
  NO_UNROLL
  for (int k0 = 0; k0 < rows; k0 += NEIGHBOURS) {
    const int k = k0 + x, slot = slot_at[k < rows ? k : 0];
    const int count = rows - k0 < NEIGHBOURS ? rows - k0 : NEIGHBOURS;
    SCALAR u[TOP_COLS];
    UNROLL
    for (int c = 0; c < TOP_COLS; ++c) {
      const int j = first + y + c * CLUSTER_LINES;
      SET_REAL(u[c], 0);
      if (y < CLUSTER_STEP && j < A_view.cols) u[c] = ELEMENT(A, slot, j);
    }
    NO_UNROLL
    for (int p0 = 0; p0 < k0; p0 += CLUSTER_AHEAD) {
      SCALAR l[CLUSTER_AHEAD];
      UNROLL
      for (int q = 0; q < CLUSTER_AHEAD; ++q)
        l[q] = get_packed(AT(L, height, slot, p0 + q), height);
      UNROLL
      for (int q = 0; q < CLUSTER_AHEAD; ++q) {
        UNROLL
        for (int c = 0; c < TOP_COLS; ++c) {
          SCALAR done = u[c];
          if (y < CLUSTER_STEP) done = top[(p0 + q) * CLUSTER_STEP + y + c * CLUSTER_LINES];
          FNMA(u[c], l[q], done);
        }
      }
    }
    /* The triangle. Results in rows from `rows` on are never read. */
    NO_UNROLL
    for (int q0 = 0; q0 < count; q0 += CLUSTER_AHEAD) {
      SCALAR l[CLUSTER_AHEAD];
      UNROLL
      for (int q = 0; q < CLUSTER_AHEAD; ++q) {
        SET_REAL(l[q], 0);
        if (q0 + q < x && k < rows) l[q] = get_packed(AT(L, height, slot, k0 + q0 + q), height);
      }
      UNROLL
      for (int q = 0; q < CLUSTER_AHEAD; ++q) {
        LOCAL_PTR SCALAR* row = top + (k0 + q0 + q) * CLUSTER_STEP;
        UNROLL
        for (int c = 0; c < TOP_COLS; ++c)
          if (x == q0 + q && y < CLUSTER_STEP) row[y + c * CLUSTER_LINES] = u[c];
        WARP_BARRIER();
        UNROLL
        for (int c = 0; c < TOP_COLS; ++c) {
          SCALAR done = u[c], next = u[c];
          if (y < CLUSTER_STEP) done = row[y + c * CLUSTER_LINES];
          FNMA(next, l[q], done);
          CHOOSE(u[c], x > q0 + q, next, u[c]);
        }
      }
    }
  }
}

/* The columns from `first` on for the rows of an item: a := A21 - L21 U12, L21 having `depth`
   columns. */
INLINED void load_held(int slot, int stride, int depth, int first, CONST_MATRIX(A),
                       GLOBAL const REAL* L, int height, LOCAL_PTR const SCALAR* top,
                       SCALAR a[CLUSTER_STEP][CLUSTER_ROWS])
{
  UNROLL
  for (int c = 0; c < CLUSTER_STEP; ++c) {
    UNROLL
    for (int i = 0; i < CLUSTER_ROWS; ++i) {
      const int r = slot + i * stride;
      SET_REAL(a[c][i], 0);
      if (r < A_view.rows && first + c < A_view.cols) a[c][i] = ELEMENT(A, r, first + c);
    }
  }
  NO_UNROLL
  for (int p0 = 0; p0 < depth; p0 += CLUSTER_AGAIN) {
    SCALAR l[CLUSTER_AGAIN][CLUSTER_ROWS];
    UNROLL
    for (int q = 0; q < CLUSTER_AGAIN; ++q) {
      UNROLL
      for (int i = 0; i < CLUSTER_ROWS; ++i)
        l[q][i] = get_packed(AT(L, height, slot + i * stride, p0 + q), height);
    }
    UNROLL
    for (int q = 0; q < CLUSTER_AGAIN; ++q) {
      UNROLL
      for (int c = 0; c < CLUSTER_STEP; ++c) {
        const SCALAR u = top[(p0 + q) * CLUSTER_STEP + c];
        UNROLL
        for (int i = 0; i < CLUSTER_ROWS; ++i) FNMA(a[c][i], l[q][i], u);
      }
    }
  }
}
)kernel";

}  // namespace trifac::kernel
