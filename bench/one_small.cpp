// trifac-one-small: a call on one small matrix, with the order known at compile time and at run
// time, beside Eigen's with fixed and dynamic sizes.
//
//   trifac-one-small [--seconds S] [--order N]
//
// Double, one thread, A and b copied in each call, each solution checked first. Printed are ns of a
// call: the fastest of many passes over a ring of different systems, by turns for S seconds (0.5)
// at each order, or at order N alone.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "inputs.hpp"
#include "residual.hpp"
#include "trifac/fixed_size.hpp"
#include "trifac/trifac.hpp"
#if TRIFAC_BENCH_EIGEN
  #include <Eigen/Cholesky>
  #include <Eigen/LU>
#endif

namespace {

using namespace trifac;
using clock_type = std::chrono::steady_clock;

constexpr std::array<index_t, 6> orders = {4, 6, 8, 12, 16, 24};
constexpr std::array operations = {"Cholesky and 1 right-hand side", "LU and 1 right-hand side",
                                   "`solve` with a Cholesky factor, 1 right-hand side",
                                   "`solve` with a Cholesky factor, n right-hand sides"};
constexpr std::array libraries = {"trifac, order fixed", "trifac, order at run time",
                                  "Eigen, fixed size", "Eigen, dynamic size"};
using times = std::array<double, libraries.size()>;
double seconds = 0.5;
index_t only = 0;

/// Different systems of order N with R right-hand sides, together at most 256 KiB.
template <index_t N, index_t R>
struct systems {
  explicit systems(bench::kind what) {
    constexpr auto bytes = sizeof(matrix<double, N>) + sizeof(matrix<double, N, R>);
    bench::random_numbers random(N);
    for (std::size_t k = 0; k < std::min<std::size_t>(512, (256 << 10) / bytes); ++k) {
      bench::fill(what, random, A.emplace_back().view());
      bench::fill(bench::kind::general, random, B.emplace_back().view());
    }
  }

