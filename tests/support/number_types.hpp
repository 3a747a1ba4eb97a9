#pragma once
// Scalar types of users: a number with its derivative, and one that counts its operations.

#include <atomic>
#include <cmath>
#include <compare>
#include <limits>
#include <ostream>

#include "residual.hpp"

namespace trifac::test {

/// A number and its derivative with respect to one parameter: automatic differentiation in forward
/// mode. It is made from double and from int, so from an index or a float it is ambiguous.
struct dual {
  double value = 0, slope = 0;

  dual() = default;
  dual(double x) : value(x) {}
  dual(int x) : value(x) {}
  dual(double x, double derivative) : value(x), slope(derivative) {}
  explicit operator double() const { return value; }

  friend dual operator+(const dual& a, const dual& b) {
    return {a.value + b.value, a.slope + b.slope};
  }
  friend dual operator-(const dual& a, const dual& b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  friend dual operator*(const dual& a, const dual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend dual operator/(const dual& a, const dual& b) {
    const double q = a.value / b.value;
    return {q, (a.slope - q * b.slope) / b.value};
  }
  friend dual operator-(const dual& a) { return {-a.value, -a.slope}; }
  friend bool operator==(const dual& a, const dual& b) { return a.value == b.value; }
  friend auto operator<=>(const dual& a, const dual& b) { return a.value <=> b.value; }
  friend dual abs(const dual& a) { return a.value < 0 ? -a : a; }
  friend dual sqrt(const dual& a) {
    const double root = std::sqrt(a.value);
    return {root, a.slope == 0 ? 0 : a.slope / (2 * root)};
  }
  friend dual log(const dual& a) { return {std::log(a.value), a.slope / a.value}; }
  friend std::ostream& operator<<(std::ostream& out, const dual& a) {
    return out << a.value << " + " << a.slope << " dt";
  }
};

/// A double that counts its operations. It has none but those that Scalar names, and converts to
/// and from nothing implicitly.
struct counted {
  double value = 0;
  static inline std::atomic<index_t> sums = 0, products = 0, quotients = 0, roots = 0;
  static void reset() { sums = products = quotients = roots = 0; }

  counted() = default;
  explicit counted(double x) : value(x) {}
  explicit counted(int x) : value(x) {}
  explicit operator double() const { return value; }

  friend counted operator+(const counted& a, const counted& b) {
    return ++sums, counted(a.value + b.value);
  }
  friend counted operator-(const counted& a, const counted& b) {
    return ++sums, counted(a.value - b.value);
  }
  friend counted operator*(const counted& a, const counted& b) {
    return ++products, counted(a.value * b.value);
  }
  friend counted operator/(const counted& a, const counted& b) {
    return ++quotients, counted(a.value / b.value);
  }
  friend counted operator-(const counted& a) { return counted(-a.value); }
  friend bool operator==(const counted& a, const counted& b) { return a.value == b.value; }
  friend auto operator<=>(const counted& a, const counted& b) { return a.value <=> b.value; }
  friend counted abs(const counted& a) { return counted(std::abs(a.value)); }
  friend counted sqrt(const counted& a) { return ++roots, counted(std::sqrt(a.value)); }
  friend counted log(const counted& a) { return counted(std::log(a.value)); }
};

// Residuals are sums of doubles.
template <>
struct wide_type<dual> {
  using type = double;
};
template <>
struct wide_type<counted> {
  using type = double;
};

/// std::numeric_limits of a class around a double.
template <class T>
struct limits_of_double : std::numeric_limits<double> {
  using base = std::numeric_limits<double>;
  static T min() { return T(base::min()); }
  static T max() { return T(base::max()); }
  static T lowest() { return T(base::lowest()); }
  static T epsilon() { return T(base::epsilon()); }
  static T infinity() { return T(base::infinity()); }
  static T quiet_NaN() { return T(base::quiet_NaN()); }
  static T denorm_min() { return T(base::denorm_min()); }
};

}  // namespace trifac::test

template <>
struct std::numeric_limits<trifac::test::dual>
    : trifac::test::limits_of_double<trifac::test::dual> {};
template <>
struct std::numeric_limits<trifac::test::counted>
    : trifac::test::limits_of_double<trifac::test::counted> {};
