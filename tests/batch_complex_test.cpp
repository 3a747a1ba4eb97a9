// Batches of complex matrices.

#include <complex>

#define TRIFAC_TEST_SCALAR std::complex<float>
#include "support/batch_after_suite.hpp"
