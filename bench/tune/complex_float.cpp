// Batches of std::complex<float> on every backend.

#include "batch_runner.hpp"

template std::vector<tune::tunable> tune::tunables<std::complex<float>>(const backend_choice&);
