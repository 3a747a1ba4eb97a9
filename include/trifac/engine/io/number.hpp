#pragma once
// Locale-independent numbers from and to text: thin layers over std::from_chars and std::to_chars.

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <system_error>

#include "trifac/engine/base/config.hpp"

#if !defined(__cpp_lib_to_chars)
  #error \
      "trifac/io needs std::from_chars and std::to_chars for floating point (libstdc++ 11, MSVC 19.24 or newer)"
#endif

namespace trifac::io {
inline namespace TRIFAC_ABI {
namespace detail {

enum class number_status { ok, malformed, too_large };

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A decimal integer with optional sign and nothing else.
inline number_status parse_integer(std::string_view token, index_t& value) {
  if (token.size() > 1 && token[0] == '+' && is_digit(token[1])) token.remove_prefix(1);
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) return number_status::malformed;
  return error == std::errc() ? number_status::ok : number_status::too_large;
}

/// The decimal exponent of the first nonzero digit: 2 for 314.15, −3 for 0.00271e0. The exponent
/// after e is clamped to ±10⁹. `token` is a well-formed decimal number.
inline index_t decimal_exponent(std::string_view token) {
  const auto mark = std::min(token.find_first_of("eE"), token.size());
  const std::string_view digits = token.substr(0, mark);
  const auto first = std::min(digits.find_first_of("123456789"), digits.size());
  const auto point = std::min(digits.find('.'), digits.size());
  auto place = static_cast<index_t>(point) - static_cast<index_t>(first);
  if (place > 0) --place;  // 314.15: the point is at 3, the first digit at 0, its exponent is 2
  if (mark == token.size()) return place;

  std::string_view power = token.substr(mark + 1);
  index_t exponent = 0;
  if (parse_integer(power, exponent) == number_status::too_large)
    exponent = power[0] == '-' ? -1'000'000'000 : 1'000'000'000;
  return place + std::clamp<index_t>(exponent, -1'000'000'000, 1'000'000'000);
}

/// A decimal number, correctly rounded to R; also inf and nan in any case. Accepts a leading + and
/// Fortran's exponent letter D. Underflow gives 0 with its sign, overflow is refused.
template <std::floating_point R>
number_status parse_real(std::string_view token, R& value) {
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (error == std::errc::invalid_argument) return number_status::malformed;
  if (stop != end) {
    if (*stop != 'd' && *stop != 'D') return number_status::malformed;
    std::string with_e(token);
    with_e[static_cast<std::size_t>(stop - token.data())] = 'e';
    return parse_real(with_e, value);
  }
  if (error == std::errc()) return number_status::ok;
  // from_chars reports underflow and overflow alike, as out of range.
  if (decimal_exponent(token) > 0) return number_status::too_large;
  value = token[0] == '-' ? -R(0) : R(0);
  return number_status::ok;
}

/// Appends a number: the shortest text that parse_real reads back exactly.
template <class Number>
void append_number(std::string& text, Number value) {
  std::array<char, 64> digits;
  const auto [stop, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), error == std::errc() ? stop : digits.data());
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac::io
