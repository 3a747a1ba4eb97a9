#pragma once
// NumPy's .npy format, versions 1 to 3: reading into a dense matrix, and writing. Format: NumPy's
// documentation, numpy.lib.format.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <istream>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>

#include "trifac/engine/io/contents.hpp"
#include "trifac/engine/io/npy_head.hpp"
#include "trifac/io/error.hpp"
#include "trifac/io/matrix_file.hpp"
#include "trifac/matrix.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {
namespace detail {

/// The number of type Stored at `from`, of any alignment; bytes are reversed if `swapped`.
template <class Stored>
Stored load(const char* from, bool swapped) {
  std::array<char, sizeof(Stored)> bytes;
  std::memcpy(bytes.data(), from, bytes.size());
  if (swapped) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Stored>(bytes);
}

/// Calls f(loader), where loader(from) returns one element of the file as a T.
template <class T, class F>
void with_loader(const npy_head& head, const F& f) {
  const bool swapped = head.swapped;
  const auto real = [&]<class Stored>(Stored) {
    f([swapped](const char* from) {
      return T(static_cast<real_t<T>>(load<Stored>(from, swapped)));
    });
  };
  const auto complex = [&]<class Stored>(Stored) {
    if constexpr (is_complex<T>)
      f([swapped](const char* from) {
        return T(static_cast<real_t<T>>(load<Stored>(from, swapped)),
                 static_cast<real_t<T>>(load<Stored>(from + sizeof(Stored), swapped)));
      });
  };
  switch (head.kind) {
    case 'f':
      return head.bytes == 4 ? real(float()) : real(double());
    case 'c':
      return head.bytes == 8 ? complex(float()) : complex(double());
    case 'b':
      return f([](const char* from) { return T(real_t<T>(*from != 0 ? 1 : 0)); });
    case 'i':
      return head.bytes == 1   ? real(std::int8_t())
             : head.bytes == 2 ? real(std::int16_t())
             : head.bytes == 4 ? real(std::int32_t())
                               : real(std::int64_t());
    default:
      return head.bytes == 1   ? real(std::uint8_t())
             : head.bytes == 2 ? real(std::uint16_t())
             : head.bytes == 4 ? real(std::uint32_t())
                               : real(std::uint64_t());
  }
}

/// True if a double of the file is finite but exceeds the range of T.
template <class T>
bool overflows(const npy_head& head, const char* from) {
  if (sizeof(real_t<T>) >= sizeof(double) || (head.kind != 'f' && head.kind != 'c')) return false;
  if (head.about.single_precision) return false;
  constexpr auto most = std::numeric_limits<real_t<T>>::max();
  for (index_t at = 0; at < head.bytes; at += 8) {
    const double x = load<double>(from + at, head.swapped);
    if (std::isfinite(x) && std::abs(x) > most) return true;
  }
  return false;
}

}  // namespace detail

/// Size and kind of the matrix in the bytes of a .npy file. Throws read_error.
inline matrix_file describe_npy(std::string_view bytes, std::string_view name) {
  return detail::parse_npy_head(bytes, name).about;
}

/// The matrix in the bytes of a .npy file. `name` is for messages. Accepts types f4, f8, c8, c16,
/// i1 to i8, u1 to u8 and b1, both byte orders, C and Fortran order. One-dimensional arrays are
/// read as a column; other than one or two dimensions are refused. Numbers, including integers, are
/// rounded to the precision of T. Needs memory for the bytes and the matrix. Throws read_error; a
/// complex file needs a complex T.
template <Scalar T>
requires std::floating_point<real_t<T>> matrix<T> parse_npy(std::string_view bytes,
                                                            std::string_view name,
                                                            read_limits limits = {}) {
  const detail::npy_head head = detail::parse_npy_head(bytes, name);
  const auto fail = [&](std::size_t at, const std::string& what) {
    throw read_error::at_byte(name, static_cast<index_t>(at), what);
  };
  if (head.kind == 'c' && !is_complex<T>)
    fail(head.start, "the file holds complex numbers, which a real matrix cannot take");
  matrix<T> A = detail::allocate_dense<T>(head.about, limits,
                                          [&](const std::string& what) { fail(head.start, what); });

  // In file order: for C order the column-by-column view is Aᵀ.
  const matrix_view<T> in_order = head.by_rows ? A.view().transposed() : A.view();
  if (A.empty()) return A;
  std::size_t at = head.start;
  detail::with_loader<T>(head, [&](const auto& element) {
    for (index_t j = 0; j < in_order.cols(); ++j)
      for (index_t i = 0; i < in_order.rows(); ++i, at += static_cast<std::size_t>(head.bytes)) {
        if (detail::overflows<T>(head, bytes.data() + at))
          fail(at, "the number is too large for T");
        in_order(i, j) = element(bytes.data() + at);
      }
  });
  return A;
}

/// The same from a stream, read to its end.
template <Scalar T>
requires std::floating_point<real_t<T>> matrix<T> read_npy(std::istream& stream,
                                                           std::string_view name,
                                                           read_limits limits = {}) {
  return parse_npy<T>(detail::contents(stream, name), name, limits);
}

/// The same from a file.
template <Scalar T>
requires std::floating_point<real_t<T>> matrix<T> read_npy(const std::filesystem::path& path,
                                                           read_limits limits = {}) {
  return parse_npy<T>(detail::contents(path), path.string(), limits);
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
