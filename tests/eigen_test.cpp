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

TEST(Eigen, VectorBlocksAreRightHandSides) {
  const MatrixXd A = random_spd();
  VectorXd big = VectorXd::Random(3 * n);
  const VectorXd before = big;
  MatrixXd F = A;
  const auto f = cholesky(F).or_throw();
  solve(f, big.head(n));
  solve(f, big.segment(n, n));
  solve(f, big.tail<n>());
  for (int part : {0, n, 2 * n})
    EXPECT_TRUE(residual(A, big.segment(part, n), before.segment(part, n)) < 30);
  MatrixXd columns = MatrixXd::Random(n, 3);
  const MatrixXd right = columns;
  solve(f, columns.col(1));
  EXPECT_TRUE(residual(A, columns.col(1), right.col(1)) < 30);
  EXPECT_EQ(columns.col(0), right.col(0));
  EXPECT_EQ(columns.col(2), right.col(2));
  RowMajor rows = right;
  solve(f, rows.col(2));
  EXPECT_TRUE(residual(A, rows.col(2), right.col(2)) < 30);
}

/// As Eigen's pages write functions: A is read, the rest written.
template <class DA, class DF, class Db>
void solve_generic(const Eigen::MatrixBase<DA>& A, Eigen::MatrixBase<DF>& F,
                   Eigen::DenseBase<Db>& x) {
  solve(cholesky(A, F).or_throw(), x);
}

TEST(Eigen, ParametersOfTypeMatrixBaseAndDenseBase) {
  const MatrixXd A = random_spd();
  const VectorXd b = VectorXd::Random(n);
  MatrixXd F = MatrixXd::Zero(n, n);
  VectorXd x = b;
  solve_generic(A, F, x);
  EXPECT_TRUE(residual(A, x, b) < 30);
  const auto const_view = [](const Eigen::DenseBase<MatrixXd>& M) { return view_of(M); };
  static_assert(std::is_same_v<decltype(const_view(A)), matrix_view<const double>>);
  EXPECT_EQ(const_view(A).data(), A.data());
  RowMajor R = A;
  auto block = R.block(1, 2, 3, 4);
  Eigen::MatrixBase<decltype(block)>& as_base = block;
  EXPECT_EQ(&view_of(as_base)(2, 3), &R(3, 5));
}

TEST(Eigen, AFactorOwnsACopyOfATemporaryMatrix) {
  static_assert(owns_elements<MatrixXd>() && owns_elements<Eigen::ArrayXXd>());
  static_assert(!owns_elements<Eigen::Map<MatrixXd>>() && !owns_elements<Eigen::Ref<MatrixXd>>());
  static_assert(!owns_elements<Eigen::Block<MatrixXd>>());
  const MatrixXd A = random_spd();
  const VectorXd b = VectorXd::Random(n);
  struct member {
    cholesky_factor<double> f;
    lu_factor<double> g;
  } made;
  const auto make = [&A](member& m) {
    MatrixXd M = A;
    m.f = cholesky(std::move(M));
    EXPECT_EQ(M, A) << "copied, not overwritten";  // NOLINT(bugprone-use-after-move)
    m.g = lu(MatrixXd(A));
  };
  make(made);
  const member copy = made;
  made = member();
  const auto of_rows = lu(RowMajor(A));
  const auto to_temporary = cholesky(A, MatrixXd(n, n));
  pivots p;
  const auto with_pivots = lu(MatrixXd(A), p);
  const auto& thrown = lu(MatrixXd(A)).or_throw();
  const auto expect_solves = [&](const auto& f) {
    VectorXd x = b;
    solve(f, x);
    EXPECT_TRUE(residual(A, x, b) < 30);
  };
  expect_solves(copy.f);
  expect_solves(copy.g);
  expect_solves(of_rows);
  expect_solves(to_temporary);
  expect_solves(with_pivots);
  expect_solves(thrown);
}

TEST(Eigen, AFactorRefersToMapsRefsAndBlocks) {
  const MatrixXd A = random_spd();
  MatrixXd F = A;
  EXPECT_EQ(cholesky(Eigen::Map<MatrixXd>(F.data(), n, n)).or_throw().rows(), n);
  EXPECT_NE(F, A) << "in place";
  F = A;
  const auto f = lu(Eigen::Ref<MatrixXd>(F));
  const auto g = lu(F.block(0, 0, 3, 3));
  EXPECT_EQ(f.matrix().data(), F.data());
  EXPECT_EQ(g.matrix().data(), F.data());
}

TEST(Eigen, AConstMatrixHasAConstView) {
  const MatrixXd A = MatrixXd::Zero(2, 3);
  static_assert(std::is_same_v<decltype(view_of(A)), matrix_view<const double>>);
  EXPECT_EQ(view_of(A).rows(), 2);
  EXPECT_EQ(view_of(A).cols(), 3);
}

}  // namespace
}  // namespace trifac
