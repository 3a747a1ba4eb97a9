#pragma once
// An estimate of ‖A‖₁ for a matrix available only through products, such as an inverse.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "trifac/engine/base/from_double.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A power of two near √size if size is far from 1, else 1. For size ≈ ‖A‖, elements of σ·A⁻¹ are
/// about κ(A)·σ / ‖A‖: in range unless A is singular to working precision.
template <class R>
R root_scale(const R& size) {
  if constexpr (std::is_floating_point_v<R>) {
    int exponent = 0;
    std::frexp(size, &exponent);
    constexpr int far = std::numeric_limits<R>::max_exponent / 2;
    if (exponent > far || exponent < -far) return std::ldexp(R(1), exponent / 2);
  }
  return R(1);
}

/// The block 1-norm estimator with two columns: mostly exact, rarely too small by more than a
/// factor 3, never above ‖A‖₁ except for rounding. Up to 5 products with A and 4 with Aᴴ. Its
/// random signs are the same in each call. Source: Higham, Tisseur, SIMAX 21(4), 2000, algorithm
/// 2.4, except for the second column of the first two products. There, ones and random signs are
/// orthogonal to e_a − e_b for half of all pairs a, b, and so are the signs of their products with
/// an A that is large only along e_a − e_b: the estimator would miss it. So the elements of that
/// column differ in size, and the first product's sizes are kept.
template <class T>
class norm_estimate {
  using R = real_t<T>;
  static_assert(has_limits<R>,
                "reciprocal_condition and refine need std::numeric_limits of the real scalar type");
  static constexpr index_t columns = 2;
  static constexpr int most_turns = 5;
  /// Exact is four products of two columns, an estimate up to nine.
  static constexpr index_t exact_order = 8;

 public:
  explicit norm_estimate(index_t n) : n_(n), X_(n, columns), S_(n, columns), before_(n, columns) {}

  /// norm := about ‖σ·A‖₁, σ: the scale. apply(X): X := A·X; apply_adjoint(X): X := Aᴴ·X; X: n×2.
  /// Both return a status, and a failure is returned. Infinity if a product is not finite.
  template <class Apply, class ApplyAdjoint>
  status of(const Apply& apply, const ApplyAdjoint& apply_adjoint, const R& scale, R& norm) {
    norm = R(0);
    state_ = 1;
    taken_count_ = 0;
    if (n_ <= exact_order) return exactly(apply, scale, norm);
    start();
    for (int turn = 1;; ++turn) {
      if (const status s = product(apply, scale); !s) return s;
      const R sums[columns] = {sum_of(0), sum_of(1)};
      const index_t column = sums[0] >= sums[1] ? 0 : 1;
      if (!is_finite(sums[0]) || !is_finite(sums[1])) return is_infinite(norm);
      if (turn > 1 && sums[column] <= norm) return {};
      norm = sums[column];
      const index_t best = turn > 1 ? units_[column] : -1;
      if (turn == most_turns || !take_signs(turn == 1)) return {};
      if (const status s = product(apply_adjoint, scale); !s) return s;
      if (!choose_units(best)) return {};
    }
  }

 private:
  static status is_infinite(R& norm) {
    norm = std::numeric_limits<R>::infinity();
    return {};
  }

  /// apply(σ·X).
  template <class Apply>
  status product(const Apply& apply, const R& scale) {
    for (index_t j = 0; j < columns && scale != R(1); ++j)
      for (index_t i = 0; i < n_; ++i) X_(i, j) = X_(i, j) * scale;
    return apply(X_.view());
  }

  /// Applies A to all unit vectors, two at a time.
  template <class Apply>
  status exactly(const Apply& apply, const R& scale, R& norm) {
    for (index_t first = 0; first < n_; first += columns) {
      set_units(first, first + 1);
      if (const status s = product(apply, scale); !s) return s;
      for (index_t j = 0; j < columns; ++j) {
        const R sum = sum_of(j);
        if (!is_finite(sum)) return is_infinite(norm);
        norm = max(norm, sum);
      }
    }
    return {};
  }

