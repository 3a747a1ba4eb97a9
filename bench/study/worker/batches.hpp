#pragma once
// Runs on batches: matrices of one order in one call, by the tuner's runners.

#include <string>

#include "measure.hpp"
#include "request.hpp"

namespace study {

/// The backend of this process, by name.
void set_batch_backend(const std::string& name, const std::string& device, int threads);

/// One call, its result checked: seconds for each matrix. Throws refusal.
answer run_batch(const request& r);

}  // namespace study
