// ../ridge_path.cpp in Eigen.

#include <Eigen/Dense>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

constexpr Index samples = 960, features = 400, fold = 16;

}  // namespace

int main() {
  // y = Xᵀ·β + noise; a sample is a column of X, and only some features matter.
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  MatrixXd X(features, samples);
  VectorXd beta = VectorXd::Zero(features), y(samples);
  for (Index i = 0; i < features; i += 10) beta[i] = normal(random);
  for (Index s = 0; s < samples; ++s) {
    for (Index i = 0; i < features; ++i) X(i, s) = normal(random);
    y[s] = X.col(s).dot(beta) + 5 * normal(random);
  }
  const VectorXd Xy = X * y;
  const MatrixXd G = X * X.transpose();
  const auto begin = std::chrono::steady_clock::now();

  double best = 0, smallest = INFINITY;
  for (double penalty = 1; penalty < 5000; penalty *= 4) {
    MatrixXd A = G;
    A.diagonal().array() += penalty;
    const Eigen::LLT<MatrixXd> whole(A);
    double squares = 0;
    for (Index s = 0; s < samples; s += fold) {
      // (X·Xᵀ + λ·I − X₁·X₁ᵀ)·w = X·y − X₁·y₁
      const auto X1 = X.middleCols(s, fold);
      auto without = whole;
      for (Index k = 0; k < fold; ++k) without.rankUpdate(X1.col(k), -1);
      const VectorXd w = without.solve(Xy - X1 * y.segment(s, fold));
      squares += (y.segment(s, fold) - X1.transpose() * w).squaredNorm();
    }
    if (squares < smallest) smallest = squares, best = penalty;
  }

  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  const double error = std::sqrt(smallest / samples);
  std::printf("penalty %.0f, error of prediction %.2f, %.3f s\n", best, error, time.count());
  return error < 7 ? 0 : 1;  // the noise is 5
}
