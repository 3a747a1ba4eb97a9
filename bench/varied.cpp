// trifac-varied: many matrices of different sizes in one call, beside loops over LAPACK and over
// calls on one matrix.
//
//   trifac-varied [--seconds S] [--batch N] [--least N] [--most N]
//
// Double, one thread: N matrices (10000), their orders at random from 4 to 64, one after another in
// memory. By turns for S seconds (3) for each row. Printed are medians of µs of processor time for
// a matrix, without the copies of what a call overwrites, and ratios, where more than 1 means that
// one call on all is faster.

#include <lapacke.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string_view>
#include <vector>

#include "inputs.hpp"
#include "trifac/trifac.hpp"
#include "trifac/varied_batch.hpp"

namespace {

using namespace trifac;

double seconds = 3;
index_t count = 10000, least = 4, most = 64;

double processor_time() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Systems of random orders: A as it was and as calls overwrite it, and one right-hand side each.
struct systems {
  systems(bench::kind what) {
    bench::random_numbers random(1);
    std::size_t elements = 0, rows = 0;
    for (index_t b = 0; b < count; ++b) {
      const double x = random.next<double>() / 2 + 0.5;  // in (0, 1)
      orders.push_back(least + static_cast<index_t>(x * static_cast<double>(most - least + 1)));
      elements += static_cast<std::size_t>(orders.back() * orders.back());
      rows += static_cast<std::size_t>(orders.back());
    }
    A.resize(elements);
    B.resize(rows);
    elements = rows = 0;
    for (const index_t n : orders) {
      in_A.push_back(A.data() + elements);
      in_B.push_back(B.data() + rows);
      bench::fill(what, random, column_major(in_A.back(), n, n));
      bench::fill(bench::kind::general, random, column_major(in_B.back(), n, 1));
      elements += static_cast<std::size_t>(n * n);
      rows += static_cast<std::size_t>(n);
    }
    A_before = A;
    B_before = B;
    pivots_of_lapack.resize(rows);
    first_pivot.reserve(orders.size());
    for (double* const x : in_B) first_pivot.push_back(pivots_of_lapack.data() + (x - B.data()));
  }
  void restore() {
    A = A_before;
    B = B_before;
  }
  matrix_view<double> matrix_of(std::size_t b) const {
    return column_major(in_A[b], orders[b], orders[b]);
  }
  matrix_view<double> sides_of(std::size_t b) const { return column_major(in_B[b], orders[b], 1); }
  varied_view<double> matrices() const { return varied(in_A, orders); }
  varied_view<double> sides() const { return varied(in_B, orders, 1); }

  std::vector<index_t> orders;
  std::vector<double> A, B, A_before, B_before;
  std::vector<double*> in_A, in_B;
  std::vector<lapack_int> pivots_of_lapack;
  std::vector<lapack_int*> first_pivot;
};

void expect(bool succeeded) {
  if (succeeded) return;
  std::fputs("trifac-varied: a call failed\n", stderr);
  std::exit(1);
}

/// Of each system b, one after another.
template <class Call>
auto loop(const systems& S, Call call) {
  return [&S, call] {
    for (std::size_t b = 0; b < S.orders.size(); ++b) expect(call(b));
  };
}

/// One row: the same by LAPACK, by calls on one matrix, and by one call on all.
void compare(const char* what, systems& S, const std::array<std::function<void()>, 3>& calls,
             const std::function<void()>& before) {
  std::array<std::vector<double>, 3> times;
  const double begin = processor_time();
  while (processor_time() - begin < seconds || times[0].size() < 3)
    for (std::size_t k = 0; k < calls.size(); ++k) {
      before();
      const double start = processor_time();
      calls[k]();
      times[k].push_back(processor_time() - start);
    }
  std::array<double, 3> each;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    auto& t = times[k];
    std::nth_element(t.begin(), t.begin() + std::ssize(t) / 2, t.end());
    each[k] = 1e6 * t[t.size() / 2] / static_cast<double>(S.orders.size());
  }
  std::printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f |\n", what, each[0], each[1], each[2],
              each[0] / each[2], each[1] / each[2]);
  std::fflush(stdout);
}

