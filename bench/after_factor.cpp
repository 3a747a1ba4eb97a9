// trifac-after-factor: the calls on a factor beside those of LAPACK and Eigen, or beside other
// calls of trifac that give the same.
//
//   trifac-after-factor [--seconds S] [--most N]
//
// Double, one thread; a call of each by turns for S seconds (0.5) at each order up to N (4096).
// Printed are medians of a call in µs, copies of what it overwrites included, and the ratio, where
// more than 1 means that trifac's call of the first column is faster.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "inputs.hpp"
#include "trifac/solve_mixed.hpp"
#include "trifac/trifac.hpp"
#if TRIFAC_EXPECT_LAPACK
  #include <lapacke.h>
#endif
#if TRIFAC_BENCH_EIGEN
  #include <Eigen/Cholesky>
#endif

namespace {

using namespace trifac;
using clock_type = std::chrono::steady_clock;

double seconds = 0.5;
index_t most = 4096;

double median(std::vector<double>& times) {
  std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
  return times[times.size() / 2];
}

/// Digits behind the point, so that four are printed.
int places(double x) {
  return x < 10 ? 3 : x < 100 ? 2 : x < 1000 ? 1 : 0;
}

/// Both by turns, enough calls of each in a turn that the clock does not matter.
template <class Ours, class Other>
void compare(const char* what, index_t n, const char* beside, Ours ours, Other other) {
  if (n > most) return;
  const auto timed = [](auto call, int calls) {
    const auto begin = clock_type::now();
    for (int k = 0; k < calls; ++k) call();
    return std::chrono::duration<double>(clock_type::now() - begin).count() / calls;
  };
  other();
  timed(ours, 1);
  const int calls = std::max(1, static_cast<int>(20e-6 / timed(ours, 1)));
  std::vector<double> first, second;
  const auto begin = clock_type::now();
  while (clock_type::now() - begin < std::chrono::duration<double>(seconds)) {
    first.push_back(timed(ours, calls));
    second.push_back(timed(other, calls));
  }
  const double a = 1e6 * median(first), b = 1e6 * median(second);
  std::printf("| %s | %ld | %.*f | %s | %.*f | %.2f |\n", what, static_cast<long>(n), places(a), a,
              beside, places(b), b, b / a);
  std::fflush(stdout);
}

matrix<double> input(bench::kind kind, index_t m, index_t n) {
  matrix<double> A(m, n);
  bench::random_numbers random(static_cast<std::uint64_t>(m));
  bench::fill(kind, random, A.view());
  return A;
}
matrix<double> definite(index_t n) {
  return input(bench::kind::positive_definite, n, n);
}

void triangles(index_t n) {
  const auto f = cholesky(definite(n)).or_throw();
  const matrix<double> B = input(bench::kind::general, n, 100);
  matrix<double> X = B;
  const auto ours = [&] { solve(f.L(), X = B); };
  compare("`solve(f.L(), B)`, 100 columns", n, "`solve(f, B)`", ours, [&] { solve(f, X = B); });
#if TRIFAC_EXPECT_LAPACK
  const auto k = static_cast<lapack_int>(n);
  compare("`solve(f.L(), B)`, 100 columns", n, "`dtrtrs`", ours, [&] {
    X = B;
    LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'N', 'N', k, 100, f.matrix().data(), k,
                        X.view().data(), k);
  });
#endif
}

