#pragma once
// Rounding to a number of decimal digits, for files that must come out the same on every machine.

#include <array>
#include <charconv>

namespace examples {

/// x with `digits` significant digits: the last bits of a computed number differ between compilers
/// and libraries, its leading digits do not.
inline double rounded(double x, int digits) {
  std::array<char, 64> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), x,
                                          std::chars_format::scientific, digits - 1);
  double result = x;
  if (error == std::errc()) std::from_chars(text.data(), end, result);
  return result;
}

}  // namespace examples
