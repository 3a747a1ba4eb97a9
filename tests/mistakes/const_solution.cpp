// X is const: the solution is written to it
#include "trifac/trifac.hpp"

void use(const trifac::lu_factor<double>& f, const trifac::matrix<double>& B,
         const trifac::matrix<double>& X) {
  trifac::solve(f, B, X);
}
