// A: its elements are no Scalar, a type with division and square roots; integers and numbers of 16 bits are none
#include "trifac/trifac.hpp"

bool factor(unsigned long* data) {
  return trifac::lu(trifac::column_major(data, 2, 2)).ok();
}
