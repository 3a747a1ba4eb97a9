#pragma once
// Device code that compares pivots.

#include "trifac/engine/kernel/lu_pivot.hpp"

namespace trifac::kernel {

/// Follows packed_tiles and lu_pivot; DIAGONAL_ITEMS, the items of a group, is a power of two.
inline constexpr const char* lu_search = TRIFAC_KERNEL_LINE("lu_search.hpp") R"kernel(
/* Pivot rules: the diagonal element; the largest element of a column; the largest relative to
   the scale of its row. */
#define NONE 0
#define PLAIN 1
#define SCALED 2

/* True if (size, row) is a better pivot than (other, place): NaN before every number, then by
   size, then the smaller row number. */
DEVICE int is_better(REAL size, int row, REAL other, int place)
{
  const int is_nan = size != size, other_is_nan = other != other;
  return size > other || (is_nan && !other_is_nan) ||
         ((size == other || (is_nan && other_is_nan)) && row < place);
}

#define NEIGHBOURS (DIAGONAL_ITEMS < WARP ? DIAGONAL_ITEMS : WARP)
#define NEIGHBOUR_ROOM (2 * SHUFFLE_ROOM(DIAGONAL_ITEMS))

#if DIAGONAL_ITEMS > 1
/* The best of NEIGHBOURS items by tree reduction: *size and the returned row. sizes and rows
   have NEIGHBOUR_ROOM elements; a barrier must precede the next call. */
DEVICE int best_of_neighbours(REAL* size, int row, LOCAL_PTR REAL* sizes, LOCAL_PTR int* rows)
{
#if defined(HAS_BEST_OF_WARP)
  if (NEIGHBOURS == 32) return best_of_warp(size, row);
#endif
  int at = 0;
  UNROLL
  for (int distance = NEIGHBOURS / 2; distance > 0; distance /= 2) {
    SHUFFLE_STORE(sizes + at, *size);
    SHUFFLE_STORE(rows + at, row);
    SHUFFLE_BARRIER();
    const REAL other = SHUFFLE_XOR(sizes + at, *size, distance);
    const int place = SHUFFLE_XOR(rows + at, row, distance);
    if (is_better(other, place, *size, row)) {
      *size = other;
      row = place;
    }
    at = SHUFFLE_ROOM(DIAGONAL_ITEMS) - at;
  }
  return row;
}
#endif
)kernel";

}  // namespace trifac::kernel
