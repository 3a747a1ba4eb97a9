#pragma once
// The head of a Matrix Market file: its first line, the comments and the line with the sizes.

#include <algorithm>
#include <cstddef>
#include <istream>
#include <limits>
#include <string>
#include <string_view>

#include "trifac/engine/io/lines.hpp"
#include "trifac/engine/io/number.hpp"
#include "trifac/io/matrix_file.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {
namespace detail {

inline constexpr std::string_view market_banner = "%%MatrixMarket";

inline bool is_market_banner(std::string_view line) {
  return lower_case(line.substr(0, market_banner.size())) == lower_case(market_banner);
}

/// Advances to the next line with data, skipping comments and blank lines; false at the end.
inline bool next_data_line(line_cursor& lines) {
  while (lines.next()) {
    const std::string_view line = lines.line();
    const auto first = std::find_if_not(line.begin(), line.end(), is_blank);
    if (first != line.end() && *first != '%') return true;
    if (is_market_banner(line)) lines.fail("a second header inside the file");
  }
  return false;
}

/// The value named by the word; else a read_error that quotes the word.
template <class Value, std::size_t Count>
Value named_value(const line_cursor& lines, std::string_view word, const Value (&values)[Count]) {
  for (const Value v : values)
    if (lower_case(word) == to_string(v)) return v;
  std::string choices;
  for (const Value v : values) (choices += choices.empty() ? "" : ", ") += to_string(v);
  const std::string found = printable(word);
  lines.fail('"' + found + "\" in the header is none of " + choices);
}

/// The first line: %%MatrixMarket matrix layout field symmetry, in upper or lower case, optionally
/// after a UTF-8 byte order mark.
inline matrix_file parse_banner(line_cursor& lines) {
  if (!lines.next()) lines.fail("the file is empty");
  std::string_view line = lines.line();
  if (line.starts_with(utf8_mark)) line.remove_prefix(utf8_mark.size());
  if (!is_market_banner(line)) {
    if (line.starts_with("\xff\xfe") || line.starts_with("\xfe\xff"))
      lines.fail("the file begins with a byte order mark of UTF-16: save it as ASCII or UTF-8");
    lines.fail("not a Matrix Market file: the first line does not begin with %%MatrixMarket");
  }
  const words header(line);
  if (header.count() != 5)
    lines.fail("the header must be %%MatrixMarket matrix, layout, field and symmetry");
  if (lower_case(header[1]) != "matrix")
    lines.fail("the file holds a \"" + printable(header[1]) + "\", not a matrix");

  matrix_file about;
  about.layout = named_value(lines, header[2], {layout::array, layout::coordinate});
  about.field =
      named_value(lines, header[3], {field::real, field::complex, field::integer, field::pattern});
  about.symmetry = named_value(
      lines, header[4],
      {symmetry::general, symmetry::symmetric, symmetry::hermitian, symmetry::skew_symmetric});

  const bool is_pattern = about.field == field::pattern;
  const bool is_hermitian = about.symmetry == symmetry::hermitian;
  if (is_pattern && about.layout == layout::array)
    lines.fail("an array file cannot hold a pattern");
  if (is_pattern && (is_hermitian || about.symmetry == symmetry::skew_symmetric))
    lines.fail("a pattern is general or symmetric");
  if (is_hermitian && about.field != field::complex)
    lines.fail("only a complex matrix is stored as hermitian; a real one is symmetric");
  return about;
}

inline index_t parse_size(const line_cursor& lines, std::string_view word) {
  index_t size = 0;
  const number_status status = parse_integer(word, size);
  if (status == number_status::too_large) lines.fail("size " + printable(word) + " is too large");
  if (status == number_status::malformed || size < 0)
    lines.fail("\"" + printable(word) + "\" is not a size");
  return size;
}

/// Numbers in an array file: all elements, or a lower triangle with or without diagonal.
inline index_t array_entries(const line_cursor& lines, const matrix_file& about) {
  if (about.rows != 0 && about.cols > std::numeric_limits<index_t>::max() / about.rows)
    lines.fail("a matrix of " + std::to_string(about.rows) + " x " + std::to_string(about.cols) +
               " is too large");
  const index_t all = about.rows * about.cols;
  switch (about.symmetry) {
    case symmetry::general:
      return all;
    case symmetry::skew_symmetric:
      return (all - about.rows) / 2;
    default:
      return all / 2 + (about.rows + 1) / 2;  // n(n+1)/2 without forming n(n+1)
  }
}

/// Reads the head up to and including the line with the sizes. The sizes are not yet checked
/// against the data.
inline matrix_file parse_market_head(line_cursor& lines) {
  matrix_file about = parse_banner(lines);
  if (!next_data_line(lines)) lines.fail("the file ends before the line with the sizes");

  const bool is_array = about.layout == layout::array;
  const words sizes(lines.line());
  if (sizes.count() != (is_array ? 2 : 3))
    lines.fail(is_array ? "expected rows and columns"
                        : "expected rows, columns and number of entries");
  about.rows = parse_size(lines, sizes[0]);
  about.cols = parse_size(lines, sizes[1]);
  if (about.symmetry != symmetry::general && about.rows != about.cols)
    lines.fail("a " + std::string(to_string(about.symmetry)) + " matrix must be square, not " +
               std::to_string(about.rows) + " x " + std::to_string(about.cols));
  about.entries = is_array ? array_entries(lines, about) : parse_size(lines, sizes[2]);
  return about;
}

/// Longest head that is read alone: a file of zeros is no reason to take memory for all of it.
inline constexpr std::size_t longest_head = std::size_t{1} << 24;

/// The lines of a stream up to the one with the sizes, after `text`, which was read already: a part
/// of the first line. Throws read_error where that is not within longest_head.
inline std::string market_head_bytes(std::istream& stream, std::string text,
                                     std::string_view name) {
  std::size_t line = 0;  // where the line in hand begins
  const auto is_head = [&] {
    const auto end = text.end() - 1;  // its '\n'
    const auto first =
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(line), end, is_blank);
    return line == 0 || first == end || *first == '%' || *first == '\r';
  };
  for (char c; stream.get(c);) {
    if (text.size() == longest_head)
      throw read_error::whole(std::string(name), "has no line with sizes in its first " +
                                                     std::to_string(longest_head >> 20) + " MiB");
    text += c;
    if (c != '\n') continue;
    if (!is_head()) break;
    line = text.size();
  }
  return text;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac::io
