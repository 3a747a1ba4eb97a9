#pragma once
// `trifac factor FILE --rhs FILE`.

#include "options.hpp"

namespace program {

/// Reads A and B, solves A·X = B, prints how good X is and writes it to o.out. Returns 0 for a good
/// solution, else 1. Throws usage_error, io::read_error, io::write_error and std::bad_alloc.
int solve(const options& o);

}  // namespace program
