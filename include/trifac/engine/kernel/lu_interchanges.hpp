#pragma once
// Device code of row interchanges. In device memory interchanges[k] is a distance: row k is
// exchanged with row k + interchanges[k], so that cleared memory exchanges nothing.

#include "trifac/engine/kernel/packed_update.hpp"

namespace trifac::kernel {

/// Follows packed_tiles; DIAGONAL_ITEMS is 1 where items work alone.
inline constexpr const char* lu_interchanges = TRIFAC_KERNEL_LINE("lu_interchanges.hpp") R"kernel(
/* Exchanges whose elements are under way at once. One after another, each would wait for memory. */
#if DIAGONAL_ITEMS == 1
  #define EXCHANGES 1
#else
  #define EXCHANGES 4
#endif

/* Rows k and k + interchanges[k] of A exchanged for k = from ... to-1, or for k = to-1 ... from
   where `backward` is set. Each item takes `share` columns. With `block` > 0 column j takes only
   the exchanges behind its own block of so many columns: what is left to do on the left of all
   panels. After a failure too: the L of the leading block needs the exchanges that were made, and
   those that were not exchange nothing. */
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
        const i64 i = s + e < to ? s + e : to - 1; /* the last one again, with itself */
        row[e] = backward ? from + to - 1 - i : i;
        other[e] = s + e < to ? row[e] + interchanges[row[e]] : row[e];
      }
      UNROLL
      for (int e = 0; e < EXCHANGES; ++e) {
        x[e] = a[row[e] * rs];
        y[e] = a[other[e] * rs];
      }
      /* x and y are always what is in their rows, which may be one row. */
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
)kernel";

}  // namespace trifac::kernel
