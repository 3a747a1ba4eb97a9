// B is const: the solution overwrites it
#include <Eigen/Core>

#include "trifac/eigen.hpp"
#include "trifac/trifac.hpp"

template <class D>
void solve(const Eigen::MatrixBase<D>& b) {
  Eigen::MatrixXd A(3, 3);
  trifac::solve(trifac::cholesky(A), b);
}

int main() {
  Eigen::VectorXd b(5);
  solve(b.head(3));
}
