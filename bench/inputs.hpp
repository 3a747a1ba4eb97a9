#pragma once
// What is factored: random matrices, and a pool of them so that no two calls in a row get the same
// one (with one matrix repeated, the branch predictor learns its pivots).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trifac/matrix.hpp"

namespace bench {

using trifac::index_t;
using trifac::matrix;
using trifac::matrix_view;

/// splitmix64 (Steele, Lea, Flood 2014), uniform in (−1, 1): the same numbers on every machine.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  template <class T>
  T next() {
    using R = trifac::real_t<T>;
    const R real = static_cast<R>(uniform());
    if constexpr (trifac::is_complex<T>)
      return T(real, static_cast<R>(uniform()));
    else
      return real;
  }
  double sign() { return bits() >> 63 ? 1 : -1; }

 private:
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() {
    return static_cast<double>(static_cast<std::int64_t>(bits()) >> 11) * 0x1p-52;
  }

  std::uint64_t state_;
};

/// The sorts of matrices: Hermitian positive definite; any; any, with a diagonal that needs no
/// pivoting.
enum class kind { positive_definite, general, dominant };

/// Elements uniform in (−1, 1); except for `general`, A is square and 2n is added to the diagonal.
template <class T>
void fill(kind what, random_numbers& random, matrix_view<T> A) {
  const index_t n = A.rows();
  const auto shift = T(static_cast<trifac::real_t<T>>(2 * n));
  for (index_t j = 0; j < A.cols(); ++j) {
    for (index_t i = what == kind::positive_definite ? j : 0; i < n; ++i)
      A(i, j) = random.next<T>();
    if (what == kind::general) continue;
    A(j, j) += shift;
    if (what == kind::dominant) continue;
    A(j, j) = T(trifac::detail::real_part(A(j, j)));
    for (index_t i = j + 1; i < n; ++i) A(j, i) = trifac::detail::conjugate(A(i, j));
  }
}

/// Matrices that follow each other in a ring: at least two, and enough for several batches where
/// they are small.
template <class T>
class input_pool {
 public:
  input_pool(kind what, index_t n, index_t batch) {
    random_numbers random(static_cast<std::uint64_t>(n));
    const index_t bytes = std::max<index_t>(1, n * n * static_cast<index_t>(sizeof(T)));
    const index_t count = std::clamp<index_t>(pool_bytes / bytes, 2, 8 * batch + 1);
    for (index_t k = 0; k < count; ++k) {
      matrices_.emplace_back(n, n);
      fill(what, random, matrices_.back().view());
    }
  }

  matrix_view<const T> next() {
    at_ = (at_ + 1) % matrices_.size();
    return static_cast<const matrix<T>&>(matrices_[at_]).view();
  }

 private:
  static constexpr index_t pool_bytes = 16 << 20;

  std::vector<matrix<T>> matrices_;
  std::size_t at_ = 0;
};

/// How many factorizations make one measurement: enough for the clock, and no more than half an L2
/// cache holds, so that they find their matrices where their caller has just put them.
template <class T>
index_t batch_size(index_t n, double flops) {
  constexpr double enough_flops = 2e6;
  constexpr double cache_bytes = 512 << 10;
  const double bytes = static_cast<double>(n) * static_cast<double>(n) * sizeof(T);
  const double most =
      std::min(enough_flops / std::max(1.0, flops), cache_bytes / std::max(1.0, bytes));
  return std::clamp<index_t>(static_cast<index_t>(most), 1, 400);
}

}  // namespace bench
