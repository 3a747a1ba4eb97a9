// Batches of double on every backend.

#include "batch_runner.hpp"

template std::vector<tune::tunable> tune::tunables<double>(const backend_choice&);
