#include <Eigen/Cholesky>
#include <limits>

bool other_takes_nan_for_success() {
  Eigen::MatrixXcf A = Eigen::MatrixXcf::Identity(3, 3);
  A(1, 1) = std::numeric_limits<float>::quiet_NaN();
  return A.llt().info() == Eigen::Success;
}
