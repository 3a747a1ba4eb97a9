// A: its elements are no Scalar, a type with division and square roots; integers and numbers of 16 bits are none
#include "trifac/trifac.hpp"

#if defined(__clang__)
using half = __fp16;  // it has _Float16 for few targets
#else
using half = _Float16;
#endif

bool factor(half* data) {
  return trifac::lu(trifac::column_major(data, 2, 2)).ok();
}
