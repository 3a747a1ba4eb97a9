// trifac-processes: distributed matrices beside ScaLAPACK, on the same arrays.
//
//   mpirun -np 4 trifac-processes [--grid PxQ] [--block B] [--seconds S] [--partial] [ORDER]...
//   mpirun -np 4 trifac-processes --counts [--grid PxQ] [--block B] [ORDER]...
//   mpirun -np 2 trifac-processes --rates [ORDER]
//
// Cholesky and LU in double, by distributed::cholesky, distributed::lu (tournament; --partial:
// partial pivoting) and by ScaLAPACK's pdpotrf_, pdgetrf_; by turns, S seconds (6) for each order.
// The grid is the squarest (P ≤ Q), the block 64 unless given. Printed are GFLOP/s of the best call
// of each, and the ratios of these and of the medians. Before, at each order, one factor of
// trifac's solves a system, whose solution is compared with the known one; ScaLAPACK's are not
// checked. OPENBLAS_NUM_THREADS=1 for one thread in each process.
//
// --counts: what a process received, messages and kB, the mean and the most of all processes, and
// the lower bound of Irony, Toledo and Tiskin, n²/(2√2·√P) words. These do not depend on the
// machine.
//
// --rates: of products, panels and messages, for bench/scale.

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "flops.hpp"
#include "mpi_counts.hpp"
#include "mpi_rates.hpp"
#include "trifac/blacs.hpp"
#include "trifac/distributed.hpp"

extern "C" {
void Cblacs_gridinit(int*, const char*, int, int);
void Cblacs_gridexit(int);
void pdpotrf_(const char*, const int*, double*, const int*, const int*, const int*, int*);
void pdgetrf_(const int*, const int*, double*, const int*, const int*, const int*, int*, int*);
}

