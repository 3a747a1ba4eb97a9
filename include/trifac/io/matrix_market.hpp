#pragma once
// The Matrix Market text format: reading into a dense matrix, and writing. Format: Boisvert, Pozo,
// Remington, "The Matrix Market exchange formats: initial design", NISTIR 5935, 1996.

#include <concepts>
#include <filesystem>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "trifac/engine/io/contents.hpp"
#include "trifac/engine/io/destination.hpp"
#include "trifac/engine/io/lines.hpp"
#include "trifac/engine/io/market_head.hpp"
#include "trifac/engine/io/market_reader.hpp"
#include "trifac/engine/io/number.hpp"
#include "trifac/io/error.hpp"
#include "trifac/io/matrix_file.hpp"
#include "trifac/matrix.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {

/// Size and kind of the matrix in Matrix Market text; reads only the head. `name` is for messages.
/// Throws read_error.
inline matrix_file describe_matrix_market(std::string_view text, std::string_view name) {
  detail::line_cursor lines(text, name);
  return detail::parse_market_head(lines);
}

/// The matrix in Matrix Market text, dense. `name` is for messages. For symmetric, hermitian and
/// skew-symmetric files both triangles are set. Duplicate entries are summed, a pattern is read as
/// ones, and numbers, including integers, are rounded once to the precision of T. Needs memory for
/// the text and the matrix. Throws read_error; type_error where a complex file meets a real T.
template <Scalar T>
requires std::floating_point<real_t<T>> matrix<T> parse_matrix_market(std::string_view text,
                                                                      std::string_view name,
                                                                      read_limits limits = {}) {
  return detail::market_reader<T>(text, name).read(limits);
}

/// The same from a stream, read to its end.
template <Scalar T>
requires std::floating_point<real_t<T>> matrix<T> read_matrix_market(std::istream& stream,
                                                                     std::string_view name,
                                                                     read_limits limits = {}) {
  return parse_matrix_market<T>(detail::contents(stream, name), name, limits);
}

/// The same from a file.
template <Scalar T>
requires std::floating_point<real_t<T>> matrix<T> read_matrix_market(
    const std::filesystem::path& path, read_limits limits = {}) {
  return parse_matrix_market<T>(detail::contents(path), path.string(), limits);
}

/// A := the matrix in a Matrix Market file, dense. A: of the file's shape m×n and of any strides,
/// row-major too; a vector, such as a std::vector or std::span, is one column. Symmetries,
/// duplicates and rounding are those of parse_matrix_market; takes memory for the text besides A.
/// Throws read_error, shape_error, type_error where a complex file meets a real A; argument_error
/// for impossible strides. Head, shape, field and the number of lines are checked before an element
/// is written. An error in a later line leaves the entries before it, and zeros.
template <detail::Destination M>
void read_matrix_market_into(const std::filesystem::path& path, M&& A) {
  detail::check_read_into<M>();
  if constexpr (detail::can_be_read_into<M>) {
    const auto to = detail::destination(A);
    const std::string text = detail::contents(path), name = path.string();
    detail::market_reader<detail::destination_t<M>>(text, name).read_into(to);
  }
}

/// Format options. Symmetries other than general write only the lower triangle and do not read the
/// upper one.
struct market_format {
  io::layout layout = io::layout::array;  ///< coordinate: exact zeros are omitted
  io::symmetry symmetry = io::symmetry::general;
  std::string_view comment = {};  ///< written after the header, with a % before each line
};

namespace detail {

template <class T>
void check_format(matrix_view<T> A, const market_format& format) {
  const bool is_general = format.symmetry == symmetry::general;
  if (!is_general && A.rows() != A.cols())
    throw std::invalid_argument("trifac: a matrix that is not square has no symmetry to write");
  if (format.symmetry == symmetry::hermitian && !is_complex<T>)
    throw std::invalid_argument("trifac: a real matrix is written as symmetric, not as hermitian");
}

template <class T>
void append_entry(std::string& text, const T& x) {
  append_number(text, trifac::detail::real_part(x));
  if constexpr (is_complex<T>) append_number(text += ' ', x.imag());
  text += '\n';
}

inline void append_comment(std::string& text, std::string_view comment) {
  for (line_cursor lines(comment, {}); lines.next();) ((text += "% ") += lines.line()) += '\n';
}

/// f(i, j, a_ij) for the elements that a file of this symmetry contains, column by column. The
/// diagonal of a Hermitian matrix is real.
template <class T, class F>
void for_stored(matrix_view<T> A, io::symmetry symmetry, const F& f) {
  const index_t skip = symmetry == io::symmetry::skew_symmetric ? 1 : 0;
  if (A.empty()) return;  // 0 x 10^18 would loop over columns without rows
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = symmetry == io::symmetry::general ? 0 : j + skip; i < A.rows(); ++i) {
      using value_type = std::remove_const_t<T>;
      const bool is_real = i == j && symmetry == io::symmetry::hermitian;
      f(i, j, is_real ? value_type(trifac::detail::real_part(A(i, j))) : A(i, j));
    }
}

}  // namespace detail

/// Writes A as Matrix Market text with enough digits to read the same numbers back. A symmetry
/// other than general requires a square A, hermitian a complex one; else throws
/// std::invalid_argument. A failing stream is left in that state.
template <class T>
void write_matrix_market(std::ostream& stream, matrix_view<T> A, const market_format& format = {}) {
  using value_type = std::remove_const_t<T>;
  detail::check_format(A, format);
  std::string text(detail::market_banner);
  for (const std::string_view word :
       {std::string_view("matrix"), to_string(format.layout),
        to_string(is_complex<T> ? field::complex : field::real), to_string(format.symmetry)})
    (text += ' ') += word;
  detail::append_comment(text += '\n', format.comment);
  text += std::to_string(A.rows()) + ' ' + std::to_string(A.cols());

  const bool all = format.layout == layout::array;
  if (!all) {
    index_t entries = 0;
    detail::for_stored(A, format.symmetry, [&](index_t, index_t, const value_type& x) {
      entries += x != value_type();
    });
    text += ' ' + std::to_string(entries);
  }
  text += '\n';
  detail::for_stored(A, format.symmetry, [&](index_t i, index_t j, const value_type& x) {
    if (!all && x == value_type()) return;
    if (!all) text += std::to_string(i + 1) + ' ' + std::to_string(j + 1) + ' ';
    detail::append_entry(text, x);
    if (text.size() < (1 << 16)) return;
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
  });
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
}

template <Scalar T>
void write_matrix_market(std::ostream& stream, const matrix<T>& A,
                         const market_format& format = {}) {
  write_matrix_market(stream, A.view(), format);
}

/// The same to a file, which is overwritten. Throws write_error.
template <class T>
void write_matrix_market(const std::filesystem::path& path, matrix_view<T> A,
                         const market_format& format = {}) {
  detail::check_format(A, format);  // before the old file is overwritten
  detail::write_file(path, [&](std::ostream& stream) { write_matrix_market(stream, A, format); });
}

template <Scalar T>
void write_matrix_market(const std::filesystem::path& path, const matrix<T>& A,
                         const market_format& format = {}) {
  write_matrix_market(path, A.view(), format);
}

}  // namespace TRIFAC_ABI
}  // namespace trifac::io
