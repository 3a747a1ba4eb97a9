// B is a temporary: its solution would be lost; give it a name
#include <vector>

#include "trifac/trifac.hpp"

bool use(const trifac::cholesky_factor<double>& f) {
  return trifac::try_solve(f, std::vector<double>(3)).ok();
}