  /// A column of ones and one of ±1/(4n − 3i), both of norm 1. The sizes differ by at most a factor
  /// 4 and are not a polynomial in i, so that rows that are means of others are detected, too.
  void start() {
    for (index_t i = 0; i < n_; ++i) {
      X_(i, 0) = T(R(1) / from_index<R>(n_));
      X_(i, 1) = random_sign() / T(from_index<R>(4 * n_ - 3 * i));
    }
    divide_second(sum_of(1));
  }
  void divide_second(const R& size) {
    for (index_t i = 0; i < n_ && size > R(0); ++i) X_(i, 1) = X_(i, 1) / size;
  }
  T random_sign() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;  // Knuth, MMIX
    return T(state_ >> 63 ? 1 : -1);
  }
  R sum_of(index_t j) const {
    R sum(0);
    for (index_t i = 0; i < n_; ++i) sum = sum + absolute(X_(i, j));
    return sum;
  }
  void set_units(index_t first, index_t second) {
    for (index_t i = 0; i < n_; ++i) {
      X_(i, 0) = T(i == first ? 1 : 0);
      X_(i, 1) = T(i == second ? 1 : 0);
    }
  }

  /// X := S := the signs, or phases, of X; in the first turn the second column is only divided by
  /// its largest size. False if each column equals one of the last S up to sign: further turns
  /// would repeat. A redundant second column is drawn again.
  bool take_signs(bool first) {
    std::swap(before_, S_);
    R largest(0);
    for (index_t j = 0; j < columns; ++j)
      for (index_t i = 0; i < n_; ++i) {
        const R size = absolute(X_(i, j));
        if constexpr (is_complex<T>)
          S_(i, j) = size == R(0) ? T(1) : T(X_(i, j) / size);
        else
          S_(i, j) = T(X_(i, j) < R(0) ? -1 : 1);
        if (j == 1) largest = max(largest, size);
      }
    if constexpr (!is_complex<T>) {
      const auto was_before = [&](index_t j) {
        return are_parallel(S_, j, before_, 0) || are_parallel(S_, j, before_, 1);
      };
      if (!first && was_before(0) && was_before(1)) return false;
      while (!first && (are_parallel(S_, 0, S_, 1) || was_before(1)))
        for (index_t i = 0; i < n_; ++i) S_(i, 1) = random_sign();
    }
    for (index_t i = 0; i < n_; ++i) {
      X_(i, 0) = S_(i, 0);
      if (!first) X_(i, 1) = S_(i, 1);
    }
    if (first) divide_second(largest);
    return true;
  }
  bool are_parallel(const matrix<T>& A, index_t a, const matrix<T>& B, index_t b) const {
    bool same = true, opposite = true;
    for (index_t i = 0; i < n_; ++i) {
      same = same && A(i, a) == B(i, b);
      opposite = opposite && A(i, a) == -B(i, b);
    }
    return same || opposite;
  }

  /// X := the unit vectors of the two largest rows of X not yet used. False if the largest row is
  /// `best`, or the two largest were used.
  bool choose_units(index_t best) {
    const auto size_of = [&](index_t i) {
      const R a = absolute(X_(i, 0)), b = absolute(X_(i, 1));
      return a >= b ? a : b;
    };
    const auto was_taken = [&](index_t i) {
      for (int k = 0; k < taken_count_; ++k)
        if (taken_[k] == i) return true;
      return false;
    };
    const auto larger = [&](index_t i, index_t than) {
      return than < 0 || size_of(i) > size_of(than);
    };
    index_t all[columns] = {-1, -1}, fresh[columns] = {-1, -1};
    const auto insert = [&](index_t(&into)[columns], index_t i) {
      if (larger(i, into[0]))
        into[1] = into[0], into[0] = i;
      else if (larger(i, into[1]))
        into[1] = i;
    };
    for (index_t i = 0; i < n_; ++i) {
      insert(all, i);
      if (!was_taken(i)) insert(fresh, i);
    }
    if (best >= 0 && size_of(all[0]) == size_of(best)) return false;
    if (was_taken(all[0]) && was_taken(all[1])) return false;
    for (int j = 0; j < columns; ++j) taken_[taken_count_++] = units_[j] = fresh[j];
    set_units(fresh[0], fresh[1]);
    return true;
  }

  index_t n_;
  matrix<T> X_, S_, before_;
  std::uint64_t state_ = 1;
  index_t units_[columns] = {}, taken_[columns * most_turns] = {};
  int taken_count_ = 0;
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
