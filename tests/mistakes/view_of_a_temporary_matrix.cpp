// deleted
#include "trifac/trifac.hpp"

trifac::matrix<double> make();

double first() {
  const auto A = make().view();
  return A(0, 0);
}
