#pragma once
// One run of the study: matrices are loaded, factored between two looks at the clock, and checked.

#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bench/flops.hpp"
#include "bench/inputs.hpp"
#include "bench/residual.hpp"
#include "reference.hpp"
#include "trifac/status.hpp"

namespace study {

using bench::kind;
using trifac::index_t;
using trifac::matrix;
using trifac::matrix_view;

/// What one run found.
struct answer {
  double seconds = 0;  ///< of one factorization
  index_t batch = 1;   ///< factorizations between the two looks at the clock
  double ratio = 0;    ///< LAPACK's residual ratio, the worst of the batch
  trifac::status outcome;
  std::vector<std::pair<std::string, double>> more;  ///< threads, clock, times of parts, …
};

/// Input matrices of one run, all different.
template <class T>
std::vector<matrix<T>> inputs(kind what, index_t n, index_t count, std::uint64_t seed) {
  std::vector<matrix<T>> made;
  bench::random_numbers random(seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(n));
  for (index_t k = 0; k < count; ++k) {
    made.emplace_back(n, n);
    bench::fill(what, random, made.back().view());
  }
  return made;
}

/// Shorter factorizations follow an uncounted one, since the first finds no workspace, no code in
/// the caches and sleeping threads. Longer ones do not notice.
inline constexpr double warm_up_flops = 1e8;

/// Times jobs that make_job() makes, one for each matrix: load(A), run() → status, ratio(A).
/// look(job, A) may look at the first one's result.
template <class T, class MakeJob, class Look>
answer measure(kind what, index_t n, double flops, std::uint64_t seed, MakeJob make_job,
               Look look) {
  using clock = std::chrono::steady_clock;
  answer found;
  found.batch = bench::batch_size<T>(n, flops);
  const auto matrices = inputs<T>(what, n, found.batch, seed);
  if (flops < warm_up_flops) {
    auto job = make_job();
    job.load(matrices.front().view());
    static_cast<void>(job.run());
  }
  std::vector<decltype(make_job())> jobs;
  for (const auto& A : matrices) {
    jobs.push_back(make_job());
    jobs.back().load(A.view());
  }
  const double clock_before = reference_seconds();
  const thread_count threads;
  const auto begin = clock::now();
  for (auto& job : jobs)
    if (const trifac::status s = job.run(); !s) found.outcome = s;
  const std::chrono::duration<double> taken = clock::now() - begin;
  const double working = threads.get();
  found.seconds = taken.count() / static_cast<double>(found.batch);
  found.more.emplace_back("threads", working);
  found.more.emplace_back("reference", (clock_before + reference_seconds()) / 2);
  for (std::size_t k = 0; k < jobs.size(); ++k)
    found.ratio = bench::larger(found.ratio, jobs[k].ratio(matrices[k].view()));
  look(jobs.front(), matrix_view<const T>(matrices.front().view()), found);
  return found;
}

/// max |A − L·Lᴴ| over the lower triangle, in double. n³/3 multiplications.
template <class T>
double largest_deviation(matrix_view<const T> A, matrix_view<const T> L) {
  const index_t n = A.cols();
  matrix<bench::wide_t<T>> rows(n, n);  // column i: row i of L, so that products run down columns
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j; i < n; ++i) rows(j, i) = bench::wide_t<T>(L(i, j));
  double worst = 0;
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j; i < n; ++i) {
      bench::wide_t<T> sum = 0;
      for (index_t k = 0; k <= j; ++k) sum += rows(k, i) * trifac::detail::conjugate(rows(k, j));
      worst = bench::larger(worst, std::abs(bench::wide_t<T>(A(i, j)) - sum));
    }
  return worst;
}

/// ‖X − G‖₂ / ‖G‖₂ over all elements, X and G as vectors.
template <class T>
double relative_error(matrix_view<const T> X, matrix_view<const T> G) {
  double difference = 0, size = 0;
  for (index_t j = 0; j < X.cols(); ++j)
    for (index_t i = 0; i < X.rows(); ++i) {
      difference += std::norm(bench::wide_t<T>(X(i, j)) - bench::wide_t<T>(G(i, j)));
      size += std::norm(bench::wide_t<T>(G(i, j)));
    }
  return std::sqrt(difference / size);
}

}  // namespace study
