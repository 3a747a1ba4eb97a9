// Batches of complex types on every backend.

#include "batch_runner.hpp"

template std::vector<tune::tunable> tune::tunables<std::complex<float>>(const backend_choice&);
template std::vector<tune::tunable> tune::tunables<std::complex<double>>(const backend_choice&);
