#pragma once
// Reads a matrix from a file of either format, detected by its first bytes, not by its name.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "trifac/io/matrix_market.hpp"
#include "trifac/io/npy.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {

namespace detail {

inline bool is_npy(std::string_view bytes) {
  return bytes.substr(0, npy_magic.size()) == npy_magic;
}

/// Whether a regular file is a .npy file; false for a pipe, which can be read only once.
inline bool is_npy_file(const std::filesystem::path& path) {
  std::string bytes(npy_magic.size(), '\0');
  return length_of(path) != unknown_length &&
         opened(path).read(bytes.data(), static_cast<std::streamsize>(bytes.size())) &&
         is_npy(bytes);
}

/// The bytes that read_matrix holds beside the matrix: the text of a Matrix Market file.
inline std::size_t text_bytes(const std::filesystem::path& path) {
  return is_npy_file(path) ? 0 : length_of(path);
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

/// The same of a regular file, of which no more is read than the head.
inline matrix_file describe_matrix(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::ifstream stream = detail::opened(path);
  if (detail::length_of(path) == detail::unknown_length)
    throw read_error::whole(name, "is no regular file, of which the head can be read alone");
  if (detail::is_npy_file(path)) return detail::npy_stream(path).head.about;
  std::string text(16, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (detail::may_be_matrix(text)) text = detail::market_head_bytes(stream, std::move(text), name);
  return describe_matrix(text, name);
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
  return detail::is_npy_file(path) ? read_npy<T>(path, limits)
                                   : parse_matrix<T>(file_contents(path), path.string(), limits);
}

/// A := the matrix in a .npy or Matrix Market file: read_npy_into or read_matrix_market_into. A
/// pipe is read as Matrix Market: for .npy from a pipe read_npy_into.
template <detail::Destination M>
void read_matrix_into(const std::filesystem::path& path, M&& A) {
  if (detail::is_npy_file(path))
    read_npy_into(path, std::forward<M>(A));
  else
    read_matrix_market_into(path, std::forward<M>(A));
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::io
