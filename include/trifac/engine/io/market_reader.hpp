#pragma once
// The body of a Matrix Market file: its entries as a dense matrix.

#include <string>
#include <string_view>

#include "trifac/engine/io/contents.hpp"
#include "trifac/engine/io/destination.hpp"
#include "trifac/engine/io/lines.hpp"
#include "trifac/engine/io/market_head.hpp"
#include "trifac/engine/io/number.hpp"
#include "trifac/io/matrix_file.hpp"
#include "trifac/matrix.hpp"

namespace trifac::io {
inline namespace TRIFAC_ABI {
namespace detail {

/// Reads the entries of a file, line by line, into a dense matrix.
template <Scalar T>
class market_reader {
 public:
  market_reader(std::string_view text, std::string_view name)
      : lines_(text, name), about_(parse_market_head(lines_)) {}

  matrix<T> read(read_limits limits) {
    check();
    auto A =
        allocate_dense<T>(about_, limits, [this](const std::string& what) { lines_.fail(what); });
    read_entries(A.view());
    return A;
  }

  /// Into memory of this shape. The shape, the field and the number of lines are checked first.
  void read_into(const matrix_view<T>& A) {
    check();
    check_shape(about_, A.rows(), A.cols(), lines_.file());
    for (index_t j = 0; j < A.cols() && !A.empty(); ++j)
      for (index_t i = 0; i < A.rows(); ++i) A(i, j) = T(0);
    read_entries(A);
  }

 private:
  using real = real_t<T>;

  void check() const {
    if (about_.field == field::complex && !is_complex<T>)
      throw type_error(
          read_error::at_line(lines_.file(), lines_.number(),
                              "the file holds complex numbers, which a real matrix cannot take"));
    if (const index_t lines = lines_.remaining(); about_.entries > lines)
      lines_.fail("the file announces " + std::to_string(about_.entries) +
                  " entries but has only " + std::to_string(lines) + " more lines");
  }

  /// A is zero.
  void read_entries(const matrix_view<T>& A) {
    A_ = A;
    if (about_.layout == layout::array)
      read_array();
    else
      read_coordinates();
    if (next_data_line(lines_))
      lines_.fail("more than the " + std::to_string(about_.entries) + " entries announced");
  }

  void read_array() {
    if (A_.empty()) return;  // or there may be 2^63 columns without rows
    const bool whole = about_.symmetry == symmetry::general;
    const index_t skip = about_.symmetry == symmetry::skew_symmetric ? 1 : 0;
    index_t seen = 0;
    for (index_t j = 0; j < about_.cols; ++j)
      for (index_t i = whole ? 0 : j + skip; i < about_.rows; ++i)
        add(i, j, value(next_entry(seen++, values_per_entry()), 0));
  }

  void read_coordinates() {
    for (index_t seen = 0; seen < about_.entries; ++seen) {
      const words entry = next_entry(seen, 2 + values_per_entry());
      const index_t i = place("row", entry[0], about_.rows);
      const index_t j = place("column", entry[1], about_.cols);
      if (i < j && about_.symmetry != symmetry::general)
        lines_.fail("the entry is above the diagonal; a " +
                    std::string(to_string(about_.symmetry)) + " file holds the lower triangle");
      add(i, j, about_.field == field::pattern ? T(real(1)) : value(entry, 2));
    }
  }

  int values_per_entry() const {
    return about_.field == field::pattern ? 0 : about_.field == field::complex ? 2 : 1;
  }

  words next_entry(index_t seen, int expected) {
    if (!next_data_line(lines_))
      lines_.fail("the file ends after " + std::to_string(seen) + " of " +
                  std::to_string(about_.entries) + " entries");
    const words entry(lines_.line());
    if (entry.count() != expected)
      lines_.fail("expected " + std::to_string(expected) +
                  (expected == 1 ? " number" : " numbers") + " on the line, found \"" +
                  printable(lines_.line()) + "\"");
    return entry;
  }

  index_t place(const char* which, std::string_view word, index_t size) const {
    index_t k = 0;
    const number_status status = parse_integer(word, k);
    if (status == number_status::malformed)
      lines_.fail(std::string(which) + " \"" + printable(word) + "\" is not an integer");
    if (status == number_status::too_large || k < 1 || k > size)
      lines_.fail(std::string(which) + " " + printable(word) + " is outside 1 to " +
                  std::to_string(size));
    return k - 1;
  }

  T value(const words& entry, int first) const {
    const real re = number(entry[first]);
    if constexpr (is_complex<T>)
      return {re, about_.field == field::complex ? number(entry[first + 1]) : real(0)};
    else
      return re;
  }

  real number(std::string_view word) const {
    real x = 0;
    const number_status status = parse_real(word, x);
    if (status == number_status::malformed)
      lines_.fail("\"" + printable(word) + "\" is not a number");
    if (status == number_status::too_large)
      lines_.fail(printable(word) + " is too large for " +
                  (sizeof(real) == sizeof(float) ? "single" : "this") + " precision");
    if (about_.field == field::integer && word.find_first_not_of("+-0123456789") != word.npos)
      lines_.fail(printable(word) + " is not an integer, which the header promises");
    return x;
  }

  void add(index_t i, index_t j, const T& x) {
    if (i == j) check_diagonal(x);
    sum(A_(i, j), x);
    if (i == j || about_.symmetry == symmetry::general) return;
    sum(A_(j, i), about_.symmetry == symmetry::symmetric   ? x
                  : about_.symmetry == symmetry::hermitian ? trifac::detail::conjugate(x)
                                                           : -x);
  }

  void check_diagonal(const T& x) const {
    if (about_.symmetry == symmetry::skew_symmetric && x != T(0))
      lines_.fail("the diagonal of a skew-symmetric matrix is zero");
    if constexpr (is_complex<T>)
      if (about_.symmetry == symmetry::hermitian && x.imag() != real(0))
        lines_.fail("the diagonal of a hermitian matrix is real");
  }

  static void sum(T& a, const T& x) { a = a == T(0) ? x : a + x; }  // 0 + (-0) would lose the sign

  line_cursor lines_;
  matrix_file about_;
  matrix_view<T> A_;
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac::io