  std::vector<matrix<double, N>> A;
  std::vector<matrix<double, N, R>> B;
  matrix<double, N, R> X;  ///< of the last system that was solved
};

/// One way to solve system k of a ring. False: it says that it has not.
struct contender {
  std::function<bool(std::size_t)> solve;
  std::function<void()> pass;  ///< over the ring
  double best;
};
contender contender_of(auto& ring, auto solve) {
  const auto pass = [=, &ring] {
    for (std::size_t k = 0; k < ring.A.size(); ++k) {
      solve(k);
      asm volatile("" : : "r"(ring.X.data()) : "memory");  // each solution is wanted
    }
  };
  return {solve, pass, std::numeric_limits<double>::infinity()};
}

/// The best time of each; the program ends where a solution is wrong.
template <index_t N, index_t R>
times by_turns(const systems<N, R>& ring, std::vector<contender> contenders) {
  for (const contender& each : contenders)
    for (std::size_t k = 0; k < ring.A.size(); ++k)
      if (!each.solve(k) || !(bench::solve_ratio<double>(ring.A[k].view(), ring.X.view(),
                                                         ring.B[k].view()) < bench::ratio_limit)) {
        std::fprintf(stderr, "order %ld: a wrong solution\n", static_cast<long>(N));
        std::exit(1);
      }
  const auto until = clock_type::now() + std::chrono::duration<double>(seconds / 4);
  do
    for (contender& each : contenders) {
      const auto from = clock_type::now();
      each.pass();
      const std::chrono::duration<double, std::nano> time = clock_type::now() - from;
      each.best = std::min(each.best, time.count() / static_cast<double>(ring.A.size()));
    }
  while (clock_type::now() < until);
  times best = {};
  std::ranges::transform(contenders, best.begin(), &contender::best);
  return best;
}

/// n, of which the compiler knows nothing.
index_t hidden(index_t n) {
  asm volatile("" : "+r"(n));
  return n;
}

struct with_cholesky {
  static constexpr bench::kind input = bench::kind::positive_definite;
  static TRIFAC_INLINE auto factor(auto&& A) { return try_cholesky(A); }
#if TRIFAC_BENCH_EIGEN
  template <int N>
  using eigens = Eigen::LLT<Eigen::Matrix<double, N, N>>;
#endif
};
struct with_lu {
  static constexpr bench::kind input = bench::kind::general;
  static TRIFAC_INLINE auto factor(auto&& A) { return try_lu(A); }
#if TRIFAC_BENCH_EIGEN
  template <int N>
  using eigens = Eigen::PartialPivLU<Eigen::Matrix<double, N, N>>;
#endif
};

#if TRIFAC_BENCH_EIGEN
constexpr int any = Eigen::Dynamic;
/// Of sizes known at compile time, or `any`.
template <int N, int R>
Eigen::Map<Eigen::Matrix<double, N, R>> eigens_view(double* data, index_t rows, index_t cols) {
  return {data, rows, cols};
}
#endif

template <index_t N, class With>
times factor_and_solve() {
  systems<N, 1> ring(With::input);
  const auto fixed = [&](std::size_t k) {
    matrix<double, N> A = ring.A[k];
    ring.X = ring.B[k];
    return try_solve(With::factor(A), ring.X).ok();
  };
  const auto at_run_time = [&, n = hidden(N)](std::size_t k) {
    double A[N * N];
    std::copy_n(ring.A[k].data(), n * n, A);
    std::copy_n(ring.B[k].data(), n, ring.X.data());
    return try_solve(With::factor(column_major(A, n, n)), column_major(ring.X.data(), n, 1)).ok();
  };
  std::vector<contender> all = {contender_of(ring, fixed), contender_of(ring, at_run_time)};
#if TRIFAC_BENCH_EIGEN
  const auto eigens = [&](std::size_t k) {
    const typename With::template eigens<N> f(eigens_view<N, N>(ring.A[k].data(), N, N));
    eigens_view<N, 1>(ring.X.data(), N, 1) = f.solve(eigens_view<N, 1>(ring.B[k].data(), N, 1));
    return f.rows() == N;
  };
  typename With::template eigens<any> kept(N);  // a new one would allocate
  const auto eigens_dynamic = [&, n = hidden(N)](std::size_t k) {
    kept.compute(eigens_view<any, any>(ring.A[k].data(), n, n));
    eigens_view<any, 1>(ring.X.data(), n, 1) =
        kept.solve(eigens_view<any, 1>(ring.B[k].data(), n, 1));
    return kept.rows() == n;
  };
  all.push_back(contender_of(ring, eigens));
  all.push_back(contender_of(ring, eigens_dynamic));
#endif
  return by_turns(ring, std::move(all));
}

template <index_t N, index_t R>
times solve_alone() {
  systems<N, R> ring(bench::kind::positive_definite);
  std::vector<matrix<double, N>> L = ring.A;
  std::vector<cholesky_factor<double>> factors;
  for (auto& A : L) factors.push_back(try_cholesky(A));
  const auto fixed = [&](std::size_t k) {
    ring.X = ring.B[k];
    return try_solve(factors[k], ring.X).ok();
  };
  const auto at_run_time = [&, n = hidden(N), columns = hidden(R)](std::size_t k) {
    std::copy_n(ring.B[k].data(), n * columns, ring.X.data());
    return try_solve(factors[k], column_major(ring.X.data(), n, columns)).ok();
  };
  std::vector<contender> all = {contender_of(ring, fixed), contender_of(ring, at_run_time)};
#if TRIFAC_BENCH_EIGEN
  constexpr int sides = R == 1 ? 1 : any;
  std::vector<with_cholesky::eigens<N>> eigens_factors;
  std::vector<with_cholesky::eigens<any>> dynamic_factors;
  for (auto& A : ring.A) {
    eigens_factors.emplace_back(eigens_view<N, N>(A.data(), N, N));
    dynamic_factors.emplace_back(eigens_view<N, N>(A.data(), N, N));
  }
  const auto eigens = [&](std::size_t k) {
    eigens_view<N, R>(ring.X.data(), N, R) =
        eigens_factors[k].solve(eigens_view<N, R>(ring.B[k].data(), N, R));
    return true;
  };
  const auto eigens_dynamic = [&, n = hidden(N), columns = hidden(R)](std::size_t k) {
    eigens_view<any, sides>(ring.X.data(), n, columns) =
        dynamic_factors[k].solve(eigens_view<any, sides>(ring.B[k].data(), n, columns));
    return true;
  };
  all.push_back(contender_of(ring, eigens));
  all.push_back(contender_of(ring, eigens_dynamic));
#endif
  return by_turns(ring, std::move(all));
}

struct column {
  index_t order;
  std::array<times, operations.size()> of;
};
template <std::size_t... I>
void measure(std::vector<column>& columns, std::index_sequence<I...>) {
  const auto measured = [&]<index_t N> {
    if (only == 0 || only == N)
      columns.push_back({N,
                         {factor_and_solve<N, with_cholesky>(), factor_and_solve<N, with_lu>(),
                          solve_alone<N, 1>(), solve_alone<N, N>()}});
  };
  (measured.template operator()<orders[I]>(), ...);
}

void print(const std::vector<column>& columns) {
  std::printf("| ns of a call | |");
  for (const column& each : columns) std::printf(" n = %ld |", static_cast<long>(each.order));
  std::printf("\n|---|---|");
  for (std::size_t i = 0; i < columns.size(); ++i) std::printf("---|");
  for (std::size_t o = 0; o < operations.size(); ++o)
    for (std::size_t l = 0; l < libraries.size(); ++l) {
      if (columns[0].of[o][l] == 0) continue;  // a library that was not found
      std::printf("\n| %s | %s |", operations[o], libraries[l]);
      for (const column& each : columns) std::printf(" %.0f |", each.of[o][l]);
    }
  std::puts("");
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (const std::string_view word = argv[i]; word == "--seconds" && i + 1 < argc)
      seconds = std::atof(argv[++i]);
    else if (word == "--order" && i + 1 < argc)
      only = std::atol(argv[++i]);
    else
      return std::fputs("trifac-one-small [--seconds S] [--order 4|6|8|12|16|24]\n", stderr), 2;
  }
  std::vector<column> columns;
  measure(columns, std::make_index_sequence<orders.size()>());
  if (columns.empty()) return std::fputs("no such order\n", stderr), 2;
  print(columns);
}
