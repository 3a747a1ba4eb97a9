// A: its elements are no Scalar, a type with division and square roots; integers and numbers of 16 bits are none
#include <Eigen/Core>

#include "trifac/eigen.hpp"
#include "trifac/trifac.hpp"

bool factor(Eigen::MatrixXi& A) {
  return trifac::lu(A).ok();
}
