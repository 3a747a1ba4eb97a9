#pragma once
// The command `trifac factor`.

#include <string>

#include "options.hpp"
#include "trifac/io/matrix_file.hpp"

namespace program {

/// Where the matrix comes from: the bytes of a file, or a random generator (then there are no
/// bytes).
struct matrix_source {
  std::string name;
  std::string bytes;
  trifac::io::matrix_file about;
};

/// Factors and solves as the options say and prints a table. Returns 0 where all results are good,
/// else 1. Throws usage_error, io::read_error and std::bad_alloc.
int factor(const options& o);

/// The same with the matrix read as T; compiled once for each type in factor_*.cpp.
template <class T>
int factor_as(const options& o, const matrix_source& source);

}  // namespace program
