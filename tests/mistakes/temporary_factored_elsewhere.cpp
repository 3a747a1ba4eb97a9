// A is a temporary: its factor would refer to nothing; give it a name
#include "trifac/trifac.hpp"

bool use(const trifac::matrix<double>& A) {
  return trifac::factored_cholesky(trifac::matrix<double>(A)).ok();
}
