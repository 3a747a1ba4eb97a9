// A is a temporary: what was read would be lost
#include "trifac/io/npy.hpp"
#include "trifac/trifac.hpp"

void use() {
  trifac::io::read_npy_into("A.npy", trifac::matrix<double>(2, 2));
}
