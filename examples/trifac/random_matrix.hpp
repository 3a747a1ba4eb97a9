#pragma once
// Random matrices that are the same on every machine.

#include <cstdint>

#include "options.hpp"
#include "trifac/matrix.hpp"

namespace program {

/// Numbers uniform in (-1, 1) from the generator splitmix64 (Steele, Lea, Flood 2014).
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  double next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return static_cast<double>(static_cast<std::int64_t>(z >> 11)) * 0x1p-52 - 1;
  }
  template <class T>
  T scalar() {
    const auto real = static_cast<trifac::real_t<T>>(next());
    if constexpr (trifac::is_complex<T>)
      return T(real, static_cast<trifac::real_t<T>>(next()));
    else
      return real;
  }

 private:
  std::uint64_t state_;
};

/// Elements uniform in (-1, 1). dominant: n is added to the diagonal of size n, which then
/// outweighs its row (twice that for complex types); spd: the same of a Hermitian matrix, which
/// makes it positive definite.
template <class T>
trifac::matrix<T> random_matrix(random_kind kind, trifac::index_t n, std::uint64_t seed) {
  using trifac::index_t;
  random_numbers random(seed);
  trifac::matrix<T> A(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = kind == random_kind::spd ? j : 0; i < n; ++i) A(i, j) = random.scalar<T>();
  if (kind == random_kind::general) return A;

  const auto shift = static_cast<trifac::real_t<T>>(trifac::is_complex<T> ? 2 * n : n);
  for (index_t j = 0; j < n; ++j) {
    if (kind == random_kind::spd) {
      A(j, j) = T(trifac::detail::real_part(A(j, j)));
      for (index_t i = 0; i < j; ++i) A(i, j) = trifac::detail::conjugate(A(j, i));
    }
    A(j, j) += shift;
  }
  return A;
}

}  // namespace program
