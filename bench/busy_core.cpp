// trifac-busy-core: what two threads are worth where another program keeps one of their cores busy.
//
//   trifac-busy-core [--idle] [--seconds S] [ORDER]...
//
// The program keeps to two cores and starts a process that spins on one of them (--idle: none). One
// thread and two take turns, half a second or one call each, for S seconds (4) at each order.
// Printed are mean wall times of a call, in ms, and the ratio of one thread to two, where more than
// 1 means that two are faster; the slowest call of two, as a multiple of one thread's mean; and, in
// the line "mixed", the largest order with calls of order 500 before each: what a late small call
// makes of the next large one.

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "inputs.hpp"
#include "trifac/backend/openmp.hpp"
#include "trifac/trifac.hpp"

namespace {

using namespace trifac;
using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

/// The last two cores that this process may use, the busy one last.
std::vector<int> two_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> cores;
  for (int c = 0; c < CPU_SETSIZE; ++c)
    if (CPU_ISSET(c, &allowed)) cores.push_back(c);
  if (cores.size() > 2) cores.erase(cores.begin(), cores.end() - 2);
  return cores;
}

void keep_to(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int c : cores) CPU_SET(c, &set);
  sched_setaffinity(0, sizeof set, &set);
}

/// A process that spins on one core for as long as the object lives.
class busy_core {
 public:
  explicit busy_core(int core) : process_(fork()) {
    if (process_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    keep_to({core});
    for (volatile unsigned spins = 0;;) spins = spins + 1;
  }
  busy_core(const busy_core&) = delete;
  ~busy_core() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

 private:
  pid_t process_;
};

/// Mean and slowest time of some calls.
struct times {
  double sum = 0, slowest = 0;
  int calls = 0;
  void add(double t) {
    sum += t;
    slowest = std::max(slowest, t);
    ++calls;
  }
  double mean() const { return sum / calls; }
};

/// One factorization of order n by either backend, timed without the copy of its input.
class job {
 public:
  job(bool lu, index_t n) : lu_(lu), input_(n, n), A_(n, n), p_(n) {
    bench::random_numbers random(static_cast<std::uint64_t>(n));
    bench::fill(lu ? bench::kind::general : bench::kind::positive_definite, random, input_.view());
  }
  template <class B>
  double run(const B& backend) {
    A_ = input_;
    const auto start = clock_type::now();
    const status s =
        lu_ ? try_lu(backend, A_.view(), p_).status() : try_cholesky(backend, A_.view()).status();
    const double t = seconds_since(start);
    if (!s) std::exit(1);
    return t;
  }

 private:
  bool lu_;
  matrix<double> input_, A_;
  pivots p_;
};

void print(const char* what, const char* name, index_t n, const times& one, const times& two) {
  std::printf("| %s | %ld%s | %.3g | %.3g | %.2f | %.2f |\n", what, static_cast<long>(n), name,
              1e3 * one.mean(), 1e3 * two.mean(), one.mean() / two.mean(),
              two.slowest / one.mean());
  std::fflush(stdout);
}

/// One thread and two by turns; before each turn `before` calls of a small order on two threads.
void compare(bool lu, index_t n, double seconds, int before) {
  const backend::serial alone;
  const backend::openmp team{.threads = 2};
  constexpr double turn = 0.5;
  job large(lu, n), small(lu, 500);
  large.run(alone);
  large.run(team);
  times one, two;
  const auto start = clock_type::now();
  while (seconds_since(start) < seconds) {
    for (const auto turn_start = clock_type::now(); seconds_since(turn_start) < turn;)
      one.add(large.run(alone));
    for (const auto turn_start = clock_type::now(); seconds_since(turn_start) < turn;) {
      for (int k = 0; k < before; ++k) small.run(team);
      two.add(large.run(team));
    }
  }
  print(lu ? "LU" : "Cholesky", before > 0 ? ", mixed" : "", n, one, two);
}

}  // namespace

int main(int argc, char** argv) {
  bool idle = false;
  double seconds = 4;
  std::vector<index_t> orders;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--idle")
      idle = true;
    else if (word == "--seconds" && i + 1 < argc)
      seconds = std::atof(argv[++i]);
    else if (std::atol(argv[i]) > 0)
      orders.push_back(std::atol(argv[i]));
    else
      return std::fputs("trifac-busy-core [--idle] [--seconds S] [ORDER]...\n", stderr), 2;
  }
  if (orders.empty()) orders = {300, 500, 700, 1000, 2000, 4096};

  const auto cores = two_cores();
  if (cores.size() < 2 || !backend::openmp{}.available())
    return std::fputs("trifac-busy-core: needs two cores and OpenMP\n", stderr), 2;
  keep_to(cores);
  const auto run = [&] {
    std::puts("| | n | one thread, ms | two, ms | ratio | slowest of two |");
    std::puts("|---|---|---|---|---|---|");
    for (const bool lu : {false, true}) {
      for (const index_t n : orders) compare(lu, n, seconds, 0);
      compare(lu, orders.back(), seconds, 10);
    }
  };
  if (idle) return run(), 0;
  const busy_core other(cores.back());
  run();
  return 0;
}