#if TRIFAC_EXPECT_LAPACK
void inverses(index_t n) {
  const auto f = cholesky(definite(n)).or_throw();
  const auto g = lu(input(bench::kind::general, n, n)).or_throw();
  const auto k = static_cast<lapack_int>(n);
  matrix<double> X(n, n), work(n, 64);
  const auto copy = [&](matrix_view<const double> F) { std::copy_n(F.data(), n * n, X.data()); };
  std::vector<lapack_int> p, scratch(static_cast<std::size_t>(n));
  for (const index_t row : g.interchanges().span()) p.push_back(static_cast<lapack_int>(row + 1));
  compare(
      "`inverse(f, X)`, Cholesky", n, "`dpotri`", [&] { inverse(f, X); },
      [&] {
        copy(f.matrix());
        LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', k, X.view().data(), k);
      });
  compare(
      "`inverse(g, X)`, LU", n, "`dgetri`", [&] { inverse(g, X); },
      [&] {
        copy(g.matrix());
        LAPACKE_dgetri_work(LAPACK_COL_MAJOR, k, X.view().data(), k, p.data(), work.view().data(),
                            64 * k);
      });
  double rcond = 0;
  compare(
      "`reciprocal_condition(g, norm)`", n, "`dgecon`",
      [&] { rcond = reciprocal_condition(g, 1.0); },
      [&] {
        LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', k, g.matrix().data(), k, 1.0, &rcond,
                            work.view().data(), scratch.data());
      });
}
#endif

void updates(index_t n) {
  auto f = cholesky(definite(n)).or_throw();
  matrix<double> X = input(bench::kind::general, n, 16);
  for (index_t j = 0; j < 16; ++j)
    for (index_t i = 0; i < n; ++i) X(i, j) /= static_cast<double>(n);
  const auto x = X.view().col(0);
  const auto both = [&](const auto& Y) {
    update(f, Y);
    downdate(f, Y);
  };
  compare(
      "`update`, `downdate` of rank 16", n, "one vector after another", [&] { both(X); },
      [&] {
        for (index_t j = 0; j < 16; ++j) both(X.view().col(j));
      });
#if TRIFAC_BENCH_EIGEN
  const Eigen::Map<const Eigen::MatrixXd> E(X.view().data(), n, 16);
  const matrix<double> A = definite(n);
  Eigen::LLT<Eigen::MatrixXd> g(Eigen::Map<const Eigen::MatrixXd>(A.view().data(), n, n));
  compare(
      "`update(f, x)`", n, "Eigen's `rankUpdate`", [&] { update(f, x); },
      [&] { g.rankUpdate(E.col(0), 1); });
  compare(
      "`update`, `downdate` of rank 1", n, "Eigen's `rankUpdate`", [&] { both(x); },
      [&] {
        g.rankUpdate(E.col(0), 1);
        g.rankUpdate(E.col(0), -1);
      });
#endif
  const matrix<double> L(f.matrix());
  matrix<double> room = L;
  compare(
      "`remove(f, n/2)`", n, "`cholesky` anew",
      [&] {
        room = L;
        auto h = factored_cholesky(room.view(), triangle::lower);
        remove(h, n / 2);
      },
      [&] {
        room = L;
        for (index_t i = 0; i < n; ++i) room(i, i) = static_cast<double>(n);
        static_cast<void>(cholesky(room).ok());
      });
}

void mixed(index_t n) {
  const matrix<double> A = input(bench::kind::general, n, n), B = input(bench::kind::general, n, 1);
  matrix<double> X = B, copy = A;
  compare(
      "`solve_mixed(A, b, x)`", n, "`lu`, `solve`",
      [&] { static_cast<void>(solve_mixed(A, B, X)); },
      [&] {
        copy = A;
        solve(lu(copy).or_throw(), X = B);
      });
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--seconds" && i + 1 < argc)
      seconds = std::atof(argv[++i]);
    else if (word == "--most" && i + 1 < argc)
      most = std::atol(argv[++i]);
    else
      return std::fputs("trifac-after-factor [--seconds S] [--most N]\n", stderr), 2;
  }
  std::puts("| call | n | µs | beside | µs | ratio |\n|---|---|---|---|---|---|");
  for (const index_t n : {50, 500}) triangles(n);
#if TRIFAC_EXPECT_LAPACK
  for (const index_t n : {50, 500, 2000}) inverses(n);
#endif
  for (const index_t n : {50, 500, 3000}) updates(n);
  for (const index_t n : {512, 1024, 2048, 4096}) mixed(n);
}
