// Batches of float on every backend.

#include "batch_runner.hpp"

template std::vector<tune::tunable> tune::tunables<float>(const backend_choice&);
