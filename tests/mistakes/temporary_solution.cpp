// X is a temporary: the solution would be lost; give it a name
#include "trifac/trifac.hpp"

void use(const trifac::lu_factor<double>& f, const trifac::matrix<double>& B) {
  trifac::solve(f, B, trifac::matrix<double>(B));
}
