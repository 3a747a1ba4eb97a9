#pragma once
// NumPy's .npy format, versions 1 to 3: reading into a dense matrix, and writing. Format: NumPy's
// documentation, numpy.lib.format.

#include <bit>
#include <concepts>
#include <cstring>
#include <filesystem>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "trifac/engine/io/contents.hpp"
#include "trifac/engine/io/destination.hpp"
#include "trifac/engine/io/npy_elements.hpp"
#include "trifac/engine/io/npy_head.hpp"
#include "trifac/io/error.hpp"
#include "trifac/io/matrix_file.hpp"
#include "trifac/matrix.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {

/// Size and kind of the matrix in the bytes of a .npy file. Throws read_error.
inline matrix_file describe_npy(std::string_view bytes, std::string_view name) {
  return detail::parse_npy_head(bytes, name).about;
}

/// The matrix in the bytes of a .npy file. `name` is for messages. Accepts types f4, f8, c8, c16,
/// i1 to i8, u1 to u8 and b1, both byte orders, C and Fortran order. One-dimensional arrays are
/// read as a column; other than one or two dimensions are refused. Numbers, including integers, are
/// rounded to the precision of T. Needs memory for the bytes and the matrix. Throws read_error,
/// type_error where a complex file meets a real T.
template <Scalar T>
requires std::floating_point<real_t<T>> matrix<T> parse_npy(std::string_view bytes,
                                                            std::string_view name,
                                                            read_limits limits = {}) {
  const detail::npy_head head = detail::parse_npy_head(bytes, name);
  matrix<T> A = detail::allocate_npy<T>(head, name, limits);
  detail::npy_decoder<T>(head, name, A.view()).decode(bytes);
  return A;
}

/// The same from a stream, read to its end.
template <Scalar T>
requires std::floating_point<real_t<T>> matrix<T> read_npy(std::istream& stream,
                                                           std::string_view name,
                                                           read_limits limits = {}) {
  return parse_npy<T>(detail::contents(stream, name), name, limits);
}

/// The same from a file; of a regular file with memory for the matrix alone.
template <Scalar T>
requires std::floating_point<real_t<T>> matrix<T> read_npy(const std::filesystem::path& path,
                                                           read_limits limits = {}) {
  const std::string name = path.string();
  if (detail::length_of(path) == detail::unknown_length)
    return parse_npy<T>(detail::contents(path), name, limits);
  detail::npy_stream file(path);
  matrix<T> A = detail::allocate_npy<T>(file.head, name, limits);
  detail::npy_decoder<T>(file.head, name, A.view()).decode(file.stream);
  return A;
}

/// A := the matrix in a .npy file. A: of the file's shape m×n and of any strides, row-major too; a
/// vector, such as a std::vector or std::span, is one column. Types, byte orders and rounding are
/// those of parse_npy; takes 1 MiB besides A. Throws read_error, shape_error, type_error;
/// argument_error for impossible strides. Header, shape, type and length of a regular file are
/// checked before an element is written. Where a number is too large for T, reading fails, or a
/// pipe ends early, some elements are the file's and the others as before.
template <detail::Destination M>
void read_npy_into(const std::filesystem::path& path, M&& A) {
  detail::check_read_into<M>();
  if constexpr (detail::can_be_read_into<M>) {
    using T = detail::destination_t<M>;
    const matrix_view<T> to = detail::destination(A);
    const std::string name = path.string();
    detail::npy_stream file(path);
    detail::check_npy_type<T>(file.head, name);
    detail::check_shape(file.head.about, to.rows(), to.cols(), name);
    detail::npy_decoder<T>(file.head, name, to).decode(file.stream);
  }
}

/// Writes A as .npy: version 1, Fortran order, native byte order, f4, f8, c8 or c16 according to T.
/// A failing stream is left in that state.
template <class T>
requires LapackScalar<std::remove_const_t<T>>
void write_npy(std::ostream& stream, matrix_view<T> A) {
  std::string head(detail::npy_magic);
  std::string dictionary = "{'descr': '";
  dictionary += std::endian::native == std::endian::little ? '<' : '>';
  dictionary += is_complex<T> ? 'c' : 'f';
  dictionary += std::to_string(sizeof(T)) + "', 'fortran_order': True, 'shape': (" +
                std::to_string(A.rows()) + ", " + std::to_string(A.cols()) + "), }";
  while ((detail::npy_magic.size() + 4 + dictionary.size() + 1) % 64 != 0) dictionary += ' ';
  dictionary += '\n';
  head += {'\1', '\0', static_cast<char>(dictionary.size() % 256),
           static_cast<char>(dictionary.size() / 256)};
  head += dictionary;
  stream.write(head.data(), static_cast<std::streamsize>(head.size()));

  if (A.empty()) return;  // 10^18 x 0 has no column to write
  std::string column(static_cast<std::size_t>(A.rows()) * sizeof(T), '\0');
  for (index_t j = 0; j < A.cols(); ++j) {
    for (index_t i = 0; i < A.rows(); ++i)
      std::memcpy(column.data() + static_cast<std::size_t>(i) * sizeof(T), &A(i, j), sizeof(T));
    stream.write(column.data(), static_cast<std::streamsize>(column.size()));
  }
}

template <LapackScalar T>
void write_npy(std::ostream& stream, const matrix<T>& A) {
  write_npy(stream, A.view());
}

/// The same to a file, which is overwritten. Throws write_error.
template <class T>
requires LapackScalar<std::remove_const_t<T>>
void write_npy(const std::filesystem::path& path, matrix_view<T> A) {
  detail::write_file(path, [&](std::ostream& stream) { write_npy(stream, A); });
}

template <LapackScalar T>
void write_npy(const std::filesystem::path& path, const matrix<T>& A) {
  write_npy(path, A.view());
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::io
