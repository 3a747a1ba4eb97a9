// reciprocal_condition and refine need std::numeric_limits of the real scalar type
#include "number.hpp"
#include "trifac/trifac.hpp"

number condition(const trifac::lu_factor<number>& f) {
  return trifac::reciprocal_condition(f, number(1));
}
