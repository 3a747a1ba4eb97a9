// cholesky_solve/BACKEND/RHS/TYPE/N and lu_solve/BACKEND/RHS/TYPE/N: solves with ready factors.

#include "backends.hpp"
#include "flops.hpp"
#include "jobs.hpp"
#include "measure.hpp"
#include "register.hpp"

namespace bench {
namespace {

/// Times solves with the factor of one matrix; factor(M) makes it from a copy of the matrix.
template <class T, class B, class MakeFactor>
void time_solves(benchmark::State& state, const B& backend, const workload& work, index_t columns,
                 MakeFactor make_factor) {
  input_pool<T> matrices(work.input, work.n, 1);
  const auto A = matrices.next();
  const auto factor = make_factor(matrix<T>(A));
  const workload solves{work.n, kind::general, work.flops, work.threads};
  measure<T>(state, solves, [&] {
    return solve_job<T, B, std::remove_const_t<decltype(factor)>>(backend, factor, A, columns);
  });
}

template <class T, class B>
void add(const B& backend, int threads, index_t n, index_t columns) {
  const double flops = solve_flops<T>(n, columns);
  const std::string how = std::to_string(columns);
  add_benchmark(benchmark_name<T>("cholesky_solve", B::name, how, n), [=](benchmark::State& state) {
    time_solves<T>(state, backend, {n, kind::positive_definite, flops, threads}, columns,
                   [&](matrix<T> A) { return trifac::try_cholesky(backend, std::move(A)); });
  });
  add_benchmark(benchmark_name<T>("lu_solve", B::name, how, n), [=](benchmark::State& state) {
    time_solves<T>(state, backend, {n, kind::general, flops, threads}, columns,
                   [&](matrix<T> A) { return trifac::try_lu(backend, std::move(A)); });
  });
}

}  // namespace

void register_solve(const options& o) {
  for_each_backend(o, [&](const auto& backend, int threads) {
    for_each_type(o, [&]<class T>() {
      for (const index_t columns : o.right_hand_sides)
        for (const index_t n : o.sizes) add<T>(backend, threads, n, columns);
    });
  });
}

}  // namespace bench