void definite_systems() {
  systems S(bench::kind::positive_definite);
  const auto order = [&](std::size_t b) { return static_cast<lapack_int>(S.orders[b]); };
  const auto potrf = [&](std::size_t b) {
    const lapack_int n = order(b);
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, S.in_A[b], n) == 0;
  };
  const auto potrs = [&](std::size_t b) {
    const lapack_int n = order(b);
    return LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, S.in_A[b], n, S.in_B[b], n) == 0;
  };
  const auto restore = [&] { S.restore(); };
  compare(
      "Cholesky", S,
      {loop(S, potrf), loop(S, [&](std::size_t b) { return try_cholesky(S.matrix_of(b)).ok(); }),
       [&] { expect(try_cholesky(S.matrices()).ok()); }},
      restore);
  compare(
      "Cholesky and solve", S,
      {loop(S, [&](std::size_t b) { return potrf(b) && potrs(b); }),
       loop(S,
            [&](std::size_t b) { return try_cholesky_solve(S.matrix_of(b), S.sides_of(b)).ok(); }),
       [&] { expect(try_cholesky_solve(S.matrices(), S.sides()).ok()); }},
      restore);
  S.restore();
  const auto f = cholesky(S.matrices());
  std::vector<cholesky_factor<double>> factors;
  for (index_t b = 0; b < count; ++b) factors.push_back(f[b]);
  compare("`solve` with the factor", S,
          {loop(S, potrs),
           loop(S, [&](std::size_t b) { return try_solve(factors[b], S.sides_of(b)).ok(); }),
           [&] { expect(try_solve(f, S.sides()).ok()); }},
          [&] { S.B = S.B_before; });
}

void general_systems() {
  systems S(bench::kind::general);
  const auto getrf = [&](std::size_t b) {
    const auto n = static_cast<lapack_int>(S.orders[b]);
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, S.in_A[b], n, S.first_pivot[b]) == 0;
  };
  const auto getrs = [&](std::size_t b) {
    const auto n = static_cast<lapack_int>(S.orders[b]);
    return LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, S.in_A[b], n, S.first_pivot[b],
                               S.in_B[b], n) == 0;
  };
  pivots p;
  const auto restore = [&] { S.restore(); };
  compare("LU", S,
          {loop(S, getrf), loop(S, [&](std::size_t b) { return try_lu(S.matrix_of(b), p).ok(); }),
           [&] { expect(try_lu(S.matrices()).ok()); }},
          restore);
  compare(
      "LU and solve", S,
      {loop(S, [&](std::size_t b) { return getrf(b) && getrs(b); }),
       loop(S, [&](std::size_t b) { return try_lu_solve(S.matrix_of(b), p, S.sides_of(b)).ok(); }),
       [&] { expect(try_lu_solve(S.matrices(), S.sides()).ok()); }},
      restore);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i += 2) {
    const std::string_view word = argv[i];
    if (i + 1 == argc ||
        (word != "--seconds" && word != "--batch" && word != "--least" && word != "--most"))
      return std::fputs("trifac-varied [--seconds S] [--batch N] [--least N] [--most N]\n", stderr),
             2;
    if (word == "--seconds") seconds = std::atof(argv[i + 1]);
    if (word == "--batch") count = std::atol(argv[i + 1]);
    if (word == "--least") least = std::atol(argv[i + 1]);
    if (word == "--most") most = std::atol(argv[i + 1]);
  }
  std::puts(
      "| call | LAPACK, µs | one by one, µs | one call, µs | LAPACK / one call | one by one / one "
      "call |\n|---|---|---|---|---|---|");
  definite_systems();
  general_systems();
}
