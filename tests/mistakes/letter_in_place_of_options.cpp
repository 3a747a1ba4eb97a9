// the triangle is an option: cholesky(A, {.part = triangle::upper})
#include "trifac/trifac.hpp"

trifac::status factor(trifac::matrix<double>& A) {
  const auto f = trifac::cholesky(A, 'U');
  return f.status();
}
