#pragma once
// Scalar types accepted by trifac, and the operations that differ between real and complex types.

#include <cmath>
#include <complex>
#include <concepts>
#include <limits>
#include <type_traits>

#include "trifac/engine/base/config.hpp"
#include "trifac/engine/base/square_root.hpp"

namespace trifac {

/// The real type of T: R for std::complex<R>, else T itself.
template <class T>
struct real_type {
  using type = T;
};
template <class R>
struct real_type<std::complex<R>> {
  using type = R;
};
template <class T>
using real_t = typename real_type<std::remove_cv_t<T>>::type;

template <class T>
inline constexpr bool is_complex = !std::is_same_v<std::remove_cv_t<T>, real_t<T>>;

/// The four types of LAPACK (s, d, c, z), supported by every backend.
template <class T>
concept LapackScalar = std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

/// Integers and bool, and types that are integers in std::numeric_limits: 1 ÷ 3 is 0.
template <class T>
inline constexpr bool is_integer = std::integral<T> || std::numeric_limits<T>::is_integer;

/// Built-in numbers unknown to the standard library (often _Float16 and __float128), and all of 16
/// bits, in which a sum of some hundred products has hardly a correct digit.
template <class R>
inline constexpr bool is_extended_number =
    !std::is_class_v<R> && !(std::is_floating_point_v<R> &&
                             std::numeric_limits<R>::is_specialized && sizeof(R) >= sizeof(float));

/// Any type with + − × ÷, unary − and comparisons and, found by argument-dependent lookup or in
/// std, sqrt and abs of its real type; constructible from int, and from double if a call has
/// options or tolerances, but not necessarily from index_t. Calls with further requirements
/// document them. Excludes integers, which have no quotients, numbers of 16 bits, __float128
/// where the standard library does not know it, and complex numbers of these. Types other than
/// LapackScalar (long double, multiprecision) run on the CPU in the plain loops of blas/.
template <class T>
concept Scalar = std::copyable<T> && !std::is_const_v<T> && !is_integer<real_t<T>> &&
                 !is_extended_number<real_t<T>> && requires(T a, T b) {
  { a + b } -> std::convertible_to<T>;
  { a - b } -> std::convertible_to<T>;
  { a* b } -> std::convertible_to<T>;
  { a / b } -> std::convertible_to<T>;
  requires std::constructible_from<T, int>;
};

/// LAPACK's letter for its four types, '-' for all others.
template <class T>
inline constexpr char lapack_letter = std::is_same_v<T, float>                  ? 's'
                                      : std::is_same_v<T, double>               ? 'd'
                                      : std::is_same_v<T, std::complex<float>>  ? 'c'
                                      : std::is_same_v<T, std::complex<double>> ? 'z'
                                                                                : '-';

inline namespace TRIFAC_ABI {
namespace detail {

namespace lookup {
using std::abs;
using std::log;
using std::sqrt;
template <class R>
concept HasSquareRoot = requires(const R& x) {
  sqrt(x);
};
template <class R>
concept HasAbs = requires(const R& x) {
  abs(x);
};
template <class R>
concept HasLogarithm = requires(const R& x) {
  log(x);
};
}  // namespace lookup

/// User-defined classes may lack it.
template <class R>
inline constexpr bool has_limits = std::numeric_limits<R>::is_specialized;

template <class T>
constexpr T conjugate(const T& x) {
  if constexpr (is_complex<T>)
    return T(x.real(), -x.imag());
  else
    return x;
}

template <class T>
constexpr real_t<T> real_part(const T& x) {
  if constexpr (is_complex<T>)
    return x.real();
  else
    return x;
}

/// a · b. For std::complex the four products of the definition: the standard operator also recovers
/// infinities after overflow, at ten times the cost, and a factorization is then not_finite anyway.
template <class T>
constexpr T multiply(const T& a, const T& b) {
  if constexpr (is_complex<T>)
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  else
    return a * b;
}

/// c − a · b.
template <class T>
constexpr T subtract_product(const T& c, const T& a, const T& b) {
  return c - multiply(a, b);
}

/// |x|².
template <class T>
constexpr real_t<T> squared_abs(const T& x) {
  if constexpr (is_complex<T>)
    return x.real() * x.real() + x.imag() * x.imag();
  else
    return x * x;
}

template <class R>
constexpr R square_root(const R& x) {
  if constexpr (std::is_same_v<R, float> || std::is_same_v<R, double>)
    if (std::is_constant_evaluated()) return constant_square_root(x);
  constexpr bool is_found = lookup::HasSquareRoot<R>;
  static_assert(is_found,
                "Cholesky factorizations and their updates need a function sqrt of the real scalar "
                "type, in its namespace");
  if constexpr (is_found) {
    using std::sqrt;
    return sqrt(x);
  } else {
    return x;
  }
}

template <class T>
constexpr real_t<T> absolute(const T& x) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::is_constant_evaluated()) return x < T(0) ? -x : x;
  constexpr bool is_found = lookup::HasAbs<T>;
  static_assert(is_found,
                "pivots and norms need a function abs of the scalar type, in its namespace");
  if constexpr (is_found) {
    using std::abs;
    return abs(x);
  } else {
    return x;
  }
}

/// Pivot size of x: |x|, for complex |Re x| + |Im x| as in LAPACK (cabs1), without a square root.
template <class T>
constexpr real_t<T> pivot_size(const T& x) {
  if constexpr (is_complex<T>)
    return absolute(x.real()) + absolute(x.imag());
  else
    return absolute(x);
}

/// False for NaN and ±Inf: by a comparison, since compilers that may reassociate replace x − x by
/// 0. For other than built-in types, whose limits may be unknown, by the difference.
template <class R>
constexpr bool is_finite(const R& x) {
  if constexpr (is_complex<R>) {
    return is_finite(x.real()) && is_finite(x.imag());
  } else if constexpr (std::is_floating_point_v<R>) {
    return absolute(x) <= std::numeric_limits<R>::max();
  } else {
    const R zero = x - x;
    return zero == zero;
  }
}

/// True if multiplication by the inverse of a pivot may replace division: the inverse does not
/// overflow and is not subnormal, since processors may flush subnormals to 0 (docs/numerics.md).
template <class T>
constexpr bool is_good_inverse(const T& inverse) {
  using limits = std::numeric_limits<real_t<T>>;
  const real_t<T> size = pivot_size(inverse);
  return size >= limits::min() && size <= limits::max();
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
