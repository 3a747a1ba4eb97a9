// equilibration is for float, double, long double and complex of these
#include "number.hpp"
#include "trifac/equilibration.hpp"

bool scales(const trifac::matrix<number>& A) {
  return trifac::equilibration(A).ok();
}
