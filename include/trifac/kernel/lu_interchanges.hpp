#pragma once
// Device code of row interchanges. In device memory interchanges[k] is a distance: row k is
// exchanged with row k + interchanges[k], so that cleared memory exchanges nothing.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Columns that an item of `interchange` takes.
inline constexpr int interchange_columns = 4;

/// Follows packed_tiles.
inline constexpr const char* lu_interchanges = TRIFAC_KERNEL_LINE("lu_interchanges.hpp") R"kernel(
/* Rows k and k + interchanges[k] of A exchanged for k = from ... to-1, or for k = to-1 ... from where
   `backward` is set. Each item takes `share` columns. With `block` > 0 column j takes only the
   exchanges behind its own block of so many columns: what is left to do on the left of all panels.
   After a failure too: the L of the leading block needs the exchanges that were made, and those
   that were not exchange nothing. */
KERNEL void swap_rows(GLOBAL SCALAR* A, i64 offset, i64 cols, i64 rs, i64 cs, i64 from, i64 to,
                      int backward, int share, i64 block, GLOBAL const i64* interchanges)
{
  const i64 first = (GROUP(0) * ITEMS(0) + ITEM(0)) * share;
  const i64 last = first + share < cols ? first + share : cols;
  for (i64 j = first; j < last; ++j) {
    GLOBAL SCALAR* a = A + offset + j * cs;
    const i64 begin = block > 0 ? (j / block + 1) * block : from;
    NO_VECTOR
    for (i64 s = begin; s < to; ++s) {
      const i64 k = backward ? from + to - 1 - s : s;
      const i64 other = k + interchanges[k];
      const SCALAR x = a[k * rs];
      a[k * rs] = a[other * rs];
      a[other * rs] = x;
    }
  }
}

#if DIAGONAL_ITEMS > 1
#define INTERCHANGE_COLUMNS 4 /* interchange_columns */

/* The exchanges of rows k and k + exchanges[k] of A, k = 0 ... count-1 in this order or, `backward`,
   from the last to the first, as one permutation: every row that moves is read, then every one is
   written. exchanges: interchanges + from; count <= DIAGONAL_ITEMS / 2. The items are `sets` of
   2*count, one for each row that may move; each takes columns of its own. After a failure too, as
   swap_rows. */
KERNEL GROUP_SHAPE(DIAGONAL_ITEMS, 1) void interchange(
    GLOBAL SCALAR* A, i64 offset, i64 cols, i64 rs, i64 cs, i64 from, int count, int backward,
    GLOBAL const i64* interchanges)
{
  LOCAL i64 other[DIAGONAL_ITEMS / 2];
  const int sets = DIAGONAL_ITEMS / (2 * count), set = ITEM(0) / (2 * count);
  const int t = ITEM(0) % (2 * count);
  const i64 first = (GROUP(0) * sets + set) * INTERCHANGE_COLUMNS;
  if (ITEM(0) < count) other[ITEM(0)] = ITEM(0) + interchanges[from + ITEM(0)];
  BARRIER();
  /* Item t has row t or, behind these, the row that row t - count is exchanged with; a row that is
     met twice is the last one's. */
  i64 row = t;
  int moves = set < sets;
  if (t >= count) {
    row = other[t - count];
    moves = moves && row >= count;
    for (int k = t - count + 1; k < count; ++k) moves = moves && other[k] != row;
  }
  /* Where it comes from: its way through the exchanges, backwards. */
  i64 source = row;
  for (int s = 0; s < count; ++s) {
    const int k = backward ? s : count - 1 - s;
    const i64 with = other[k];
    source = source == k ? with : source == with ? k : source;
  }
  moves = moves && source != row;
  GLOBAL SCALAR* a = A + offset + first * cs;
  SCALAR x[INTERCHANGE_COLUMNS];
  UNROLL
  for (int c = 0; c < INTERCHANGE_COLUMNS; ++c)
    if (moves && first + c < cols) x[c] = a[source * rs + c * cs];
  BARRIER();
  UNROLL
  for (int c = 0; c < INTERCHANGE_COLUMNS; ++c)
    if (moves && first + c < cols) a[row * rs + c * cs] = x[c];
}
#endif
)kernel";

}  // namespace trifac::kernel
