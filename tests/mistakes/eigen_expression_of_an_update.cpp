// an expression of Eigen's has no elements in memory: evaluate it first, as in MatrixXd(expression)
#include <Eigen/Core>

#include "trifac/eigen.hpp"
#include "trifac/trifac.hpp"

void add(trifac::cholesky_factor<double>& f, Eigen::Index n) {
  trifac::update(f, Eigen::VectorXd::Ones(n));
}
