#pragma once
// determinant() and log_determinant() from the factors of a matrix.

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/views/powers_of_two.hpp"
#include "trifac/solve.hpp"

namespace trifac {

/// det A = sign·exp(log_abs), with |sign| = 1, or sign = 0 and log_abs = −∞ if A is singular.
template <class T>
struct signed_logarithm {
  T sign;
  real_t<T> log_abs;
};

/// The type of a determinant: real for a Cholesky factor.
template <class F>
struct determinant_type {
  using type = typename F::value_type;
};
template <class T>
struct determinant_type<cholesky_factor<T>> {
  using type = real_t<T>;
};
template <class F>
using determinant_t = typename determinant_type<F>::type;

inline namespace TRIFAC_ABI {
namespace detail {

/// A rounded result and its rounding error.
template <class T>
struct unrounded {
  T high, low;
};
/// a + b exactly. Source: Knuth, The Art of Computer Programming 2, 4.2.2.
template <class R>
unrounded<R> exact_sum(R a, R b) {
  const R sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}
/// a·b exactly, unless it underflows.
template <class R>
unrounded<R> exact_product(R a, R b) {
  const R product = a * b;
  return {product, std::fma(a, b, -product)};
}
/// a·b with a relative error of order ε².
template <class R>
unrounded<std::complex<R>> exact_product(const std::complex<R>& a, const std::complex<R>& b) {
  const auto rr = exact_product(a.real(), b.real()), ii = exact_product(a.imag(), b.imag()),
             ri = exact_product(a.real(), b.imag()), ir = exact_product(a.imag(), b.real());
  const auto real = exact_sum(rr.high, -ii.high), imag = exact_sum(ri.high, ir.high);
  return {{real.high, imag.high}, {real.low + rr.low - ii.low, imag.low + ri.low + ir.low}};
}

/// log |x|, |x| in [√½, √2), with a relative error of order ε, even near x = 1.
template <class R>
R log_near_one(const unrounded<R>& x) {
  return std::log1p(x.high < R(0) ? (R(-1) - x.high) - x.low : (x.high - R(1)) + x.low);
}
template <class R>
R log_near_one(const unrounded<std::complex<R>>& x) {  // ½·log(1 + (|x|² − 1))
  const auto rr = exact_product(x.high.real(), x.high.real()),
             ii = exact_product(x.high.imag(), x.high.imag());
  const auto first = exact_sum(rr.high, R(-1)), both = exact_sum(first.high, ii.high);
  const R low = rr.low + ii.low + first.low + both.low +
                2 * (x.high.real() * x.low.real() + x.high.imag() * x.low.imag());
  return std::log1p(both.high + low) / 2;
}

/// A product (high + low)·2^exponent that does not overflow or underflow in between. `low`
/// accumulates the rounding errors of `high`, so the product of n factors has a relative error of
/// order n²·ε², and its logarithm is accurate even near 1. Source: Graillat, IEEE Trans. Comput.
/// 58(7), 2009.
template <class T>
class scaled_product {
  using R = real_t<T>;

 public:
  void times(T x) {
    exponent_ += take_exponent(x);
    take(exact_product(product_.high, x), multiply(product_.low, x));
  }
  void square() {
    exponent_ *= 2;
    take(exact_product(product_.high, product_.high),
         multiply(T(product_.high + product_.high), product_.low));
  }
  T value() const {
    constexpr std::int64_t most = 1 << 20;  // far beyond the exponents of any type
    return times_power_of_two(T(product_.high + product_.low),
                              static_cast<int>(max(-most, min(most, exponent_))));
  }
  signed_logarithm<T> logarithm() const {
    const T whole = product_.high + product_.low;
    const R size = std::abs(whole);
    if (size == R(0)) return {T(0), -std::numeric_limits<R>::infinity()};
    // Scaled to [√½, √2), where nothing cancels against the exponent.
    const int by = size < R(0.70710678118654752) ? 1 : 0;
    const unrounded<T> near_one = {times_power_of_two(product_.high, by),
                                   times_power_of_two(product_.low, by)};
    return {T(whole / size),
            log_near_one(near_one) + static_cast<R>(exponent_ - by) * std::log(R(2))};
  }

 private:
  /// The exponent that scales the larger part of x to [½, 1); 0, infinities and NaN are unchanged.
  static int take_exponent(T& x) {
    int exponent = 0;
    if constexpr (is_complex<T>)
      std::frexp(max(std::abs(x.real()), std::abs(x.imag())), &exponent);
    else
      std::frexp(x, &exponent);
    x = times_power_of_two(x, -exponent);
    return exponent;
  }
  void take(unrounded<T> product, const T& low) {
    const int exponent = take_exponent(product.high);
    product.low = times_power_of_two(T(product.low + low), -exponent);
    if (!is_finite(product.low)) product.low = T(0);  // then `high` is not finite, either
    product_ = product;
    exponent_ += exponent;
  }

  unrounded<T> product_ = {T(1), T(0)};
  std::int64_t exponent_ = 0;
};

template <class T>
real_t<T> pivot_of(const cholesky_factor<T>& f, index_t k) {
  return real_part(f.matrix()(k, k));
}
template <class T>
T pivot_of(const lu_factor<T>& f, index_t k) {
  return f.matrix()(k, k);
}
/// det P.
template <class T>
real_t<T> sign_of(const cholesky_factor<T>&) {
  return real_t<T>(1);
}
template <class T>
T sign_of(const lu_factor<T>& f) {
  return T(static_cast<real_t<T>>(f.interchanges().sign()));
}

/// det A for built-in real and complex types.
template <class F>
scaled_product<determinant_t<F>> scaled_determinant(const F& f) {
  scaled_product<determinant_t<F>> product;
  product.times(sign_of(f));
  for (index_t k = 0; k < f.rows(); ++k) product.times(pivot_of(f, k));
  if constexpr (HasTriangle<F>) product.square();
  return product;
}
/// det A for other types; may overflow.
template <class F>
determinant_t<F> plain_determinant(const F& f) {
  determinant_t<F> product = sign_of(f);
  for (index_t k = 0; k < f.rows(); ++k) product = multiply(product, pivot_of(f, k));
  if constexpr (HasTriangle<F>) product = product * product;
  return product;
}
/// The logarithm as a sum, which does not overflow.
template <class F>
signed_logarithm<determinant_t<F>> sum_of_logarithms(const F& f) {
  using T = determinant_t<F>;
  using R = real_t<T>;
  using std::log;
  signed_logarithm<T> sum = {sign_of(f), R(0)};
  for (index_t k = 0; k < f.rows(); ++k) {
    const T pivot = pivot_of(f, k);
    const R size = absolute(pivot);
    if (size == R(0)) return {T(0), R(R(0) - std::numeric_limits<R>::infinity())};
    sum.sign = multiply(sum.sign, T(pivot / T(size)));
    sum.log_abs = sum.log_abs + R(log(size));
  }
  if constexpr (HasTriangle<F>) sum.log_abs = sum.log_abs + sum.log_abs;
  return sum;
}

}  // namespace detail

/// value := det A; 0 for a singular matrix, 1 for an empty one; the error relative to the product
/// of the pivots is of order ε. not_finite if it overflows T; log_determinant does not. The
/// factor's status if the factorization stopped, invalid_argument if the factor is empty or not
/// square; `value` is then unchanged. n multiplications without intermediate overflow, unless T is
/// a class. Does not throw.
template <Factor F>
status try_determinant(const F& factor, determinant_t<F>& value) noexcept {
  if (const status s = detail::check_completed(factor); !s) return s;
  return detail::without_exceptions([&]() -> status {
    determinant_t<F> det(0);
    if constexpr (std::floating_point<real_t<typename F::value_type>>)
      det = detail::scaled_determinant(factor).value();
    else
      det = detail::plain_determinant(factor);
    if (!detail::is_finite(det)) return status::failure(status_kind::not_finite, "too large");
    value = det;
    return {};
  });
}

/// value := the sign (or phase) of det A and log |det A|, for a Cholesky factor 2·Σ log l_kk. The
/// error relative to the logarithm of the product of the computed pivots is of order ε, even if det
/// A is near 1; for a class T it is a sum of logarithms, with an error of order ε·Σ |log |u_kk||.
/// Errors as above, except overflow. Does not throw.
template <Factor F>
status try_log_determinant(const F& factor, signed_logarithm<determinant_t<F>>& value) noexcept {
  using R = real_t<typename F::value_type>;
  constexpr bool is_known = detail::lookup::HasLogarithm<R> && detail::has_limits<R>;
  static_assert(
      is_known,
      "log_determinant needs a function log of the real scalar type, in its namespace, and "
      "std::numeric_limits of it");
  if (const status s = detail::check_completed(factor); !s) return s;
  return detail::without_exceptions([&]() -> status {
    if constexpr (std::floating_point<R>)
      value = detail::scaled_determinant(factor).logarithm();
    else if constexpr (is_known)
      value = detail::sum_of_logarithms(factor);
    return {};
  });
}

#if TRIFAC_EXCEPTIONS
/// try_determinant that returns the value or throws the exception of its status.
template <Factor F>
[[nodiscard]] determinant_t<F> determinant(const F& factor) {
  determinant_t<F> value(0);
  detail::throw_unless_ok(try_determinant(factor, value));
  return value;
}
/// try_log_determinant that returns the value or throws the exception of its status.
template <Factor F>
[[nodiscard]] signed_logarithm<determinant_t<F>> log_determinant(const F& factor) {
  signed_logarithm<determinant_t<F>> value{};
  detail::throw_unless_ok(try_log_determinant(factor, value));
  return value;
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
