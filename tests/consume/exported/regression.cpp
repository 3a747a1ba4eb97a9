#include "regression.hpp"

#include <trifac/cholesky.hpp>
#include <trifac/solve.hpp>

std::vector<double> regression(const std::vector<double>& A, const std::vector<double>& b) {
  const auto m = static_cast<trifac::index_t>(b.size());
  const auto n = static_cast<trifac::index_t>(A.size() / b.size());
  trifac::matrix<double> normal(n, n);
  std::vector<double> x(static_cast<std::size_t>(n));
  const auto a = trifac::column_major(A.data(), m, n);
  for (trifac::index_t j = 0; j < n; ++j) {
    for (trifac::index_t i = 0; i < n; ++i) {
      double sum = 0;
      for (trifac::index_t k = 0; k < m; ++k) sum += a(k, i) * a(k, j);
      normal(i, j) = sum;
    }
    for (trifac::index_t k = 0; k < m; ++k)
      x[static_cast<std::size_t>(j)] += a(k, j) * b[static_cast<std::size_t>(k)];
  }
  const auto f = trifac::try_cholesky(normal);
  if (!f.ok() || !trifac::try_solve(f, x)) return {};
  return x;
}
