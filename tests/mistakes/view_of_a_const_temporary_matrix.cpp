// deleted
#include "trifac/trifac.hpp"

const trifac::matrix<double> make();

double first() {
  const auto A = make().view();
  return A(0, 0);
}
