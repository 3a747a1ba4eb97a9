// A user's first program: factors a small matrix both ways, solves, and exits with 0 only where the
// solutions are right. Each way to get the headers builds it.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"
#include "trifac/version.hpp"
#ifdef WITH_COMPONENTS
  #include "trifac/backend/lapack.hpp"
  #include "trifac/backend/openmp.hpp"
#endif

namespace {

using trifac::index_t;

// a_ij = min(i, j) with rows and columns from 1 is positive definite; its row sums are known.
constexpr index_t n = 12;

trifac::matrix<double> minimum_matrix() {
  trifac::matrix<double> A(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) A(i, j) = static_cast<double>(std::min(i, j) + 1);
  return A;
}

std::vector<double> row_sums() {
  std::vector<double> b(n);
  for (index_t i = 0; i < n; ++i) b[i] = static_cast<double>((i + 1) * (2 * n - i) / 2.0);
  return b;
}

int report(const char* what, const std::vector<double>& x) {
  double error = 0;
  for (const double x_i : x) {
    const double e = std::fabs(x_i - 1);
    if (e > error || std::isnan(e)) error = e;  // std::fmax drops NaN
  }
  const bool right = error < 1e-10;
  std::printf("%s: max |x - 1| = %.1e, %s\n", what, error, right ? "right" : "WRONG");
  return right ? 0 : 1;
}

template <class Backend>
int factor_and_solve(const Backend& backend) {
  if (const auto here = backend.available(); !here) {
    std::printf("%s is not available: %s\n", Backend::name.data(), here.reason.data());
    return 1;
  }
  std::printf("%s\n", Backend::name.data());
  auto A = minimum_matrix();
  auto x = row_sums();
  trifac::solve(backend, trifac::cholesky(backend, A).or_throw(), x);
  int wrong = report("  cholesky", x);

  A = minimum_matrix();
  x = row_sums();
  trifac::solve(backend, trifac::lu(backend, A).or_throw(), x);
  return wrong + report("  lu      ", x);
}

}  // namespace

int main() {
  std::printf("trifac %s\n", TRIFAC_VERSION_STRING);
  int wrong = factor_and_solve(trifac::backend::serial{});
#ifdef WITH_COMPONENTS
  wrong += factor_and_solve(trifac::backend::openmp{.threads = 2});
  wrong += factor_and_solve(trifac::backend::lapack{});
#endif
  return wrong;
}
