#pragma once
// Device code of row interchanges. In device memory interchanges[k] is a distance: row k is
// exchanged with row k + interchanges[k], so that cleared memory exchanges nothing.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

/// Follows arithmetic.hpp.
inline constexpr const char* lu_interchanges = TRIFAC_KERNEL_LINE("lu_interchanges.hpp") R"kernel(
/* Rows k and k + interchanges[k] of A exchanged for k = from ... to-1, or for k = to-1 ... from where
   `backward` is set. Each item takes `share` columns. With `block` > 0 column j takes only the
   exchanges behind its own block of so many columns: what is left to do on the left of all panels.
   After a failure too: the L of the leading block needs the exchanges that were made, and those
   that were not exchange nothing. */
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
    for (i64 s = begin; s < to; ++s) {
      const i64 k = backward ? from + to - 1 - s : s;
      const i64 other = k + interchanges[k];
      const SCALAR x = a[k * rs];
      a[k * rs] = a[other * rs];
      a[other * rs] = x;
    }
  }
}
)kernel";

}  // namespace trifac::kernel
