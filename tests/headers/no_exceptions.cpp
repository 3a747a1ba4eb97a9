// The factors of the library are classes without exceptions, too: each is made, and asked.

#include "trifac/batch.hpp"
#include "trifac/solve_mixed.hpp"
#include "trifac/trifac.hpp"
#include "trifac/varied_batch.hpp"

using namespace trifac;

int main() {
  batch<double> As(3, 2, 2);
  matrix<double> A(2, 2), X(2, 1);
  for (index_t i = 0; i < 2; ++i) {
    A(i, i) = X(i, 0) = 4;
    for (index_t b = 0; b < 3; ++b) As(b, i, i) = 4;
  }
  bool ok = try_cholesky(As).ok() && try_lu(As).ok() && try_partial_cholesky(As, 1).ok();
  ok = ok && try_modified_cholesky(matrix<double>(A)).ok() &&
       try_pivoted_cholesky(matrix<double>(A)).ok() && try_lu(matrix<double>(A)).ok();
  double* const pointers[] = {As[0].data()};
  const index_t sizes[] = {1};
  ok = ok && try_lu(varied(pointers, sizes)).ok();
  const auto f = try_cholesky(A);
  return ok && f.ok() && try_solve(f, X).ok() && X(0, 0) == 1 ? 0 : 1;
}
