// ignoring return value
#include "trifac/trifac.hpp"

void factor(trifac::matrix<double>& A) {
  trifac::lu(A);
}
