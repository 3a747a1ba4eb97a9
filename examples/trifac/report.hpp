#pragma once
// What `trifac factor` prints around its measurements.

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "measure.hpp"
#include "options.hpp"
#include "trifac/io/matrix_file.hpp"

namespace program {

/// The type that holds the numbers of a file: complex for complex files, float for single
/// precision.
scalar natural_type(const trifac::io::matrix_file& about);

/// "A.npy: 3 x 3, array real general, as double".
void print_file(std::ostream& out, const std::string& name, const trifac::io::matrix_file& about,
                scalar type);

/// "Cholesky: reason".
void print_choice(std::ostream& out, algorithm which, const std::string& reason);

/// Prints the table, a verdict on each line, and what the ratios mean. Returns 0 where every
/// verdict is good, else 1.
int print_table(std::ostream& out, algorithm which, const std::vector<measurement>& lines,
                const options& o);

}  // namespace program
