#pragma once
// Pieces of JSON as bench/compare and bench/trifac-study read them, whatever the locale.

#include <charconv>
#include <cmath>
#include <string>

namespace bench {

/// text with what JSON wants escaped; control characters become blanks.
inline std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

/// x with nine digits; NaN and infinity as Python names them.
inline std::string json_number(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Infinity" : "-Infinity";
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::general, 9).ptr};
}

}  // namespace bench
