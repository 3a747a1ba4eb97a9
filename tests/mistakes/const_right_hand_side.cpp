// B is const: the solution overwrites it
#include <vector>

#include "trifac/trifac.hpp"

bool solve(trifac::matrix<double>& A, const std::vector<double>& b) {
  return trifac::try_solve(trifac::lu(A), b).ok();
}
