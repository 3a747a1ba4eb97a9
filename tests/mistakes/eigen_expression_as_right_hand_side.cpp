// an expression of Eigen's has no elements in memory: evaluate it first, as in MatrixXd(expression)
#include <Eigen/Core>

#include "trifac/eigen.hpp"
#include "trifac/trifac.hpp"

Eigen::VectorXd fit(const trifac::cholesky_factor<double>& f, const Eigen::MatrixXd& X,
                    const Eigen::VectorXd& y) {
  return trifac::solved(f, X.transpose() * y);
}
