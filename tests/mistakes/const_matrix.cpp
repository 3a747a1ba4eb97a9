// A is const: it is overwritten by its factor
#include "trifac/trifac.hpp"

bool factor(const trifac::matrix<double>& A) {
  return trifac::cholesky(A).ok();
}
