#pragma once
// matrix_file: what a file says about its matrix before the numbers are read, so that a program can
// choose a scalar type and an algorithm.

#include <cstddef>
#include <string>
#include <string_view>

#include "trifac/engine/base/config.hpp"

namespace trifac::io {

/// What the numbers in a file are. A pattern has none: it lists the places of nonzeros, which are
/// read as ones.
enum class field { real, complex, integer, pattern };

/// What a file leaves out because it follows from the rest: A = Aᵀ, A = Aᴴ, A = −Aᵀ.
enum class symmetry { general, symmetric, hermitian, skew_symmetric };

/// Whether every element is in the file, or only some of them with their row and column.
enum class layout { array, coordinate };

/// The words of the Matrix Market format.
constexpr std::string_view to_string(field f) {
  switch (f) {
    case field::real:
      return "real";
    case field::complex:
      return "complex";
    case field::integer:
      return "integer";
    case field::pattern:
      return "pattern";
  }
  return "unknown";
}
constexpr std::string_view to_string(symmetry s) {
  switch (s) {
    case symmetry::general:
      return "general";
    case symmetry::symmetric:
      return "symmetric";
    case symmetry::hermitian:
      return "hermitian";
    case symmetry::skew_symmetric:
      return "skew-symmetric";
  }
  return "unknown";
}
constexpr std::string_view to_string(layout l) {
  return l == layout::array ? "array" : "coordinate";
}

/// The size and kind of the matrix in a file.
struct matrix_file {
  index_t rows = 0;
  index_t cols = 0;
  index_t entries = 0;  ///< numbers (or places, for a pattern) that the file holds
  io::field field = io::field::real;
  io::symmetry symmetry = io::symmetry::general;
  io::layout layout = io::layout::array;
  bool single_precision = false;  ///< the numbers were stored as 32-bit floating point (.npy only)
};

/// How much a reader may take. The numbers in a header are only a claim: a dense matrix is
/// allocated after the file has shown that it can hold the entries it announces and the matrix has
/// been compared with this limit. Where there are fewer entries than half its rows or columns, the
/// matrix may have up to 2^20 rows and columns and, without a limit set here, 64 MiB.
struct read_limits {
  std::size_t memory_bytes = 0;  ///< for the dense matrix; 0: what the machine has available
};

}  // namespace trifac::io
