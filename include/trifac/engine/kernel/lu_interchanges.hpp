#pragma once
// Device code of row interchanges. In device memory interchanges[k] is a distance: row k is
// exchanged with row k + interchanges[k], so cleared memory is the identity.

#include "trifac/engine/kernel/packed_update.hpp"

namespace trifac::kernel {

/// Follows packed_tiles; DIAGONAL_ITEMS is 1 if items work alone.
inline constexpr const char* lu_interchanges = TRIFAC_KERNEL_LINE("lu_interchanges.hpp") R"kernel(
/* Exchanges whose loads overlap, to hide the latency of memory. */
#if DIAGONAL_ITEMS == 1
  #define EXCHANGES 1
#else
  #define EXCHANGES 4
#endif

/* Exchanges rows k and k + interchanges[k] of A for k = from ... to-1, or for k = to-1 ... from
   with `backward`. Each item takes `share` columns. With `block` > 0, column j takes only the
   exchanges after its own block of `block` columns, which remain to be done left of the panels.
   Runs after failures, too: L of the leading block needs the exchanges made so far, and the
   others are identities. */
KERNEL void interchange(MATRIX(A), i64 from, i64 to, int backward, int share, i64 block,
                        GLOBAL const i64* interchanges, const STATE* state)
{
  (void)state;
  const i64 first = (GROUP(0) * ITEMS(0) + ITEM(0)) * share;
  const i64 last = first + share < A_view.cols ? first + share : A_view.cols;
  const i64 rs = A_view.rs;
  for (i64 j = first; j < last; ++j) {
    GLOBAL SCALAR* a = &ELEMENT(A, 0, j);
    const i64 begin = block > 0 ? (j / block + 1) * block : from;
    NO_VECTOR
    for (i64 s = begin; s < to; s += EXCHANGES) {
      i64 row[EXCHANGES], other[EXCHANGES];
      SCALAR x[EXCHANGES], y[EXCHANGES];
      UNROLL
      for (int e = 0; e < EXCHANGES; ++e) {
        const i64 i = s + e < to ? s + e : to - 1; /* past the end: row to-1 with itself */
        row[e] = backward ? from + to - 1 - i : i;
        other[e] = s + e < to ? row[e] + interchanges[row[e]] : row[e];
      }
      UNROLL
      for (int e = 0; e < EXCHANGES; ++e) {
        x[e] = a[row[e] * rs];
        y[e] = a[other[e] * rs];
      }
      /* x and y track the contents of their rows, which may coincide. */
      UNROLL
      for (int e = 0; e < EXCHANGES; ++e) {
        const SCALAR above = x[e], below = y[e];
        UNROLL
        for (int f = 0; f < EXCHANGES; ++f) {
          if (row[f] == row[e]) x[f] = below;
          if (row[f] == other[e]) x[f] = above;
          if (other[f] == row[e]) y[f] = below;
          if (other[f] == other[e]) y[f] = above;
        }
      }
      UNROLL
      for (int e = 0; e < EXCHANGES; ++e) {
        a[row[e] * rs] = x[e];
        a[other[e] * rs] = y[e];
      }
    }
  }
}

#define MOST_MOVES 64
#define MOST_COLUMNS 8
#if DIAGONAL_ITEMS >= 2 * MOST_MOVES
/* Exchanges rows k and k + interchanges[k] of A for k = from ... to-1, at most MOST_MOVES of them:
   each element is loaded once and stored once, all loads of a column at the same time. A group of
   2*MOST_MOVES items takes `share` columns, at most MOST_COLUMNS: item k moves what ends in row k,
   item MOST_MOVES + k what exchange k leaves in a row below `to`. */
KERNEL LAUNCH_BOUNDS(2 * MOST_MOVES, 1) void permute_rows(
    MATRIX(A), i64 from, i64 to, int share, GLOBAL const i64* interchanges, const STATE* state)
{
  LOCAL int rows[MOST_MOVES]; /* counted from `from` */
  const int item = ITEM(0), k = item % MOST_MOVES, count = (int)(to - from);
  (void)state;
  if (item < MOST_MOVES) rows[k] = k < count ? k + (int)interchanges[from + k] : -1;
  BARRIER();
  const int row = rows[k], above = item < MOST_MOVES;
  int is_last = 1;
  UNROLL
  for (int q = 0; q < MOST_MOVES; ++q)
    if (q > k && rows[q] == row) is_last = 0;
  const int takes_part = k < count && (above || (is_last && row >= count));
  const int target = above ? k : row;
  /* What is in row `source` before exchange `time` came by the last earlier exchange with that row,
     from its own row. */
  int source = above ? row : k, time = takes_part ? k : -1;
  NO_UNROLL
  while (time >= 0) {
    int last = -1;
    UNROLL
    for (int q = 0; q < MOST_MOVES; ++q)
      if (q < time && rows[q] == source) last = q;
    if (last >= 0) source = last;
    time = last;
  }
  const int moves = takes_part && source != target;
  const i64 left = GROUP(0) * share, rs = A_view.rs, cs = A_view.cs;
  GLOBAL SCALAR* a = A + A_view.offset + from * rs + left * cs;
  const int columns = A_view.cols - left < share ? (int)(A_view.cols - left) : share;
  SCALAR x[MOST_COLUMNS];
  UNROLL
  for (int j = 0; j < MOST_COLUMNS; ++j)
    if (moves && j < columns) x[j] = a[source * rs + j * cs];
  BARRIER();
  UNROLL
  for (int j = 0; j < MOST_COLUMNS; ++j)
    if (moves && j < columns) a[target * rs + j * cs] = x[j];
}
#endif
)kernel";

}  // namespace trifac::kernel
