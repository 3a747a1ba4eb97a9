// log_determinant needs a function log of the real scalar type, in its namespace, and std::numeric_limits of it
#include "number.hpp"
#include "trifac/trifac.hpp"

number logarithm(const trifac::lu_factor<number>& f) {
  return trifac::log_determinant(f).log_abs;
}
