// B has another scalar type than the factor: copy it
#include <vector>

#include "trifac/trifac.hpp"

void solve(trifac::matrix<double>& A, std::vector<float>& b) {
  trifac::solve(trifac::cholesky(A), b);
}
