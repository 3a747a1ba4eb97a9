// ../kalman_filter.cpp in Eigen.

#include <Eigen/Dense>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>

using Eigen::Index, Eigen::Matrix;

namespace {

constexpr int states = 6, measured = 3, steps = 100000;
constexpr double dt = 0.1, jerk = 0.5, noise = 2;
using vector = Matrix<double, states, 1>;
using square = Matrix<double, states, states>;
using small = Matrix<double, measured, measured>;

}  // namespace

int main() {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  vector truth = vector::Zero(), x = truth;
  Matrix<double, measured, 1> innovation;
  square F = square::Identity(), Q = square::Zero();
  for (Index i = 0; i < measured; ++i) {
    F(i, i + 3) = dt;
    F(i + 3, i + 3) -= dt / 10;
    Q(i + 3, i + 3) = dt * dt * jerk * jerk;
  }
  Eigen::LLT<square> P(100 * square::Identity());
  double squares = 0;
  const auto begin = std::chrono::steady_clock::now();

  for (Index step = 0; step < steps; ++step) {
    for (Index i = 0; i < measured; ++i) {
      truth[i] += dt * truth[i + 3];
      truth[i + 3] += dt * (jerk * normal(random) - truth[i + 3] / 10);
    }
    // x = F·x, P = (F·L)·(F·L)ᵀ + Q
    x = F * x;
    const square L = F * square(P.matrixL());
    const square next = L * L.transpose() + Q;
    // S = H·P·Hᵀ + R, K = P·Hᵀ·S⁻¹
    Matrix<double, states, measured> PH = next.leftCols<measured>();
    small S = PH.topRows<measured>();
    S.diagonal().array() += noise * noise;
    for (Index j = 0; j < measured; ++j) innovation[j] = truth[j] + noise * normal(random) - x[j];
    const Eigen::LLT<small> s(S);
    s.matrixU().solveInPlace<Eigen::OnTheRight>(PH);  // W = P·Hᵀ·L⁻ᵀ with S = L·Lᵀ
    s.matrixL().solveInPlace(innovation);
    x += PH * innovation;
    P.compute(next);
    for (Index j = 0; j < measured; ++j) P.rankUpdate(PH.col(j), -1);  // P = P − W·Wᵀ
    squares += (x - truth).head<measured>().squaredNorm();
  }

  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  const double error = std::sqrt(squares / (steps * measured));
  std::printf("error of the estimate %.3f, of a measurement %g, %.3f s\n", error, noise,
              time.count());
  return error < noise / 2 ? 0 : 1;
}
