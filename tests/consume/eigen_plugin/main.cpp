// Nothing in the two files names trifac. Eigen's own LLT takes a NaN on the diagonal for a success.
#include <Eigen/Dense>
#include <cstdio>
#include <limits>

bool other_takes_nan_for_success();

int main() {
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(3, 3) * 4;
  const Eigen::VectorXd x =
      A.llt().solve(Eigen::VectorXd::Ones(3)) + A.lu().solve(Eigen::VectorXd::Ones(3));
  A(1, 1) = std::numeric_limits<double>::quiet_NaN();
  if (x != Eigen::VectorXd::Constant(3, 0.5)) return std::puts("a wrong solution"), 1;
  if (A.llt().info() == Eigen::Success) return std::puts("main.cpp has Eigen's LLT"), 1;
  if (other_takes_nan_for_success()) return std::puts("other.cpp has Eigen's LLT"), 1;
}
