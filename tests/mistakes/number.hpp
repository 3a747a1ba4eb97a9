// A number of a user's with nothing but what Scalar names.
#pragma once
#include <cmath>
#include <compare>

struct number {
  double value = 0;
  number() = default;
  explicit number(double x) : value(x) {}
  friend number operator+(number a, number b) { return number(a.value + b.value); }
  friend number operator-(number a, number b) { return number(a.value - b.value); }
  friend number operator*(number a, number b) { return number(a.value * b.value); }
  friend number operator/(number a, number b) { return number(a.value / b.value); }
  friend number operator-(number a) { return number(-a.value); }
  friend bool operator==(number a, number b) { return a.value == b.value; }
  friend auto operator<=>(number a, number b) { return a.value <=> b.value; }
  friend number abs(number a) { return number(std::abs(a.value)); }
  friend number sqrt(number a) { return number(std::sqrt(a.value)); }
};
