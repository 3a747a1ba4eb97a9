#pragma once
// The pivot search of LU, for all batch kernels. Follows batch_divide.hpp.

#include "trifac/engine/kernel/prelude_opencl.hpp"

namespace trifac::kernel {

inline constexpr const char* batch_search = TRIFAC_KERNEL_LINE("batch_search.hpp") R"kernel(
/* SEARCH_SIZE for an argument that may be a load. */
INLINED REALV search_size(SCALARV x)
{
  return SEARCH_SIZE(x);
}
/* For each lane: the largest size of a column so far, its row, and NaN if an element is not
   finite. The first of equal sizes is kept. Not returned by value: for a struct returned in a
   loop, clang generates code that Oclgrind cannot run. */
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

/* Records the first zero pivot; a non-finite one takes precedence if elimination continues past
   zeros. */
DEVICE REALV note_pivot(REALV failed, REALV size, REALV finite, i64 k, int goes_on)
{
  const REALV at = (REALV)(k + 1);
  failed = ((size == 0) & (failed == 0)) ? at : failed;
  if (goes_on) return ((finite != 0) & (failed >= 0)) ? -at : failed;
  return ((finite != 0) & (failed == 0)) ? -at : failed;
}
)kernel";

}  // namespace trifac::kernel
