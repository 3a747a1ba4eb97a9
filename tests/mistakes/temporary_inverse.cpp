// X is a temporary: the inverse would be lost; give it a name
#include "trifac/trifac.hpp"

void use(const trifac::lu_factor<double>& f) {
  trifac::inverse(f, trifac::matrix<double>(f.rows(), f.rows()));
}
