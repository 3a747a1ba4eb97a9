#pragma once
// Reads a matrix from a file of either format, detected by its first bytes, not by its name.

#include <filesystem>
#include <string>
#include <string_view>

#include "trifac/io/matrix_market.hpp"
#include "trifac/io/npy.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {

namespace detail {

inline bool is_npy(std::string_view bytes) {
  return bytes.substr(0, npy_magic.size()) == npy_magic;
}

}  // namespace detail

/// All bytes of a file, for describe_matrix and parse_matrix, so that the file is read only once.
/// Throws read_error.
inline std::string file_contents(const std::filesystem::path& path) {
  return detail::contents(path);
}

/// Size and kind of the matrix in the bytes of a .npy or Matrix Market file. Throws read_error.
inline matrix_file describe_matrix(std::string_view bytes, std::string_view name) {
  return detail::is_npy(bytes) ? describe_npy(bytes, name) : describe_matrix_market(bytes, name);
}

/// The matrix in the bytes of a .npy or Matrix Market file: parse_npy or parse_matrix_market.
template <Scalar T>
requires std::floating_point<real_t<T>> matrix<T> parse_matrix(std::string_view bytes,
                                                               std::string_view name,
                                                               read_limits limits = {}) {
  return detail::is_npy(bytes) ? parse_npy<T>(bytes, name, limits)
                               : parse_matrix_market<T>(bytes, name, limits);
}

/// The matrix in a .npy or Matrix Market file: read_npy or read_matrix_market.
template <Scalar T>
requires std::floating_point<real_t<T>> matrix<T> read_matrix(const std::filesystem::path& path,
                                                              read_limits limits = {}) {
  return parse_matrix<T>(file_contents(path), path.string(), limits);
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::io
