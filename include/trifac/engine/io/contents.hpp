#pragma once
// Reading and writing whole files, and allocation of the matrix for one.

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <istream>
#include <limits>
#include <new>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>

#include "trifac/engine/io/lines.hpp"
#include "trifac/io/error.hpp"
#include "trifac/io/matrix_file.hpp"
#include "trifac/io/memory.hpp"
#include "trifac/matrix.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {
namespace detail {

/// "3.1 GB", for messages.
inline std::string gigabytes(double bytes) {
  std::array<char, 32> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), bytes / 1e9,
                                    std::chars_format::general, 3);
  return std::string(digits.data(), result.ptr) + " GB";
}

/// Sizes accepted without data in the file: extents, and bytes of the dense matrix.
inline constexpr index_t small_extent = index_t{1} << 20;
inline constexpr double small_matrix = 1 << 26;

/// True if a file has enough entries for its extents: one per two rows or columns, since symmetry
/// gives each entry twice. With fewer, a row or column is zero.
inline bool fills_its_extents(const matrix_file& about) {
  return std::max(about.rows, about.cols) / 2 <= about.entries;
}

/// Throws by refuse(message) where extents are too large for the entries of their file: loops over
/// 2^63 columns without rows would not end.
template <class Refuse>
void check_extents(const matrix_file& about, const Refuse& refuse) {
  if (!fills_its_extents(about) && std::max(about.rows, about.cols) > small_extent)
    refuse("a matrix of " + std::to_string(about.rows) + " x " + std::to_string(about.cols) +
           " is too large for a file with " + std::to_string(about.entries) + " entries");
}

/// A zero matrix of the size that a file announces, if its entries (or read_limits) justify that
/// size: sixty bytes must not cost gigabytes, nor loops over 2^63 columns without rows.
/// `refuse(message)` throws read_error at the right position.
template <class T, class Refuse>
matrix<T> allocate_dense(const matrix_file& about, read_limits limits, const Refuse& refuse) {
  const std::size_t most = limits.memory_bytes != 0 ? limits.memory_bytes : available_memory();
  const double bytes =
      static_cast<double>(about.rows) * static_cast<double>(about.cols) * sizeof(T);
  const std::string need = "a dense matrix of " + std::to_string(about.rows) + " x " +
                           std::to_string(about.cols) + " takes " + gigabytes(bytes);
  if (bytes > static_cast<double>(most))
    refuse(need + ", more than the " + gigabytes(static_cast<double>(most)) + " available");
  check_extents(about, refuse);
  if (!fills_its_extents(about) && bytes > small_matrix && limits.memory_bytes == 0)
    refuse(need + ", too much for a file with " + std::to_string(about.entries) +
           " entries (read_limits::memory_bytes allows it)");
  try {
    return matrix<T>(about.rows, about.cols);
  } catch (const std::bad_alloc&) {
    refuse(need + ", which could not be had");
  }
  return {};
}

/// True if the bytes begin like a file of one of the two formats.
inline bool may_be_matrix(std::string_view bytes) {
  if (bytes.starts_with(utf8_mark)) bytes.remove_prefix(utf8_mark.size());
  return bytes.starts_with("%%") || bytes.starts_with("\x93NUMPY");
}

/// The rest of a stream; if it cannot be a matrix, only the beginning, which suffices for the
/// error. Memory grows with the data received, not with announced sizes. `length`: of a regular
/// file, so that its bytes are in memory once.
inline std::string contents(std::istream& stream, std::string_view name, std::size_t length = 0) {
  const std::size_t most = available_memory();
  std::string bytes;
  std::array<char, 1 << 16> chunk;
  try {
    while (stream.read(chunk.data(), chunk.size()) || stream.gcount() > 0) {
      bytes.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
      if (!may_be_matrix(bytes)) break;
      bytes.reserve(std::min(length, most / 2));
      if (bytes.size() > most / 2)
        throw read_error::whole(name, "the file does not fit in half of the memory available");
    }
  } catch (const std::bad_alloc&) {
    throw read_error::whole(name, "the file does not fit in memory");
  }
  if (stream.bad()) throw read_error::whole(name, "reading failed");
  return bytes;
}

inline std::string system_message(int code) {
  return std::generic_category().message(code);
}

/// A file opened for reading.
inline std::ifstream opened(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw read_error::whole(name, "is a directory, not a file");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw read_error::whole(name, errno != 0 ? system_message(errno) : "cannot be opened");
  return stream;
}

/// The length of what is no regular file, such as a pipe.
inline constexpr std::size_t unknown_length = std::numeric_limits<std::size_t>::max();

inline std::size_t length_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return unknown_length;
  const auto bytes = std::filesystem::file_size(path, error);
  return error ? unknown_length : static_cast<std::size_t>(bytes);
}

/// The content of a file.
inline std::string contents(const std::filesystem::path& path) {
  std::ifstream stream = opened(path);
  const std::size_t length = length_of(path);
  return contents(stream, path.string(), length == unknown_length ? 0 : length);
}

/// Opens a file for binary writing, passes it to `write` and checks that everything was written.
template <class Write>
void write_file(const std::filesystem::path& path, const Write& write) {
  errno = 0;
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  if (stream) write(static_cast<std::ostream&>(stream));
  stream.close();
  if (!stream)
    throw write_error(path.string(), errno != 0 ? system_message(errno) : "writing failed");
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac::io
