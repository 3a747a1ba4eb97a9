// B has another scalar type than the factor: copy it
#include <Eigen/Core>

#include "trifac/eigen.hpp"
#include "trifac/trifac.hpp"

void solve(Eigen::MatrixXf& A, Eigen::VectorXd& b) {
  trifac::solve(trifac::lu(A), b.segment(1, 3));
}
