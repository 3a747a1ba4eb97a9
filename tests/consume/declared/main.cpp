// A program of which one file compiles the calls: this one only makes them.

#include <cstdio>

#include "trifac/backend/threads.hpp"
#include "trifac/batch.hpp"
#include "trifac/trifac.hpp"
#include "trifac/variants.hpp"

using namespace trifac;

matrix<double> general(index_t n);  // other.cpp
double solved_elsewhere(index_t n);

static bool batches() {
  batch<double> A(9, 5, 5), B(9, 5, 1);
  for (index_t k = 0; k < 9; ++k)
    for (index_t i = 0; i < 5; ++i) {
      A[k](i, i) = 2;
      B[k](i, 0) = static_cast<double>(2 * k);
    }
  return lu_solve(A, B).ok() && B[4](3, 0) == 4;
}

int main() {
  auto A = general(300), X = general(300);
  const auto f = lu(backend::threads{.threads = 2}, A);
  solve(f, X);
  const auto g = cholesky<variant::crout>(general(20));
  const bool right = f.ok() && g.ok() && X(7, 7) > 0.99 && X(7, 7) < 1.01 && batches() &&
                     solved_elsewhere(40) > 0.99 && cholesky_workspace_bytes<double>(1000) > 0;
  std::puts(right ? "right" : "WRONG");
  return right ? 0 : 1;
}
