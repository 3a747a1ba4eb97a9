// B has another scalar type than the factor: copy it into a batch
#include "trifac/batch.hpp"

void use(const trifac::batch_cholesky_factor<double>& f, const trifac::batch<float>& B,
         trifac::batch<double>& X) {
  static_cast<void>(trifac::try_solve(f, B, X));
}
