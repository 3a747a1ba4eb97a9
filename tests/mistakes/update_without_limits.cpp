// update and downdate need std::numeric_limits of the real scalar type
#include "number.hpp"
#include "trifac/trifac.hpp"

void change(trifac::cholesky_factor<number>& f, const trifac::matrix<number>& X) {
  trifac::update(f, X);
}
