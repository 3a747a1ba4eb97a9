// A is a temporary: its factorization would go on without it; give it a name
#include "trifac/submit.hpp"

bool mistake(const trifac::matrix<double>& A) {
  return trifac::submit_cholesky(trifac::backend::serial{}, trifac::matrix<double>(A)).done();
}
