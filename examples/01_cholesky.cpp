// Solves a symmetric positive definite system: factor once, solve twice.

#include <cstdio>
#include <trifac/trifac.hpp>

int main() {
  // The stiffness of a chain of springs fixed at one end: 2 on the diagonal, −1 beside it.
  const trifac::index_t n = 6;
  trifac::matrix<double> A(n, n);
  for (trifac::index_t i = 0; i < n; ++i) {
    A(i, i) = i + 1 < n ? 2 : 1;
    if (i > 0) A(i, i - 1) = -1;  // only the lower triangle is read
  }

  const auto factor = trifac::cholesky(A);  // A now holds L with A = L·Lᵀ
  if (!factor) {
    std::printf("%s\n", factor.status().message().c_str());
    return 1;
  }

  trifac::matrix<double> loads(n,
                               2);  // two load cases: a force at the end, and a force at every node
  loads(n - 1, 0) = 1;
  for (trifac::index_t i = 0; i < n; ++i) loads(i, 1) = 1;
  trifac::solve(factor, loads);  // now the displacements

  for (trifac::index_t i = 0; i < n; ++i) std::printf("%6.2f %6.2f\n", loads(i, 0), loads(i, 1));
}
