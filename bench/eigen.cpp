// trifac-eigen: Eigen's LLT and PartialPivLU with one solve, compiled in four ways.
//
//   trifac-eigen [--seconds S] [--order N]
//
// Double, one thread. The object is kept, A is copied by compute(). Each way by turns for S seconds
// (0.5) at each order, or at order N alone, each solution checked first. Printed are the fastest of
// these turns in µs of a matrix, and how many times as fast as Eigen at -O2 the plug-in is.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

#include "eigen_calls.hpp"
#include "inputs.hpp"
#include "residual.hpp"

namespace {

using namespace trifac;
using clock_type = std::chrono::steady_clock;

std::vector<index_t> orders = {4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 768, 1000, 2000};
constexpr std::array ways = {eigen_native, eigen_march, eigen_plugin, eigen_solvers};
double seconds = 0.5;

/// µs of a matrix of order n, for each way.
std::array<double, ways.size()> measure(bool cholesky, index_t n) {
  // Different systems, together at most 256 KiB, and enough for a turn.
  const int count = static_cast<int>(std::clamp<index_t>((256 << 10) / (8 * n * n), 1, 512));
  const auto what = cholesky ? bench::kind::positive_definite : bench::kind::general;
  bench::random_numbers random(static_cast<std::uint64_t>(n));
  std::vector<matrix<double>> A, B;
  std::vector<double> a, b, x(static_cast<std::size_t>(n * count));
  for (int k = 0; k < count; ++k) {
    bench::fill(what, random, A.emplace_back(n, n).view());
    bench::fill(bench::kind::general, random, B.emplace_back(n, 1).view());
    a.insert(a.end(), A.back().data(), A.back().data() + n * n);
    b.insert(b.end(), B.back().data(), B.back().data() + n);
  }
  for (const auto way : ways) {
    std::ranges::fill(x, 0.);
    way(cholesky, n, count, a.data(), b.data(), x.data());
    for (std::size_t k = 0; k < A.size(); ++k)
      if (!(bench::solve_ratio<double>(
                A[k].view(), column_major<double>(&x[k * static_cast<std::size_t>(n)], n, 1),
                B[k].view()) < bench::ratio_limit)) {
        std::fprintf(stderr, "order %ld: a wrong solution\n", static_cast<long>(n));
        std::exit(1);
      }
  }
  std::array<double, ways.size()> best;
  best.fill(std::numeric_limits<double>::infinity());
  const auto until = clock_type::now() + std::chrono::duration<double>(seconds);
  do
    for (std::size_t w = 0; w < ways.size(); ++w) {
      const auto from = clock_type::now();
      ways[w](cholesky, n, count, a.data(), b.data(), x.data());
      const std::chrono::duration<double, std::micro> time = clock_type::now() - from;
      best[w] = std::min(best[w], time.count() / count);
    }
  while (clock_type::now() < until);
  return best;
}

/// Digits behind the point, so that three or four are printed.
int places(double x) {
  return x < 1 ? 3 : x < 10 ? 2 : x < 100 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (const std::string_view word = argv[i]; word == "--seconds" && i + 1 < argc)
      seconds = std::atof(argv[++i]);
    else if (word == "--order" && i + 1 < argc)
      orders = {std::atol(argv[++i])};
    else
      return std::fputs("trifac-eigen [--seconds S] [--order N]\n", stderr), 2;
  }
  std::puts(
      "| µs of a factorization and one solve | n | Eigen, -O2 | Eigen, -O3 -march=native | "
      "plug-in, "
      "-O2 | trifac's classes, -O2 | plug-in to Eigen, -O2 |\n|---|---|---|---|---|---|---|");
  for (const bool cholesky : {true, false})
    for (const index_t n : orders) {
      const auto times = measure(cholesky, n);
      std::printf("| `%s` | %ld |", cholesky ? "LLT" : "PartialPivLU", static_cast<long>(n));
      for (const double time : times) std::printf(" %.*f |", places(time), time);
      std::printf(" %.2f |\n", times[0] / times[2]);
      std::fflush(stdout);
    }
}
