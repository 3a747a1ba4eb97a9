// A is const: it is overwritten by its factor
#include "trifac/trifac.hpp"

const trifac::matrix<double> make();

bool factor() {
  return trifac::lu(make()).or_throw().ok();
}
