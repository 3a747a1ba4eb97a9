// B has another scalar type than A: copy it
#include "trifac/solve_mixed.hpp"
#include "trifac/trifac.hpp"

void use(const trifac::matrix<double>& A, const trifac::matrix<float>& B,
         trifac::matrix<double>& X) {
  static_cast<void>(trifac::try_solve_mixed(A, B, X));
}
