// A is a temporary: its view would refer to nothing; give it a name
#include "trifac/trifac.hpp"

double first() {
  const auto A = trifac::view_of(trifac::matrix<double>(2, 2));
  return A(0, 0);
}
