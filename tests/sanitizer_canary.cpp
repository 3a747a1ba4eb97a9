// What the sanitizers must find, in our own code: `use_after_free`, a solve with a factor whose
// matrix is gone, or `undefined`, an overflow of an index. A build in which they pass in silence
// tests nothing.

#include <limits>
#include <memory>
#include <string_view>

#include "trifac/cholesky.hpp"
#include "trifac/solve.hpp"

int main(int argc, char** argv) {
  using namespace trifac;
  if (argc == 2 && std::string_view(argv[1]) == "undefined") {
    double one = 1;
    const matrix_view<double> A(&one, 2, 2, 1, std::numeric_limits<index_t>::max());
    return A(argc, argc) == 1 ? 0 : 1;
  }
  auto A = std::make_unique<matrix<double>>(8, 8);
  for (index_t k = 0; k < 8; ++k) (*A)(k, k) = 1;
  const auto factor = cholesky(*A);
  A.reset();
  matrix<double> b(8, 1);
  return try_solve(factor, b).ok() ? 0 : 1;
}
