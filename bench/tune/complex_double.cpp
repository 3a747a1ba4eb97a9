// Batches of std::complex<double> on every backend.

#include "batch_runner.hpp"

template std::vector<tune::tunable> tune::tunables<std::complex<double>>(const backend_choice&);
