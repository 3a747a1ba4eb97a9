#pragma once
// determinant() and log_determinant() from the factors of a matrix.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "trifac/detail/min_max.hpp"
#include "trifac/solve.hpp"

namespace trifac {

/// det A = sign·exp(log_abs), with |sign| = 1, or sign = 0 and log_abs = −∞ where A is singular.
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

/// A product mantissa·2^exponent that neither overflows nor underflows on the way. Of scalar types
/// that are not built in the exponent stays 0.
template <class T>
struct scaled_product {
  using R = real_t<T>;
  T mantissa = T(1);
  std::int64_t exponent = 0;

  void times(T x) {
    normalize(x);
    mantissa = multiply(mantissa, x);
    normalize(mantissa);
  }
  T value() const {
    if constexpr (std::is_floating_point_v<R>) {
      constexpr std::int64_t most = 1 << 20;  // far beyond the exponents of any type
      const int by = static_cast<int>(max(-most, min(most, exponent)));
      if constexpr (is_complex<T>)
        return T(std::ldexp(mantissa.real(), by), std::ldexp(mantissa.imag(), by));
      else
        return std::ldexp(mantissa, by);
    } else {
      return mantissa;
    }
  }

 private:
  void normalize(T& x) {
    if constexpr (std::is_floating_point_v<R>) {
      int by = 0;
      if constexpr (is_complex<T>) {
        std::frexp(max(std::abs(x.real()), std::abs(x.imag())), &by);
        x = T(std::ldexp(x.real(), -by), std::ldexp(x.imag(), -by));
      } else {
        x = std::frexp(x, &by);
      }
      exponent += by;
    } else {
      static_cast<void>(x);
    }
  }
};

template <class T>
scaled_product<real_t<T>> product_of_diagonal(const cholesky_factor<T>& f) {
  scaled_product<real_t<T>> product;
  for (index_t k = 0; k < f.rows(); ++k) product.times(real_part(f.matrix()(k, k)));
  product.exponent *= 2;
  product.mantissa = product.mantissa * product.mantissa;
  return product;
}
template <class T>
scaled_product<T> product_of_diagonal(const lu_factor<T>& f) {
  scaled_product<T> product;
  product.mantissa = T(static_cast<real_t<T>>(f.interchanges().sign()));
  for (index_t k = 0; k < f.rows(); ++k) product.times(f.matrix()(k, k));
  return product;
}

}  // namespace detail

/// value := det A, 0 of a singular matrix and 1 of one without rows. not_finite where it is too
/// large for a T: log_determinant is not. The factor's own status where the factorization stopped,
/// invalid_argument where the factor is empty or not square; `value` is unchanged then. n
/// multiplications, none of which overflows on the way. No exception leaves it.
template <Factor F>
status try_determinant(const F& factor, determinant_t<F>& value) noexcept {
  if (const status s = detail::check_completed(factor); !s) return s;
  return detail::without_exceptions([&]() -> status {
    const auto det = detail::product_of_diagonal(factor).value();
    if (!detail::is_finite(det)) return status::failure(status_kind::not_finite, "too large");
    value = det;
    return {};
  });
}

/// value := the sign (or phase) of det A and log |det A|, of a Cholesky factor 2·Σ log l_kk. Errors
/// as above, but nothing is too large. No exception leaves it.
template <Factor F>
status try_log_determinant(const F& factor, signed_logarithm<determinant_t<F>>& value) noexcept {
  using T = determinant_t<F>;
  using R = real_t<T>;
  if (const status s = detail::check_completed(factor); !s) return s;
  return detail::without_exceptions([&]() -> status {
    using std::log;
    const auto product = detail::product_of_diagonal(factor);
    const R size = detail::absolute(product.mantissa);
    if (size == R(0)) {
      value = {T(0), -std::numeric_limits<R>::infinity()};
      return {};
    }
    value = {product.mantissa / T(size),
             R(log(size)) + static_cast<R>(product.exponent) * R(log(R(2)))};
    return {};
  });
}

#if TRIFAC_EXCEPTIONS
/// try_determinant that returns the value and throws what belongs to its status.
template <Factor F>
[[nodiscard]] determinant_t<F> determinant(const F& factor) {
  determinant_t<F> value(0);
  if (const status s = try_determinant(factor, value); !s) detail::throw_status(s);
  return value;
}
/// try_log_determinant that returns the value and throws what belongs to its status.
template <Factor F>
[[nodiscard]] signed_logarithm<determinant_t<F>> log_determinant(const F& factor) {
  signed_logarithm<determinant_t<F>> value{};
  if (const status s = try_log_determinant(factor, value); !s) detail::throw_status(s);
  return value;
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
