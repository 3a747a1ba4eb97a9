// cholesky_operations/BACKEND/VARIANT/TYPE/N and lu_operations/…: where the time of a factorization
// goes, one row for each benchmark, one counter for each operation: its share of the whole, from
// backend::timed. `calls` counts the operations of one factorization.

#include "backends.hpp"
#include "flops.hpp"
#include "jobs.hpp"
#include "measure.hpp"
#include "register.hpp"
#include "trifac/backend/timed.hpp"

namespace bench {
namespace {

using trifac::backend::operation_times;
using trifac::backend::timed_operation;

void report(benchmark::State& state, const operation_times& times) {
  std::int64_t calls = 0;
  double seconds = 0;
  for (std::size_t v = 0; v < trifac::backend::timed_operation_names.size(); ++v) {
    const auto what = static_cast<timed_operation>(v);
    if (times[what].calls == 0) continue;
    calls += times[what].calls;
    seconds += times[what].seconds;
    state.counters[std::string(to_string(what))] = times[what].seconds / times.all().seconds;
  }
  const auto runs = static_cast<double>(std::max<std::int64_t>(1, times.all().calls));
  state.counters["calls"] = static_cast<double>(calls) / runs;
  state.counters["(none)"] = 1 - seconds / times.all().seconds;
}

/// measure() with the jobs of make_job(timed backend), then the shares.
template <class T, class B, class MakeJob>
void add_one(const std::string& name, const B& backend, const workload& work, MakeJob make_job) {
  add_benchmark(name, [=](benchmark::State& state) {
    operation_times times;
    const trifac::backend::timed<B> observer(backend, times);
    measure<T>(state, work, [&] { return make_job(observer); });
    report(state, times);
  });
}

template <class T, class B>
void add(const B& backend, int threads, index_t n, index_t block) {
  using observed = trifac::backend::timed<B>;
  const workload cholesky{n, kind::positive_definite, cholesky_flops<T>(n), threads};
  add_one<T>(benchmark_name<T>("cholesky_operations", B::name, "best", n), backend, cholesky,
             [=](const observed& on) {
               return best_cholesky_job<T, observed>(on, trifac::triangle::lower, n, block);
             });
  for (const trifac::cholesky_method& method : trifac::cholesky_methods) {
    const bool blocked = !trifac::detail::is_by_elements(method.algorithm);
    if (!blocked || method.algorithm == trifac::variant::best) continue;
    add_one<T>(benchmark_name<T>("cholesky_operations", B::name, method.name, n), backend, cholesky,
               [=](const observed& on) { return cholesky_job<T, observed>(on, method, n, block); });
  }
  for (const lu_method& method : lu_methods)
    add_one<T>(benchmark_name<T>("lu_operations", B::name, method.name, n), backend,
               {n, input_of(method), lu_flops<T>(n), threads},
               [=](const observed& on) { return lu_job<T, observed>(on, method, n, block); });
}

}  // namespace

void register_operations(const options& o) {
  for_each_backend(o, [&]<class B>(const B& backend, int threads) {
    if constexpr (!trifac::LibraryBackend<B, double> && !trifac::DeviceBackend<B>)
      for_each_type(o, [&]<class T>() {
        for (const index_t n : o.sizes) add<T>(backend, threads, n, o.block);
      });
  });
}

}  // namespace bench
