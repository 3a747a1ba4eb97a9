#pragma once
// Random numbers for the tests: the same on every machine, compiler and standard library, down to
// the last bit.

#include <cstdint>

#include "trifac/scalar.hpp"

namespace trifac::test {

/// x as a scalar of any type.
template <class T>
T number(double x) {
  return T(static_cast<real_t<T>>(x));
}

/// The 64-bit generator splitmix64 (Steele, Lea, Flood 2014). The distributions are our own,
/// because those of <random> differ between standard libraries.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// An odd multiple of 2⁻⁵³ between −1 and 1, never zero; 53 random bits.
  double uniform() {
    const auto odd = static_cast<std::int64_t>(bits() >> 10 | 1u);
    return static_cast<double>(odd - (std::int64_t{1} << 53)) * 0x1p-53;
  }

  /// Nearly N(0, 1): a sum of twelve uniform numbers, which needs no function of the mathematical
  /// library.
  double normal() {
    double sum = 0;
    for (int k = 0; k < 12; ++k) sum += uniform();
    return sum / 2;
  }

  /// A whole number from 0 to count − 1.
  index_t below(index_t count) {
    return static_cast<index_t>(bits() % static_cast<std::uint64_t>(count));
  }

  /// A scalar with uniform, or nearly normal, real and imaginary parts.
  template <class T>
  T uniform() {
    return scalar<T>([this] { return uniform(); });
  }
  template <class T>
  T normal() {
    return scalar<T>([this] { return normal(); });
  }

 private:
  template <class T, class Draw>
  static T scalar(Draw draw) {
    const auto real = static_cast<real_t<T>>(draw());
    if constexpr (is_complex<T>)
      return T(real, static_cast<real_t<T>>(draw()));
    else
      return real;
  }

  std::uint64_t state_;
};

}  // namespace trifac::test
