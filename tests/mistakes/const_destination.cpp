// L is const: the factor is written into it
#include "trifac/trifac.hpp"

bool factor(const trifac::matrix<double>& A, const trifac::matrix<double>& L) {
  return trifac::cholesky(A, L).ok();
}
