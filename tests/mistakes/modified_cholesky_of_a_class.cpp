// modified_cholesky is for float, double, long double and complex of these
#include "number.hpp"
#include "trifac/trifac.hpp"

bool factor(trifac::matrix<number>& A) {
  return trifac::modified_cholesky(A).ok();
}
