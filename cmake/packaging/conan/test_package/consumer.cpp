// Factors and solves: exit status 0 where the solution is right.

#include <cmath>

#include "trifac/cholesky.hpp"
#include "trifac/solve.hpp"

int main() {
  trifac::matrix<double> A(2, 2), b(2, 1);
  A(0, 0) = 4, A(1, 0) = 2, A(1, 1) = 2;
  b(0, 0) = 8, b(1, 0) = 6;
  trifac::solve(trifac::cholesky(A), b);
  return std::abs(b(0, 0) - 1) < 1e-14 && std::abs(b(1, 0) - 2) < 1e-14 ? 0 : 1;
}
