// cholesky/BACKEND/VARIANT/TYPE/N: every method of trifac::cholesky_methods on every backend that
// runs our loop nests, and `best` and `best_upper` on all.

#include "backends.hpp"
#include "flops.hpp"
#include "jobs.hpp"
#include "measure.hpp"
#include "register.hpp"

namespace bench {
namespace {

// Element by element, a method does a fraction of the work per second: larger orders would take
// minutes and say no more.
constexpr index_t most_by_elements = 1024;

template <class T, class B>
void add(const B& backend, int threads, index_t n, index_t block) {
  const workload work{n, kind::positive_definite, cholesky_flops<T>(n), threads};
  const auto add_one = [&](std::string_view how, auto make_job) {
    add_benchmark(benchmark_name<T>("cholesky", B::name, how, n),
                  [=](benchmark::State& state) { measure<T>(state, work, make_job); });
  };
  for (const auto part : {trifac::triangle::lower, trifac::triangle::upper})
    add_one(part == trifac::triangle::lower ? "best" : "best_upper",
            [=] { return best_cholesky_job<T, B>(backend, part, n, block); });
  if constexpr (!trifac::LibraryBackend<B, T>)
    for (const trifac::cholesky_method& method : trifac::cholesky_methods) {
      if (method.algorithm == trifac::variant::best || !supports(backend, method.algorithm))
        continue;
      if (trifac::detail::is_by_elements(method.algorithm) && n > most_by_elements) continue;
      add_one(method.name, [=] { return cholesky_job<T, B>(backend, method, n, block); });
    }
}

}  // namespace

void register_cholesky(const options& o) {
  for_each_backend(o, [&](const auto& backend, int threads) {
    for_each_type(o, [&]<class T>() {
      for (const index_t n : o.sizes) add<T>(backend, threads, n, o.block);
    });
  });
}

}  // namespace bench
