#pragma once
// matrix_file: the description of a file's matrix, available before its numbers are read, so that a
// program can choose scalar type and algorithm.

#include <cstddef>
#include <string_view>

#include "trifac/engine/base/config.hpp"

namespace trifac::io {

/// The type of the numbers in a file. A pattern contains only the positions of nonzeros, which are
/// read as ones.
enum class field { real, complex, integer, pattern };

/// Symmetries by which a file omits elements: A = Aᵀ, A = Aᴴ, A = −Aᵀ.
enum class symmetry { general, symmetric, hermitian, skew_symmetric };

/// Whether a file contains all elements, or some of them with row and column.
enum class layout { array, coordinate };

/// The keywords of the Matrix Market format.
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
  index_t entries = 0;  ///< numbers (for a pattern: positions) in the file
  io::field field = io::field::real;
  io::symmetry symmetry = io::symmetry::general;
  io::layout layout = io::layout::array;
  bool single_precision = false;  ///< stored as 32-bit floating point (.npy only)
};

/// Memory limits of readers. Sizes in a header are not trusted: a dense matrix is allocated only if
/// the file is long enough for the announced entries and the matrix fits this limit. If the entries
/// are fewer than half the rows or columns, the matrix may have at most 2^20 rows and columns and,
/// unless a limit is set here, 64 MiB.
struct read_limits {
  std::size_t memory_bytes = 0;  ///< for the dense matrix; 0: the machine's available memory
};

}  // namespace trifac::io
