// Gaussian process regression: a curve and its uncertainty at 400 points from 800 observations,
// with the length scale of largest likelihood.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <trifac/trifac.hpp>
#include <vector>

using trifac::index_t, trifac::matrix;

namespace {

constexpr index_t n = 800, points = 400;
constexpr double noise = 0.1;
double truth(double x) {
  return std::sin(3 * x) + 0.5 * std::cos(7 * x);
}

/// exp(−(x − y)² / 2s²) for all pairs.
matrix<double> kernel(const std::vector<double>& x, const std::vector<double>& y, double scale) {
  matrix<double> K(std::ssize(x), std::ssize(y));
  for (index_t j = 0; j < K.cols(); ++j)
    for (index_t i = 0; i < K.rows(); ++i)
      K(i, j) = std::exp(-std::pow((x[i] - y[j]) / scale, 2) / 2);
  return K;
}

/// The factor of K(x, x) + σ²·I.
trifac::cholesky_factor<double> factored(const std::vector<double>& x, double scale) {
  matrix<double> K = kernel(x, x, scale);
  for (index_t i = 0; i < n; ++i) K(i, i) += noise * noise;
  return trifac::cholesky(std::move(K)).or_throw();
}

}  // namespace

int main() {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(0, 2 * std::numbers::pi);
  std::normal_distribution<double> error(0, noise);
  std::vector<double> x(n), y(n), at(points);
  for (index_t i = 0; i < n; ++i) y[i] = truth(x[i] = place(random)) + error(random);
  for (index_t i = 0; i < points; ++i) at[i] = place(random);
  const auto begin = std::chrono::steady_clock::now();

  // log p(y) = −yᵀ·K⁻¹·y/2 − log(det K)/2 − n·log(2π)/2
  double best = 0, largest = -INFINITY;
  for (double scale = 0.05; scale < 2; scale *= 1.5) {
    const auto f = factored(x, scale);
    const auto alpha = trifac::solved(f, y);
    double fit = 0;
    for (index_t i = 0; i < n; ++i) fit += y[i] * alpha[i];
    const double likelihood =
        -fit / 2 - trifac::log_determinant(f).log_abs / 2 - n * std::log(2 * std::numbers::pi) / 2;
    if (likelihood > largest) largest = likelihood, best = scale;
  }

  // mean = K*ᵀ·K⁻¹·y, variance = 1 − ‖L⁻¹·k*‖²: one triangular solve for all points.
  const auto f = factored(x, best);
  const auto alpha = trifac::solved(f, y);
  matrix<double> V = kernel(x, at, best);
  std::vector<double> mean(points);
  for (index_t j = 0; j < points; ++j)
    for (index_t i = 0; i < n; ++i) mean[j] += V(i, j) * alpha[i];
  trifac::solve(f.L(), V);
  index_t inside = 0;  // three standard deviations
  for (index_t j = 0; j < points; ++j) {
    double variance = 1;
    for (index_t i = 0; i < n; ++i) variance -= V(i, j) * V(i, j);
    inside += std::abs(mean[j] - truth(at[j])) <= 3 * std::sqrt(variance);
  }

  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  std::printf("scale %.3f, log likelihood %.1f, %d of %d points within 3 sigma, %.3f s\n", best,
              largest, static_cast<int>(inside), static_cast<int>(points), time.count());
  return inside > points * 95 / 100 ? 0 : 1;
}
