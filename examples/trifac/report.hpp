#pragma once
// What `trifac factor` prints around its measurements.

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "measure.hpp"
#include "options.hpp"

namespace program {

/// "Cholesky: reason".
void print_choice(std::ostream& out, algorithm which, const std::string& reason);

/// Prints the table, a verdict on each line, and what the ratios mean. Returns 0 where every
/// verdict is good, else 1.
int print_table(std::ostream& out, algorithm which, const std::vector<measurement>& lines,
                const options& o);

}  // namespace program
