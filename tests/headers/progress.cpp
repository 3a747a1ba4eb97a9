// What a callback of options.progress writes is seen after a call that is compiled into the
// program: at -O2 GCC 12 takes it to be unchanged where the address of the callable does not
// escape.

#include <cstdio>
#include <vector>

#include "trifac/cholesky.hpp"

int main() {
  trifac::matrix<double> A(800, 800);
  for (trifac::index_t k = 0; k < 800; ++k) A(k, k) = 4;
  std::vector<double> told;
  int calls = 0;
  const auto f = trifac::try_cholesky(A, {.block = 100, .progress = [&](double done) {
                                            ++calls;
                                            told.push_back(done);
                                          }});
  if (!f || calls < 3 || told.size() != static_cast<std::size_t>(calls) || told.back() != 1) {
    std::printf("%d calls, %zu numbers\n", calls, told.size());
    return 1;
  }
  return 0;
}
