#pragma once
// The search for pivots of LU, for all kernels on batches. Follows batch_divide.hpp.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* batch_search = TRIFAC_KERNEL_LINE("batch_search.hpp") R"kernel(
/* SEARCH_SIZE of what may be a load. */
INLINED REALV search_size(SCALARV x)
{
  return SEARCH_SIZE(x);
}
/* The larger of a column so far in each lane, its row, and NaN where some element is not finite.
   The first of equal sizes stays. Not returned by value: of a struct that is, in a loop, clang
   makes something that Oclgrind does not know. */
typedef struct { REALV best, row, finite; } SEARCH;
#define START_SEARCH(s, x, i)  \
  do {                         \
    (s).best = search_size(x); \
    (s).row = (REALV)(i);      \
    (s).finite = (s).best * 0; \
  } while (0)
#define LOOK_AT(s, x, i)                                   \
  do {                                                     \
    const REALV size = search_size(x);                     \
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
