// What the steps of a distributed factorization reach on one core while the others of the program
// do the same, and MPI's messages between the processes 0 and 1.

#include "mpi_rates.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "trifac/engine/distributed/product.hpp"
#include "trifac/trifac.hpp"

namespace {

using namespace trifac;

/// Seconds of the fastest of some calls that all processes begin together, each after `before`, on
/// the slowest process.
template <class Call, class Before>
double fastest(Call call, Before before) {
  double best = 1e300;
  const double start = MPI_Wtime();
  for (bool more = true; more;) {
    before();
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    call();
    best = std::min(best, MPI_Wtime() - begin);
    more = MPI_Wtime() - start < 2;
    MPI_Bcast(&more, 1, MPI_CXX_BOOL, 0, MPI_COMM_WORLD);
  }
  MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return best;
}
template <class Call>
double fastest(Call call) {
  return fastest(call, [] {});
}

matrix<double> filled(index_t rows, index_t cols) {
  matrix<double> A(rows, cols);
  for (index_t j = 0; j < cols; ++j)
    for (index_t i = 0; i < rows; ++i)
      A(i, j) = (i == j ? 100 : 0) + 1e-3 * static_cast<double>((7 * i + 13 * j) % 101);
  return A;
}

/// Seconds from one process to the other: half of there and back.
double message(index_t bytes) {
  constexpr int rounds = 16;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<char> data(static_cast<std::size_t>(bytes));
  const int count = static_cast<int>(bytes);
  const double seconds = fastest([&] {
    for (int k = 0; k < rounds && rank < 2; ++k) {
      if (rank == 0) MPI_Send(data.data(), count, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(data.data(), count, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) MPI_Send(data.data(), count, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
  });
  return seconds / (2 * rounds);
}

}  // namespace

namespace bench {

void print_rates(long order) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const index_t n = order;
  const auto print = [&](const char* what, index_t b, double rate, const char* unit) {
    if (rank == 0)
      b > 0 ? std::printf("| %s | %ld | %.3g %s |\n", what, static_cast<long>(b), rate, unit)
            : std::printf("| %s | | %.3g %s |\n", what, rate, unit);
  };
  if (rank == 0) std::printf("| n = %ld | b | rate |\n|---|---|---|\n", order);
  matrix<double> C = filled(n, n / 2);
  for (const index_t b : {64, 128, 256}) {
    const backend::serial on;
    const matrix<double> L = filled(b, b), R = filled(b, n / 2);
    const matrix<double> input = filled(n, b);
    matrix<double> W = input;
    const auto restore = [&] { std::copy_n(input.data(), n * b, W.data()); };
    const double product = fastest([&] {
      static_cast<void>(
          trifac::calls<double>::subtract_product(team_for_call(on), operand<double>(W.view()),
                                                  matrix_view<const double>(R.view()), C.view()));
    });
    const double solve = fastest(
        [&] {
          static_cast<void>(
              trifac::detail::run_triangular_solve(on, operand<double>(L.view()), triangle::lower,
                                                   diagonal::non_unit, W.view().transposed()));
        },
        restore);
    pivots interchanges;
    const double panel =
        fastest([&] { static_cast<void>(try_lu(on, W.view(), interchanges)); }, restore);
    const auto rows = static_cast<double>(n), width = static_cast<double>(b);
    print("product, a core", b, 1e-9 * rows * rows * width / product, "GFLOP/s");
    print("panel of Cholesky, a core", b, 1e-9 * rows * width * width / solve, "GFLOP/s");
    print("panel of LU, a core", b, 1e-9 * (rows - width / 3) * width * width / panel, "GFLOP/s");
  }
  if (size < 2) return;
  print("8 bytes to another process", 0, 1e6 * message(8), "µs");
  constexpr index_t large = 1 << 23;
  print("8 MB to another process", 0, 1e-9 * static_cast<double>(large) / message(large), "GB/s");
}

}  // namespace bench
