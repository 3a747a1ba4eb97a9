// LU with tournament pivoting beside partial pivoting: the same system, how large L and U become,
// and the interchanges.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <trifac/trifac.hpp>

int main() {
  const trifac::index_t n = 400;
  const auto element = [](trifac::index_t i, trifac::index_t j) {  // reproducible, looks random
    return static_cast<double>((i * 7919 + j * 104729 + i * j * 31) % 1009) / 504.5 - 1;
  };

  for (const auto how : {trifac::pivoting::partial, trifac::pivoting::tournament}) {
    trifac::matrix<double> A(n, n), b(n, 1);
    for (trifac::index_t j = 0; j < n; ++j)
      for (trifac::index_t i = 0; i < n; ++i) {
        A(i, j) = element(i, j);
        b(i, 0) += A(i, j);  // so that the solution is all ones
      }

    trifac::pivots p;
    const auto factor =
        trifac::lu(A, p, {.pivoting = how, .block = 32, .leaves = 8, .growth = true});
    if (!factor) {
      std::printf("%s\n", factor.status().message().c_str());
      return 1;
    }
    trifac::solve(factor, b);

    double error = 0;
    for (trifac::index_t i = 0; i < n; ++i) {
      const double e = std::abs(b(i, 0) - 1);
      if (e > error || std::isnan(e)) error = e;
    }
    const auto name = to_string(how);
    std::printf("%-10.*s  max|L| %.2f  growth %.1f  first rows %td %td %td  error %.1e\n",
                static_cast<int>(name.size()), name.data(), factor.max_l(), factor.growth(),
                static_cast<std::ptrdiff_t>(p[0]), static_cast<std::ptrdiff_t>(p[1]),
                static_cast<std::ptrdiff_t>(p[2]), error);
    if (!(error < 1e-8)) return 1;
  }
}
