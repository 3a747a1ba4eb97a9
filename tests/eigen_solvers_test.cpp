// trifac::LLT and trifac::PartialPivLU by Eigen's interface; Eigen's own classes stay Eigen's.

#include "trifac/eigen_solvers.hpp"

namespace trifac::test {
namespace {

struct solvers {
  template <class M, int UpLo>
  using llt = LLT<M, UpLo>;
  template <class M>
  using lu = PartialPivLU<M>;
};

}  // namespace
}  // namespace trifac::test

#include "support/eigen_suite.hpp"

namespace trifac::test {
namespace {

TEST(EigenSolvers, ChangeNothingInEigen) {
  Eigen::MatrixXd A = positive_definite<Eigen::MatrixXd>(5);
  A(2, 2) = not_a_number<double>();
  EXPECT_EQ(Eigen::LLT<Eigen::MatrixXd>(A).info(), Eigen::Success);  // Eigen compares x <= 0
  EXPECT_EQ(LLT<Eigen::MatrixXd>(A).info(), Eigen::NumericalIssue);
}

TEST(EigenSolvers, TakeASelfAdjointView) {
  using M = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic>;
  const M A = positive_definite<M>(20);
  const LLT<M> f(A.selfadjointView<Eigen::Lower>());
  EXPECT_TRUE(
      within(cholesky_ratio<float>(read_only(A), triangle::lower, read_only(f.matrixLLT()))));
}

}  // namespace
}  // namespace trifac::test
