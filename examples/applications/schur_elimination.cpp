// The linear step of bundle adjustment: 4000 landmarks are eliminated, each from the equations of
// the four cameras that see it; what is left are the equations of 30 cameras.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <trifac/batch.hpp>
#include <trifac/trifac.hpp>

using trifac::batch, trifac::index_t, trifac::matrix;

namespace {

constexpr index_t cameras = 30, unknowns = 6, landmarks = 4000, seen = 4, point = 3;
constexpr index_t n = point + seen * unknowns;  // of one landmark's equations

}  // namespace

int main() {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  batch<double> H(landmarks, n, n, trifac::batch_layout::canonical()), x(landmarks, n, 1);
  for (index_t l = 0; l < landmarks; ++l)
    for (index_t c = 0; c < seen; ++c)
      for (int row = 0; row < 2; ++row) {  // an observation: two rows of the Jacobian
        double J[n] = {};
        for (index_t i = 0; i < point; ++i) J[i] = normal(random);
        for (index_t i = 0; i < unknowns; ++i) J[point + c * unknowns + i] = normal(random);
        const double error = normal(random);
        for (index_t j = 0; j < n; ++j) {
          x(l, j, 0) += J[j] * error;
          for (index_t i = j; i < n; ++i) H(l, i, j) += J[i] * J[j];
        }
      }
  const batch<double> A = H, b = x;
  const auto first_camera = [](index_t l) { return l % (cameras - seen + 1) * unknowns; };
  const auto begin = std::chrono::steady_clock::now();

  // Each landmark is a front of a multifrontal method: factor 3 columns, add the rest to S.
  const auto fronts = trifac::partial_cholesky(H, point);
  fronts.or_throw();
  trifac::forward_solve(fronts, x);
  matrix<double> S(cameras * unknowns, cameras * unknowns), step(cameras * unknowns, 1);
  for (index_t l = 0; l < landmarks; ++l) {
    const auto rest = fronts.schur()[l], x_l = x[l];
    for (index_t j = 0, at = first_camera(l); j < n - point; ++j) {
      step(at + j, 0) += x_l(point + j, 0);
      for (index_t i = j; i < n - point; ++i) S(at + i, at + j) += rest(i, j);
    }
  }
  const auto f = trifac::cholesky(S);
  f.or_throw();
  trifac::solve(f, step);
  for (index_t l = 0; l < landmarks; ++l) {
    const auto x_l = x[l];
    for (index_t i = 0; i < n - point; ++i) x_l(point + i, 0) = step(first_camera(l) + i, 0);
  }
  trifac::backward_solve(fronts, x);

  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  double residual = 0;  // of the landmarks' rows
  for (index_t l = 0; l < landmarks; ++l)
    for (index_t i = 0; i < point; ++i) {
      double r = b(l, i, 0);
      for (index_t j = 0; j < n; ++j) r -= (i >= j ? A(l, i, j) : A(l, j, i)) * x(l, j, 0);
      residual = std::max(residual, std::abs(r));
    }
  std::printf("largest residual %.1e, %.4f s\n", residual, time.count());
  return residual < 1e-10 ? 0 : 1;
}
