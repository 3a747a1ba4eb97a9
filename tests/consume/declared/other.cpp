// The second file of callers.

#include "trifac/trifac.hpp"

trifac::matrix<double> general(trifac::index_t n) {
  trifac::matrix<double> A(n, n);
  for (trifac::index_t j = 0; j < n; ++j)
    for (trifac::index_t i = 0; i < n; ++i)
      A(i, j) = i == j ? 4 : 1 / static_cast<double>(1 + i + 2 * j);
  return A;
}

double solved_elsewhere(trifac::index_t n) {
  auto A = general(n), X = general(n);
  trifac::lu_solve(A, X);
  return X(3, 3);
}
