// deleted
#include "trifac/trifac.hpp"

double first(trifac::matrix<double>& A) {
  const auto L = trifac::cholesky(A).L();
  return L(0, 0);
}
