#pragma once
// The command `trifac tune`.

#include <ostream>

#include "tune_options.hpp"

namespace program {

/// Exit status.
int tune_batches(const tune_options& o, std::ostream& out);

}  // namespace program
