// B has another scalar type than the factor
#include "trifac/trifac.hpp"

void use(const trifac::lu_factor<double>& f, const trifac::matrix<float>& B) {
  const auto X = trifac::solved(f, B);
  static_cast<void>(X);
}
