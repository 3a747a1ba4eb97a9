// op(A) is an operation: solve(f, B, operation::transpose)
#include "trifac/trifac.hpp"

void solve(const trifac::lu_factor<double>& f, trifac::matrix<double>& B) {
  trifac::solve(f, B, 'T');
}
