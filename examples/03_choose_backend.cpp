// The same call on several backends and with several variants, chosen in the source and by name.

#include <algorithm>
#include <cstdio>
#include <trifac/backend/openmp.hpp>
#include <trifac/trifac.hpp>
#include <trifac/variants.hpp>

namespace {

trifac::matrix<float> lehmer(trifac::index_t n) {  // min(i, j) / max(i, j): positive definite
  trifac::matrix<float> A(n, n);
  for (trifac::index_t j = 0; j < n; ++j)
    for (trifac::index_t i = 0; i < n; ++i)
      A(i, j) = static_cast<float>(std::min(i, j) + 1) / static_cast<float>(std::max(i, j) + 1);
  return A;
}

void report(const char* what, const trifac::status& s) {
  std::printf("%-34s %s\n", what, s.message().c_str());
}

}  // namespace

int main() {
  using namespace trifac;

  auto A = lehmer(300);
  report("serial, best", cholesky(A).status());

  A = lehmer(300);
  const backend::openmp two_threads{.threads = 2};
  if (const availability a = two_threads.available(); a)
    report("openmp, distributed sum, cutoff 64",
           cholesky<variant::crout_distributed_sum>(two_threads, A, {.cutoff = 64}).status());
  else
    std::printf("openmp: %s\n", a.reason.data());

  for (const char* name : {"left_looking", "top_looking", "recursive"}) {
    A = lehmer(300);
    report(name, try_cholesky(*variant_from_string(name), backend::serial{}, A.view()).status());
  }

  A = lehmer(300);
  A(200, 200) = -1;  // no longer positive definite
  const auto failed = cholesky(A);
  report("not positive definite", failed.status());
  return failed.status().index() == 200 ? 0 : 1;
}
