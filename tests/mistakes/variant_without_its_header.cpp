// this variant is a published one: include trifac/variants.hpp
#include "trifac/trifac.hpp"

int main() {
  trifac::matrix<double> A(3, 3);
  return trifac::cholesky<trifac::variant::crout>(A).ok();
}
