// Exits with 0 where CUDA is there and right, or is not there and says why.

#include <cstdio>

#include "trifac/backend/cuda.hpp"
#include "trifac/backend/cusolver.hpp"
#include "trifac/cholesky.hpp"

template <class Backend>
int check(const Backend& on) {
  trifac::matrix<double> A(1, 1);
  A(0, 0) = 9;
  const bool right = trifac::try_cholesky(on, A).ok() && A(0, 0) == 3;
  const auto here = on.available();
  std::printf("%s: %s\n", Backend::name.data(),
              here ? right ? "right" : "WRONG" : here.reason.data());
  return (here ? right : !here.reason.empty()) ? 0 : 1;
}

int main() {
  return check(trifac::backend::cuda::first()) + check(trifac::backend::cusolver::first());
}
