// The potential inside an ellipse from its values on the boundary, for 500 fields at once, by a
// boundary integral equation: one dense LU, 500 right-hand sides (Kress, Linear Integral Equations,
// section 12.2).

#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <trifac/trifac.hpp>
#include <vector>

using trifac::index_t, trifac::matrix;
using point = std::complex<double>;

namespace {

constexpr index_t n = 1500, fields = 500;
constexpr double a = 2, b = 1, step = 2 * std::numbers::pi / n;

point on_curve(index_t i) {
  return {a * std::cos(i * step), b * std::sin(i * step)};
}
/// The outward normal times the speed of the curve.
point normal(index_t i) {
  return {b * std::cos(i * step), a * std::sin(i * step)};
}
double dot(point x, point y) {
  return x.real() * y.real() + x.imag() * y.imag();
}
/// The double-layer kernel: the normal derivative of log|x − y|/2π at node j, times its weight.
double double_layer(point x, index_t j) {
  const point difference = on_curve(j) - x;
  return dot(difference, normal(j)) / std::norm(difference) / n;
}
/// A source outside: its field is harmonic inside.
double field(point x, index_t k) {
  return std::log(std::abs(x - 3.0 * std::polar(1.0, 2 * std::numbers::pi * k / fields)));
}

}  // namespace

int main() {
  // (I/2 + D)·density = field on the boundary
  matrix<double> A(n, n), density(n, fields);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i)
      A(i, j) =
          i == j ? 0.5 + a * b / std::norm(normal(j)) / (2.0 * n) : double_layer(on_curve(i), j);
  for (index_t k = 0; k < fields; ++k)
    for (index_t i = 0; i < n; ++i) density(i, k) = field(on_curve(i), k);
  const auto begin = std::chrono::steady_clock::now();

  const double norm = trifac::norm(A);
  const auto f = trifac::lu(A).or_throw();
  trifac::solve(f, density);

  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  const double rcond = trifac::reciprocal_condition(f, norm);
  double worst = 0;
  for (point x : {point(0, 0), point(1.2, 0.3), point(-0.4, -0.6)})
    for (index_t k = 0; k < fields; ++k) {
      double error = -field(x, k);
      for (index_t j = 0; j < n; ++j) error += double_layer(x, j) * density(j, k);
      if (std::abs(error) > worst || std::isnan(error)) worst = std::abs(error);
    }
  std::printf("largest error inside %.1e, condition %.1f, %.3f s\n", worst, 1 / rcond,
              time.count());
  return worst < 1e-10 ? 0 : 1;
}
