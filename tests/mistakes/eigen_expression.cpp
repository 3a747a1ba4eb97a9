// an expression of Eigen's has no elements in memory: evaluate it first, as in MatrixXd(expression)
#include <Eigen/Core>

#include "trifac/eigen.hpp"
#include "trifac/trifac.hpp"

bool factor(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return trifac::lu(A + B).ok();
}
