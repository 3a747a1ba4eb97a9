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
)kernel";

}  // namespace trifac::kernel
