// the test of the test: nothing is wrong here
#include <vector>

#include "trifac/trifac.hpp"

bool factor_and_solve(trifac::matrix<double>& A, std::vector<double>& b) {
  return trifac::try_solve(trifac::lu(A), b).ok();
}
