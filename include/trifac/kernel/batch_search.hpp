#pragma once
// The search for pivots of LU, for all kernels on batches. Follows batch_divide.hpp.

#include "trifac/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* batch_search = TRIFAC_KERNEL_LINE("batch_search.hpp") R"kernel(
/* The larger of a column so far in each lane, its row, and NaN where some element is not finite.
   The first of equal sizes stays. */
typedef struct { REALV best, row, finite; } SEARCH;
DEVICE SEARCH start_search(SCALARV x, i64 i)
{
  SEARCH s;
  s.best = SIZE(x);
  s.row = (REALV)(i);
  s.finite = s.best * 0;
  return s;
}
#define LOOK_AT(s, x, i)                                   \
  do {                                                     \
    const REALV size = SIZE(x);                            \
    (s).finite = fma(size, (REALV)(0), (s).finite);        \
    (s).row = size > (s).best ? (REALV)(i) : (s).row;      \
    (s).best = size > (s).best ? size : (s).best;          \
  } while (0)

/* The first zero pivot is noted; one that is not finite counts more where elimination goes on. */
DEVICE REALV note_pivot(REALV failed, REALV size, REALV finite, i64 k, int goes_on)
{
  const REALV at = (REALV)(k + 1);
  failed = ((size == 0) & (failed == 0)) ? at : failed;
  if (goes_on) return ((finite != 0) & (failed >= 0)) ? -at : failed;
  return ((finite != 0) & (failed == 0)) ? -at : failed;
}
)kernel";

}  // namespace trifac::kernel
