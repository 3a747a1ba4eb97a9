// L has another scalar type than A: make both the same
#include "trifac/trifac.hpp"

bool factor(const trifac::matrix<double>& A, trifac::matrix<float>& L) {
  return trifac::cholesky(A, L).ok();
}
