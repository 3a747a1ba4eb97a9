// trifac-tasks: factorizations by tasks of StarPU beside the same on threads.
//
//   trifac-tasks [--devices | --dealt] [--seconds S] [--block B] [ORDER]...
//
// LU with partial pivoting and Cholesky in double: `openmp` and `starpu` with as many workers as it
// has threads; --devices: `serial` and `starpu_opencl` with dynamic placement, --dealt:
// round_robin. Both take turns, S seconds (6) at each order, after two calls that are not counted
// (--devices: after twelve, in which the scheduler measures). Each call follows 30 ms of rest, as a
// team of threads waits busily, on the other's cores, for a task that does not come. STARPU_NCPU
// says how many workers (2; with devices 1); docs/starpu.md has the variables for PoCL.
//
// Printed are GFLOP/s of the best call of each and the ratio of these and of the medians; tasks of
// the best call; µs in which a worker ran no task, divided by the tasks, and the share of time in
// which workers ran them; MB that StarPU moved between memories, MB that the order of the tasks
// asks for, and MB of the matrix.

#include <starpu.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "flops.hpp"
#include "inputs.hpp"
#include "trifac/backend/openmp.hpp"
#include "trifac/backend/starpu.hpp"
#if TRIFAC_EXPECT_OPENCL
  #include "trifac/backend/starpu_opencl.hpp"
#endif
#include "trifac/trifac.hpp"

namespace {

using namespace trifac;
using clock_type = std::chrono::steady_clock;

struct options {
  bool devices = false, dealt = false;
  double seconds = 6;
  index_t block = 0;
  std::vector<index_t> orders;
};

double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

/// One factorization of order n by any backend, after a rest, timed without the copy of its input.
class job {
 public:
  job(bool lu, index_t n, index_t block) : lu_(lu), block_(block), input_(n, n), A_(n, n), p_(n) {
    bench::random_numbers random(static_cast<std::uint64_t>(n));
    bench::fill(lu ? bench::kind::general : bench::kind::positive_definite, random, input_.view());
  }
  template <class B>
  double run(const B& backend, index_t block) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    A_ = input_;
    const auto start = clock_type::now();
    const status s = lu_ ? try_lu(backend, A_.view(), p_, {.block = block}).status()
                         : try_cholesky(backend, A_.view(), {.block = block}).status();
    const double t = seconds_since(start);
    if (s) return t;
    std::fprintf(stderr, "trifac-tasks: %s\n", s.message().c_str());
    std::exit(1);
  }
  double run_by_tasks(const auto& backend) { return run(backend, block_); }

 private:
  bool lu_;
  index_t block_;
  matrix<double> input_, A_;
  pivots p_;
};

/// Bytes that StarPU has moved between memories since the last call.
double bytes_moved() {
  double bytes = 0;
  for (int bus = 0; bus < starpu_bus_get_count(); ++bus) {
    starpu_profiling_bus_info info = {};
    if (starpu_bus_get_profiling_info(bus, &info) == 0)
      bytes += static_cast<double>(info.transferred_bytes);
  }
  return bytes;
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

/// `reference` and tasks by turns; the tasks write `timeline`.
template <class Reference, class Tasks>
void compare(bool lu, index_t n, const options& o, const Reference& reference, const Tasks& tasks,
             const backend::starpu_timeline& timeline, int warm) {
  job here(lu, n, o.block);
  here.run(reference, 0);
  for (int k = 0; k < warm; ++k) here.run_by_tasks(tasks);
  backend::starpu_timeline best;
  double best_time = 1e300, moved = 0;
  std::vector<double> theirs, ours;
  for (const auto start = clock_type::now(); seconds_since(start) < o.seconds;) {
    theirs.push_back(here.run(reference, 0));
    bytes_moved();
    ours.push_back(here.run_by_tasks(tasks));
    const double bytes = bytes_moved();
    if (ours.back() >= best_time) continue;
    best_time = ours.back();
    best = timeline;
    moved = bytes;
  }
  const double least = *std::min_element(theirs.begin(), theirs.end());
  const double flops = lu ? bench::lu_flops<double>(n) : bench::cholesky_flops<double>(n);
  double busy = 0, asked = 0;
  for (const auto& task : best.tasks) busy += task.end - task.begin;
  for (const auto& t : best.transfers) asked += t.bytes;
  const double all = best_time * static_cast<double>(best.workers.size());
  const auto count = static_cast<double>(best.tasks.size());
  const double matrix = 8e-6 * static_cast<double>(n) * static_cast<double>(n);
  std::printf(
      "| %s | %ld | %.1f | %.1f | %.3f | %.3f | %.0f | %.1f | %.2f | %.0f | %.0f | %.0f |\n",
      lu ? "LU" : "Cholesky", static_cast<long>(n), 1e-9 * flops / least, 1e-9 * flops / best_time,
      least / best_time, median(theirs) / median(ours), count,
      count > 0 ? 1e6 * (all - busy) / count : 0.0, busy / all, 1e-6 * moved, 1e-6 * asked, matrix);
  std::fflush(stdout);
}

void heading(const char* reference, const char* tasks) {
  std::printf(
      "| | n | %s, GFLOP/s | %s | ratio | of medians | tasks | idle µs a task | busy | MB "
      "moved | MB asked for | MB of A |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      reference, tasks);
}

template <class Reference, class Tasks>
void compare_all(const options& o, const Reference& reference, const Tasks& tasks,
                 const backend::starpu_timeline& timeline, int warm) {
  for (const bool lu : {true, false})
    for (const index_t n : o.orders) compare(lu, n, o, reference, tasks, timeline, warm);
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--devices")
      o.devices = true;
    else if (word == "--dealt")
      o.devices = o.dealt = true;
    else if (word == "--seconds" && i + 1 < argc)
      o.seconds = std::atof(argv[++i]);
    else if (word == "--block" && i + 1 < argc)
      o.block = std::atol(argv[++i]);
    else if (std::atol(argv[i]) > 0)
      o.orders.push_back(std::atol(argv[i]));
    else
      return std::fputs("trifac-tasks [--devices | --dealt] [--seconds S] [--block B] [ORDER]...\n",
                        stderr),
             2;
  }
  if (o.orders.empty()) o.orders = {1024, 2048, 4096};
  ::setenv("STARPU_NCPU", o.devices ? "1" : "2", 0);
  ::setenv("STARPU_SILENT", "1", 0);
  ::setenv("STARPU_BUS_STATS", "0", 0);
  backend::starpu_timeline timeline;
  if (!o.devices) {
    const int threads = std::atoi(std::getenv("STARPU_NCPU"));
    heading("openmp", "starpu");
    compare_all(o, backend::openmp{.threads = threads}, backend::starpu{.timeline = &timeline},
                timeline, 2);
    return 0;
  }
#if TRIFAC_EXPECT_OPENCL
  using backend::starpu_placement;
  heading("serial", o.dealt ? "cpu and devices, round_robin" : "cpu and devices, dynamic");
  const backend::starpu_opencl dealt{.placement = starpu_placement::round_robin,
                                     .timeline = &timeline};
  job(true, 600, 0).run(dealt, 0);  // starts StarPU and compiles the kernels
  job(false, 600, 0).run(dealt, 0);
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  const backend::starpu_opencl dynamic{.timeline = &timeline};
  compare_all(o, backend::serial{}, o.dealt ? dealt : dynamic, timeline, o.dealt ? 2 : 12);
  return 0;
#else
  return std::fputs("trifac-tasks: built without OpenCL\n", stderr), 2;
#endif
}
