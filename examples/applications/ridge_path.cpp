// Ridge regression with the penalty chosen by cross-validation: for each penalty one factor of
// X·Xᵀ + λ·I, from which every fold takes its own rows by a downdate of rank 16.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <trifac/trifac.hpp>
#include <vector>

using trifac::index_t, trifac::matrix;

namespace {

constexpr index_t samples = 960, features = 400, fold = 16;

/// A·Aᵀ, its lower triangle.
matrix<double> gram(const matrix<double>& A) {
  matrix<double> G(A.rows(), A.rows());
  for (index_t k = 0; k < A.cols(); ++k)
    for (index_t j = 0; j < A.rows(); ++j)
      for (index_t i = j; i < A.rows(); ++i) G(i, j) += A(i, k) * A(j, k);
  return G;
}

}  // namespace

int main() {
  // y = Xᵀ·β + noise; a sample is a column of X, and only some features matter.
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  matrix<double> X(features, samples);
  std::vector<double> beta(features), y(samples), Xy(features);
  for (index_t i = 0; i < features; i += 10) beta[i] = normal(random);
  for (index_t s = 0; s < samples; ++s) {
    for (index_t i = 0; i < features; ++i) y[s] += (X(i, s) = normal(random)) * beta[i];
    y[s] += 5 * normal(random);
    for (index_t i = 0; i < features; ++i) Xy[i] += X(i, s) * y[s];
  }
  const matrix<double> G = gram(X);
  const auto begin = std::chrono::steady_clock::now();

  double best = 0, smallest = INFINITY;
  for (double penalty = 1; penalty < 5000; penalty *= 4) {
    matrix<double> A = G;
    for (index_t i = 0; i < features; ++i) A(i, i) += penalty;
    const auto whole = trifac::cholesky(std::move(A)).or_throw();
    double squares = 0;
    for (index_t s = 0; s < samples; s += fold) {
      // (X·Xᵀ + λ·I − X₁·X₁ᵀ)·w = X·y − X₁·y₁
      const auto X1 = X.view().block(0, s, features, fold);
      auto without = whole;
      trifac::downdate(without, X1);
      std::vector<double> w = Xy;
      for (index_t k = 0; k < fold; ++k)
        for (index_t i = 0; i < features; ++i) w[i] -= X1(i, k) * y[s + k];
      trifac::solve(without, w);
      for (index_t k = 0; k < fold; ++k) {
        double error = y[s + k];
        for (index_t i = 0; i < features; ++i) error -= X1(i, k) * w[i];
        squares += error * error;
      }
    }
    if (squares < smallest) smallest = squares, best = penalty;
  }

  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  const double error = std::sqrt(smallest / samples);
  std::printf("penalty %.0f, error of prediction %.2f, %.3f s\n", best, error, time.count());
  return error < 7 ? 0 : 1;  // the noise is 5
}
