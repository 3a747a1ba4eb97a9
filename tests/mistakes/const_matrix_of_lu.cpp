// A is const: it is overwritten by its factor
#include "trifac/trifac.hpp"

bool factor(const trifac::matrix<float>& A, trifac::pivots& p) {
  return trifac::try_lu(A, p).ok();
}
