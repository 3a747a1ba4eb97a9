#pragma once
// A row of b − A·x and of |b| + |A|·|x| when elements or sums overflow or underflow.

#include <cmath>
#include <limits>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/views/powers_of_two.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// z = fraction·2^exponent, the larger part of the fraction in [½, 1), or zero.
template <class T>
struct split_number {
  T fraction = T(0);
  int exponent = 0;

  explicit split_number(const T& z) {
    if constexpr (is_complex<T>)
      std::frexp(max(absolute(z.real()), absolute(z.imag())), &exponent);
    else
      std::frexp(z, &exponent);
    fraction = times_power_of_two(z, -exponent);
  }
};

/// Elements i of r = b − A·x and w = |b| + |A|·|x|, both divided by 2^exponent, the exponent of the
/// largest term: they do not overflow, and w is 0 only if every term is. NaN if a number of A, b or
/// x is not finite.
template <class T>
struct scaled_row {
  T r = T(0);
  real_t<T> w = real_t<T>(0);
  int exponent = 0;

  /// a(j): element j of row i of A; b: element i.
  template <class Element>
  scaled_row(const Element& a, const T& b, const matrix_view<const T>& x) {
    bool finite = is_finite(b), has_term = false;
    const auto take = [&](int term) {
      exponent = has_term ? max(exponent, term) : term;
      has_term = true;
    };
    if (b != T(0)) take(split_number<T>(b).exponent);
    for (index_t j = 0; j < x.rows(); ++j) {
      const T left = a(j), right = x(j, 0);
      finite = finite && is_finite(left) && is_finite(right);
      if (left != T(0) && right != T(0))
        take(split_number<T>(left).exponent + split_number<T>(right).exponent);
    }
    if (!finite) {
      r = T(w = std::numeric_limits<real_t<T>>::quiet_NaN());
      return;
    }
    r = times_power_of_two(b, -exponent);
    w = pivot_size(r);
    for (index_t j = 0; j < x.rows(); ++j) {
      const split_number<T> left(a(j)), right(x(j, 0));
      const int power = left.exponent + right.exponent - exponent;
      r = r - times_power_of_two(multiply(left.fraction, right.fraction), power);
      w = w + std::ldexp(pivot_size(left.fraction) * pivot_size(right.fraction), power);
    }
  }
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
