// lu/BACKEND/METHOD/TYPE/N: every method of lu_methods on every backend.

#include "backends.hpp"
#include "flops.hpp"
#include "jobs.hpp"
#include "measure.hpp"
#include "register.hpp"

namespace bench {
namespace {

template <class T, class B>
void add(const B& backend, int threads, const options& o, index_t n) {
  for (const lu_method& method : lu_methods) {
    constexpr bool whole = trifac::LibraryBackend<B, T>;
    if (!supports(backend, method.algorithm)) continue;
    if (whole && method.pivoting != trifac::pivoting::partial) continue;
    const workload work{n, input_of(method), lu_flops<T>(n), threads};
    add_benchmark(benchmark_name<T>("lu", B::name, method.name, n), [=, block = o.block](
                                                                        benchmark::State& state) {
      measure<T>(state, work, [&] { return lu_job<T, B>(backend, method, n, block); });
    });
  }
}

}  // namespace

void register_lu(const options& o) {
  for_each_backend(o, [&](const auto& backend, int threads) {
    for_each_type(o, [&]<class T>() {
      for (const index_t n : o.sizes) add<T>(backend, threads, o, n);
    });
  });
}

}  // namespace bench
