// Eigen's objects where trifac takes a matrix: their storage orders, blocks, maps and vectors,
// checked by residuals.

#include "trifac/eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <complex>

#include "trifac/trifac.hpp"

namespace trifac {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int n = 37;

MatrixXd random_spd() {
  const MatrixXd R = MatrixXd::Random(n, n);
  return R * R.transpose() + n * MatrixXd::Identity(n, n);
}

double residual(const MatrixXd& A, const VectorXd& x, const VectorXd& b) {
  const double eps = std::numeric_limits<double>::epsilon();
  return (A * x - b).lpNorm<1>() / (A.lpNorm<1>() * x.lpNorm<1>() * eps);
}

TEST(Eigen, CholeskyOfAMatrixAndSolveOfAVector) {
  const MatrixXd A = random_spd();
  const VectorXd b = VectorXd::Random(n);
  MatrixXd F = A;
  VectorXd x = b;
  solve(cholesky(F).or_throw(), x);
  EXPECT_TRUE(residual(A, x, b) < 30);
}

TEST(Eigen, RowMajorUpperTriangleLeavesTheLowerOne) {
  const MatrixXd A = random_spd();
  const VectorXd b = VectorXd::Random(n);
  RowMajor F = A;
  VectorXd x = b;
  solve(cholesky(F, {.part = triangle::upper}).or_throw(), x);
  EXPECT_TRUE(residual(A, x, b) < 30);
  for (int j = 0; j < n; ++j)
    for (int i = j + 1; i < n; ++i) EXPECT_EQ(F(i, j), A(i, j));
}

TEST(Eigen, LuOfABlockOfARowMajorMatrixWithAMappedRightHandSide) {
  RowMajor big = RowMajor::Random(n + 5, n + 9);
  const RowMajor before = big;
  const MatrixXd A = big.block(2, 3, n, n);
  const VectorXd b = VectorXd::Random(n);
  std::vector<double> memory(b.data(), b.data() + n);
  Eigen::Map<VectorXd> x(memory.data(), n);
  solve(lu(big.block(2, 3, n, n)).or_throw(), x);
  EXPECT_TRUE(residual(A, x, b) < 30);
  EXPECT_EQ(big.topRows(2), before.topRows(2));
  EXPECT_EQ(big.leftCols(3), before.leftCols(3));
}

TEST(Eigen, ComplexRefAndConstSource) {
  using Complex = Eigen::MatrixXcd;
  const Complex R = Complex::Random(n, n);
  const Complex A = R * R.adjoint() + double(n) * Complex::Identity(n, n);
  Complex L = Complex::Constant(n, n, std::complex<double>(7, 7));
  Eigen::Ref<Complex> destination(L);
  ASSERT_TRUE(cholesky(backend::serial{}, A, destination));
  EXPECT_EQ(L(0, 1), std::complex<double>(7, 7));  // the other triangle
  const Complex lower = L.triangularView<Eigen::Lower>();
  const double ratio = (lower * lower.adjoint() - A).norm() /
                       (n * A.norm() * std::numeric_limits<double>::epsilon());
  EXPECT_TRUE(ratio < 30);
}

TEST(Eigen, AConstMatrixHasAConstView) {
  const MatrixXd A = MatrixXd::Zero(2, 3);
  static_assert(std::is_same_v<decltype(view_of(A)), matrix_view<const double>>);
  EXPECT_EQ(view_of(A).rows(), 2);
  EXPECT_EQ(view_of(A).cols(), 3);
}

}  // namespace
}  // namespace trifac