namespace {

namespace distributed = trifac::distributed;
using trifac::index_t;
using clock_type = std::chrono::steady_clock;

struct options {
  bool counts = false, rates = false;
  distributed::array_lu_options lu;
  int rows = 0, cols = 0;
  index_t block = 64;
  double seconds = 6;
  std::vector<index_t> orders;
};

[[noreturn]] void end(const char* why) {
  std::fprintf(stderr, "trifac-processes: %s\n", why);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

/// Element (i, j) in (−1, 1), by splitmix64; with `definite` symmetric, 2n on the diagonal.
double element(bool definite, index_t n, index_t i, index_t j) {
  if (definite && i < j) std::swap(i, j);
  auto z = static_cast<std::uint64_t>(i * n + j) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  const double x = static_cast<double>(static_cast<std::int64_t>(z ^ (z >> 31)) >> 11) * 0x1p-52;
  return definite && i == j ? x + 2 * static_cast<double>(n) : x;
}

/// One matrix on the grid, and its right-hand side A·(1, …, 1)ᵀ.
class problem {
 public:
  problem(const distributed::grid& g, int context, bool lu, index_t n, const options& o)
      : grid_(&g), lu_(lu), n_(n), options_(o) {
    distributed::descriptor d{.rows = n, .cols = n, .row_block = o.block, .col_block = o.block};
    d.ld = std::max<index_t>(1, distributed::array<double>(g, d, nullptr).rows().local_count());
    desc_ = d;
    const distributed::array<double> shape(g, d, nullptr);
    const auto rows = shape.rows(), cols = shape.cols();
    const auto local = static_cast<std::size_t>(d.ld * std::max<index_t>(1, cols.local_count()));
    input_.resize(local);
    A_.resize(local);
    b_.resize(static_cast<std::size_t>(d.ld), 0);
    x_ = b_;
    ipiv_.resize(static_cast<std::size_t>(d.ld + o.block));
    for (index_t j = 0; j < cols.local_count(); ++j)
      for (index_t i = 0; i < rows.local_count(); ++i) {
        const double a = element(!lu, n, rows.global(i), cols.global(j));
        input_[static_cast<std::size_t>(i + j * d.ld)] = a;
        b_[static_cast<std::size_t>(i)] += a;
      }
    MPI_Comm line;
    MPI_Comm_split(MPI_COMM_WORLD, g.row(), g.col(), &line);
    MPI_Allreduce(MPI_IN_PLACE, b_.data(), static_cast<int>(b_.size()), MPI_DOUBLE, MPI_SUM, line);
    MPI_Comm_free(&line);
    const int sizes[] = {1,
                         context,
                         static_cast<int>(n),
                         static_cast<int>(n),
                         static_cast<int>(o.block),
                         static_cast<int>(o.block),
                         0,
                         0,
                         static_cast<int>(d.ld)};
    std::copy(std::begin(sizes), std::end(sizes), scalapack_desc_);
  }

  /// Wall time of the slowest process.
  double run(bool ours) {
    A_ = input_;
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = clock_type::now();
    ours ? factor() : factor_by_scalapack();
    double t = std::chrono::duration<double>(clock_type::now() - start).count();
    MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return t;
  }
  bench::mpi_counts count(bool ours) {
    A_ = input_;
    bench::begin_mpi_counts();
    ours ? factor() : factor_by_scalapack();
    return bench::end_mpi_counts();
  }

 private:
  void factor() {
    const distributed::array<double> A(*grid_, desc_, A_.data());
    if (lu_) {
      const auto f = distributed::try_lu(A, options_.lu);
      if (!f) end(f.status().message().c_str());
    } else {
      const auto f = distributed::try_cholesky(A);
      if (!f) end(f.status().message().c_str());
    }
  }
  void factor_by_scalapack() {
    const int n = static_cast<int>(n_), one = 1;
    int info = 0;
    if (lu_)
      pdgetrf_(&n, &n, A_.data(), &one, &one, scalapack_desc_, ipiv_.data(), &info);
    else
      pdpotrf_("L", &n, A_.data(), &one, &one, scalapack_desc_, &info);
    if (info != 0) end("ScaLAPACK failed");
  }

 public:
  /// Solves with a factor of ours; the largest error of an element of x.
  double error() {
    A_ = input_;
    x_ = b_;
    const distributed::array<double> A(*grid_, desc_, A_.data());
    auto d = desc_;
    d.cols = 1;
    const distributed::array<double> X(*grid_, d, x_.data());
    const trifac::status s = lu_ ? distributed::try_solve(distributed::try_lu(A, options_.lu), X)
                                 : distributed::try_solve(distributed::try_cholesky(A), X);
    if (!s) end(s.message().c_str());
    double most = 0;
    for (index_t i = 0; grid_->col() == 0 && i < X.rows().local_count(); ++i)
      if (const double e = std::abs(x_[static_cast<std::size_t>(i)] - 1); !(e <= most)) most = e;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
  }

 private:
  const distributed::grid* grid_;
  bool lu_;
  index_t n_;
  options options_;
  distributed::descriptor desc_;
  int scalapack_desc_[9];
  std::vector<double> input_, A_, b_, x_;
  std::vector<int> ipiv_;
};

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

void compare(problem& p, bool lu, index_t n, double seconds, bool first) {
  if (!(p.error() < 1e-6)) end("a solution is wrong");
  p.run(false);
  std::vector<double> theirs, ours;
  double spent = 0;  // the same on all processes
  while (spent < seconds) {
    theirs.push_back(p.run(false));
    ours.push_back(p.run(true));
    spent += theirs.back() + ours.back();
  }
  const double least = *std::min_element(theirs.begin(), theirs.end()),
               best = *std::min_element(ours.begin(), ours.end());
  const double flops = lu ? bench::lu_flops<double>(n) : bench::cholesky_flops<double>(n);
  if (!first) return;
  std::printf("| %s | %ld | %.1f | %.1f | %.3f | %.3f |\n", lu ? "LU" : "Cholesky",
              static_cast<long>(n), 1e-9 * flops / least, 1e-9 * flops / best, least / best,
              median(theirs) / median(ours));
  std::fflush(stdout);
}

/// Messages and kB: mean, most.
struct received {
  double mean[2], most[2];
};
received of_all(const bench::mpi_counts& mine) {
  double here[] = {static_cast<double>(mine.messages), 1e-3 * static_cast<double>(mine.bytes)};
  received all;
  int processes = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Allreduce(here, all.most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(here, all.mean, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (double& x : all.mean) x /= processes;
  return all;
}

void count(problem& p, bool lu, index_t n, const distributed::grid& g, index_t block, bool first) {
  const received ours = of_all(p.count(true)), theirs = of_all(p.count(false));
  if (!first) return;
  const double order = static_cast<double>(n), P = g.rows() * g.cols();
  std::printf(
      "| %s | %ld | %ld | %d × %d | %.0f (%.0f) | %.0f (%.0f) | %.0f (%.0f) | %.0f (%.0f) | "
      "%.0f |\n",
      lu ? "LU" : "Cholesky", static_cast<long>(n), static_cast<long>(block), g.rows(), g.cols(),
      ours.mean[0], ours.most[0], theirs.mean[0], theirs.most[0], ours.mean[1], ours.most[1],
      theirs.mean[1], theirs.most[1], 8e-3 * order * order / (2 * std::sqrt(2 * P)));
  std::fflush(stdout);
}

bool read(int argc, char** argv, options& o) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--counts")
      o.counts = true;
    else if (word == "--rates")
      o.rates = true;
    else if (word == "--partial")
      o.lu.pivoting = trifac::pivoting::partial;
    else if (word == "--grid" && i + 1 < argc &&
             std::sscanf(argv[i + 1], "%dx%d", &o.rows, &o.cols) == 2)
      ++i;
    else if (word == "--block" && i + 1 < argc)
      o.block = std::atol(argv[++i]);
    else if (word == "--seconds" && i + 1 < argc)
      o.seconds = std::atof(argv[++i]);
    else if (std::atol(argv[i]) > 0)
      o.orders.push_back(std::atol(argv[i]));
    else
      return false;
  }
  if (o.orders.empty()) o.orders = {1024, 2048, 4096};
  return o.block > 0;
}

void run_all(const options& o, int processes, bool first) {
  int rows = o.rows, cols = o.cols;
  if (rows == 0) {
    for (rows = static_cast<int>(std::sqrt(processes)); processes % rows != 0;) --rows;
    cols = processes / rows;
  }
  if (rows * cols != processes) end("the grid does not have as many processes as the program");
  int context = 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", rows, cols);
  const distributed::grid g = distributed::grid_of(context);
  if (first && o.counts)
    std::puts(
        "| | n | b | grid | messages: mean (most) | ScaLAPACK | kB: mean (most) | ScaLAPACK | "
        "least kB |\n|---|---|---|---|---|---|---|---|---|");
  else if (first)
    std::printf(
        "%d × %d processes, b = %ld\n\n| | n | ScaLAPACK, GFLOP/s | trifac | ratio | of "
        "medians |\n|---|---|---|---|---|---|\n",
        rows, cols, static_cast<long>(o.block));
  for (const bool lu : {false, true})
    for (const index_t n : o.orders) {
      problem p(g, context, lu, n, o);
      o.counts ? count(p, lu, n, g, o.block, first) : compare(p, lu, n, o.seconds, first);
    }
  Cblacs_gridexit(context);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  options o;
  if (!read(argc, argv, o)) {
    if (rank == 0)
      std::fputs(
          "trifac-processes [--counts | --rates] [--grid PxQ] [--block B] [--seconds S] "
          "[--partial] "
          "[ORDER]...\n",
          stderr);
    MPI_Finalize();
    return 2;
  }
  o.rates ? bench::print_rates(o.orders.back()) : run_all(o, size, rank == 0);
  MPI_Finalize();
  return 0;
}
