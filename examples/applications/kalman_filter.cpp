// A Kalman filter: position and velocity in space from noisy positions. The covariance is factored
// after each prediction; a measurement is a downdate of rank 3, which throws where definiteness is
// lost.

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <trifac/trifac.hpp>

using trifac::index_t, trifac::matrix;

namespace {

constexpr index_t states = 6, measured = 3, steps = 100000;
constexpr double dt = 0.1, jerk = 0.5, noise = 2;

}  // namespace

int main() {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::array<double, states> truth = {}, x = {};
  std::array<double, measured> innovation;
  matrix<double, states, states> P;  // its factor, between steps; sizes known at compile time
  for (index_t i = 0; i < states; ++i) P(i, i) = 10;
  double squares = 0;
  const auto begin = std::chrono::steady_clock::now();

  for (index_t step = 0; step < steps; ++step) {
    for (index_t i = 0; i < measured; ++i) {
      truth[i] += dt * truth[i + 3];
      truth[i + 3] += dt * (jerk * normal(random) - truth[i + 3] / 10);
    }
    // x = F·x, P = (F·L)·(F·L)ᵀ + Q
    matrix<double, states, states> L;
    for (index_t j = 0; j < states; ++j)
      for (index_t i = j; i < states; ++i) L(i, j) = P(i, j);
    for (index_t i = 0; i < measured; ++i) {
      x[i] += dt * x[i + 3];
      x[i + 3] -= dt * x[i + 3] / 10;
      for (index_t j = 0; j < states; ++j) {
        L(i, j) += dt * L(i + 3, j);
        L(i + 3, j) -= dt * L(i + 3, j) / 10;
      }
    }
    for (index_t j = 0; j < states; ++j)
      for (index_t i = j; i < states; ++i) {
        double sum = i == j && j >= measured ? dt * dt * jerk * jerk : 0;
        for (index_t k = 0; k < states; ++k) sum += L(i, k) * L(j, k);
        P(i, j) = sum;
      }
    // S = H·P·Hᵀ + R, K = P·Hᵀ·S⁻¹
    matrix<double, measured, measured> S;
    matrix<double, states, measured> PH;
    for (index_t j = 0; j < measured; ++j)
      for (index_t i = 0; i < states; ++i) PH(i, j) = i >= j ? P(i, j) : P(j, i);
    for (index_t j = 0; j < measured; ++j) {
      for (index_t i = j; i < measured; ++i) S(i, j) = PH(i, j) + (i == j ? noise * noise : 0);
      innovation[j] = truth[j] + noise * normal(random) - x[j];
    }
    const auto s = trifac::cholesky(S);
    trifac::solve(s.L(), PH.view().transposed());  // W = P·Hᵀ·L⁻ᵀ with S = L·Lᵀ
    trifac::solve(s.L(), innovation);
    for (index_t i = 0; i < states; ++i)
      for (index_t j = 0; j < measured; ++j) x[i] += PH(i, j) * innovation[j];
    auto f = trifac::cholesky(P);
    trifac::downdate(f, PH);  // P = P − W·Wᵀ
    for (index_t i = 0; i < measured; ++i) squares += std::pow(x[i] - truth[i], 2);
  }

  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  const double error = std::sqrt(squares / (steps * measured));
  std::printf("error of the estimate %.3f, of a measurement %g, %.3f s\n", error, noise,
              time.count());
  return error < noise / 2 ? 0 : 1;
}
