// ../schur_elimination.cpp in Eigen.

#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

using Eigen::Index, Eigen::Matrix;

namespace {

constexpr Index cameras = 30, landmarks = 4000;
constexpr int unknowns = 6, seen = 4, point = 3, rest = seen * unknowns, n = point + rest;
using vector = Matrix<double, n, 1>;
using square = Matrix<double, n, n>;

}  // namespace

int main() {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<square> H(landmarks, square::Zero());
  std::vector<vector> x(landmarks, vector::Zero());
  for (std::size_t l = 0; l < landmarks; ++l)
    for (Index c = 0; c < seen; ++c)
      for (int row = 0; row < 2; ++row) {  // an observation: two rows of the Jacobian
        vector J = vector::Zero();
        for (Index i = 0; i < point; ++i) J[i] = normal(random);
        for (Index i = 0; i < unknowns; ++i) J[point + c * unknowns + i] = normal(random);
        x[l] += J * normal(random);
        H[l] += J * J.transpose();
      }
  const auto A = H;
  const auto b = x;
  const auto first_camera = [](std::size_t l) {
    return static_cast<Index>(l) % (cameras - seen + 1) * unknowns;
  };
  const auto begin = std::chrono::steady_clock::now();

  // Each landmark is a front of a multifrontal method: factor 3 columns, add the rest to S.
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(cameras * unknowns, cameras * unknowns);
  Eigen::VectorXd step = Eigen::VectorXd::Zero(cameras * unknowns);
  std::vector<Eigen::LLT<Matrix<double, point, point>>> L11(landmarks);
  for (std::size_t l = 0; l < landmarks; ++l) {
    L11[l].compute(H[l].topLeftCorner<point, point>());
    auto L21 = H[l].bottomLeftCorner<rest, point>();
    L11[l].matrixU().solveInPlace<Eigen::OnTheRight>(L21);
    auto x1 = x[l].head<point>();
    L11[l].matrixL().solveInPlace(x1);
    S.block<rest, rest>(first_camera(l), first_camera(l)).triangularView<Eigen::Lower>() +=
        H[l].bottomRightCorner<rest, rest>() - L21 * L21.transpose();
    step.segment<rest>(first_camera(l)) += x[l].tail<rest>() - L21 * x1;
  }
  Eigen::LLT<Eigen::MatrixXd>(S).solveInPlace(step);
  for (std::size_t l = 0; l < landmarks; ++l) {
    x[l].tail<rest>() = step.segment<rest>(first_camera(l));
    auto x1 = x[l].head<point>();
    x1 -= H[l].bottomLeftCorner<rest, point>().transpose() * x[l].tail<rest>();
    L11[l].matrixU().solveInPlace(x1);
  }

  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  double residual = 0;  // of the landmarks' rows
  for (std::size_t l = 0; l < landmarks; ++l) {
    const vector r = b[l] - A[l] * x[l];
    residual = std::max(residual, r.head<point>().cwiseAbs().maxCoeff());
  }
  std::printf("largest residual %.1e, %.4f s\n", residual, time.count());
  return residual < 1e-10 ? 0 : 1;
}
