// ../gaussian_process.cpp in Eigen.

#include <Eigen/Dense>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

constexpr Index n = 800, points = 400;
constexpr double noise = 0.1;

double truth(double x) {
  return std::sin(3 * x) + 0.5 * std::cos(7 * x);
}

/// exp(−(x − y)² / 2s²) for all pairs.
MatrixXd kernel(const VectorXd& x, const VectorXd& y, double scale) {
  MatrixXd K(x.size(), y.size());
  for (Index j = 0; j < K.cols(); ++j)
    for (Index i = 0; i < K.rows(); ++i)
      K(i, j) = std::exp(-std::pow((x[i] - y[j]) / scale, 2) / 2);
  return K;
}

/// The factor of K(x, x) + σ²·I.
Eigen::LLT<MatrixXd> factored(const VectorXd& x, double scale) {
  MatrixXd K = kernel(x, x, scale);
  K.diagonal().array() += noise * noise;
  return Eigen::LLT<MatrixXd>(K);
}

}  // namespace

int main() {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(0, 2 * std::numbers::pi);
  std::normal_distribution<double> error(0, noise);
  VectorXd x(n), y(n), at(points);
  for (Index i = 0; i < n; ++i) y[i] = truth(x[i] = place(random)) + error(random);
  for (Index i = 0; i < points; ++i) at[i] = place(random);
  const auto begin = std::chrono::steady_clock::now();

  // log p(y) = −yᵀ·K⁻¹·y/2 − log(det K)/2 − n·log(2π)/2
  double best = 0, largest = -INFINITY;
  for (double scale = 0.05; scale < 2; scale *= 1.5) {
    const auto f = factored(x, scale);
    const VectorXd alpha = f.solve(y);
    const double log_det = 2 * f.matrixLLT().diagonal().array().log().sum();
    const double likelihood =
        -y.dot(alpha) / 2 - log_det / 2 - n * std::log(2 * std::numbers::pi) / 2;
    if (likelihood > largest) largest = likelihood, best = scale;
  }

  // mean = K*ᵀ·K⁻¹·y, variance = 1 − ‖L⁻¹·k*‖²: one triangular solve for all points.
  const auto f = factored(x, best);
  MatrixXd V = kernel(x, at, best);
  const VectorXd mean = V.transpose() * f.solve(y);
  f.matrixL().solveInPlace(V);
  const VectorXd variance = 1 - V.colwise().squaredNorm().transpose().array();
  Index inside = 0;  // three standard deviations
  for (Index j = 0; j < points; ++j)
    inside += std::abs(mean[j] - truth(at[j])) <= 3 * std::sqrt(variance[j]);

  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  std::printf("scale %.3f, log likelihood %.1f, %d of %d points within 3 sigma, %.3f s\n", best,
              largest, static_cast<int>(inside), static_cast<int>(points), time.count());
  return inside > points * 95 / 100 ? 0 : 1;
}
