// ../boundary_elements.cpp in Eigen.

#include <Eigen/Dense>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>

using Eigen::Index, Eigen::MatrixXd;
using point = std::complex<double>;

namespace {

constexpr Index n = 1500, fields = 500;
constexpr double a = 2, b = 1, step = 2 * std::numbers::pi / n;

point on_curve(Index i) {
  return {a * std::cos(i * step), b * std::sin(i * step)};
}
/// The outward normal times the speed of the curve.
point normal(Index i) {
  return {b * std::cos(i * step), a * std::sin(i * step)};
}
double dot(point x, point y) {
  return x.real() * y.real() + x.imag() * y.imag();
}
/// The double-layer kernel: the normal derivative of log|x − y|/2π at node j, times its weight.
double double_layer(point x, Index j) {
  const point difference = on_curve(j) - x;
  return dot(difference, normal(j)) / std::norm(difference) / n;
}
/// A source outside: its field is harmonic inside.
double field(point x, Index k) {
  return std::log(std::abs(x - 3.0 * std::polar(1.0, 2 * std::numbers::pi * k / fields)));
}

}  // namespace

int main() {
  // (I/2 + D)·density = field on the boundary
  MatrixXd A(n, n), density(n, fields);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      A(i, j) =
          i == j ? 0.5 + a * b / std::norm(normal(j)) / (2.0 * n) : double_layer(on_curve(i), j);
  for (Index k = 0; k < fields; ++k)
    for (Index i = 0; i < n; ++i) density(i, k) = field(on_curve(i), k);
  const auto begin = std::chrono::steady_clock::now();

  const Eigen::PartialPivLU<Eigen::Ref<MatrixXd>> f(A);
  density = f.solve(density).eval();

  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  double worst = 0;
  for (point x : {point(0, 0), point(1.2, 0.3), point(-0.4, -0.6)})
    for (Index k = 0; k < fields; ++k) {
      double error = -field(x, k);
      for (Index j = 0; j < n; ++j) error += double_layer(x, j) * density(j, k);
      if (std::abs(error) > worst || std::isnan(error)) worst = std::abs(error);
    }
  std::printf("largest error inside %.1e, condition %.1f, %.3f s\n", worst, 1 / f.rcond(),
              time.count());
  return worst < 1e-10 ? 0 : 1;
}
