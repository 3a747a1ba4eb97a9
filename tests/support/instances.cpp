// The loops in which the suites spend their time, compiled once and optimized; the suites
// themselves are compiled without, in half the time.
#define TRIFAC_TEST_INSTANCES template

#include "residual.hpp"
