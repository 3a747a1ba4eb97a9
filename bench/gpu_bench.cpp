// trifac-gpu-bench: Cholesky and LU on a CUDA device against cuSOLVER, resident and with the copies
// from and to the host, and the thesis' kernels by threads per block. A table on the standard
// output, all figures as JSON in a file:
//
//   trifac-gpu-bench [--json FILE] [--repeat N] [--seconds S] [ORDER]...
//
// Each figure is the median of N runs (of at most 3 from order 8192 on) after one that does not
// count; those by threads per block are of one run. --seconds stops early, with the largest orders
// last; the file is written anew with each figure.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trifac/backend/cuda.hpp"
#include "trifac/backend/cuda_graph.hpp"
#include "trifac/backend/cusolver.hpp"
#include "trifac/device_matrix_lu.hpp"

namespace {

using namespace trifac;
using seconds = std::chrono::duration<double>;

struct figure {
  std::string what, type, how;
  index_t n;
  double resident, with_copies, gflops;  ///< seconds, seconds, 10⁹ flops per resident second
};

struct settings {
  std::string json;
  int repeat = 5;
  double seconds = 300;
  bool help = false;
  std::vector<index_t> orders = {512, 1024, 2048, 4096, 8192, 16384};
};

double now() {
  return std::chrono::duration_cast<seconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The median; of an even number the larger one in the middle.
double middle(std::vector<double> times) {
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

/// The median of the runs of `measured`, each after `before`; one more run comes first.
double median(int repeat, const std::function<void()>& before,
              const std::function<void()>& measured) {
  std::vector<double> times;
  for (int k = 0; k <= repeat; ++k) {
    before();
    const double start = now();
    measured();
    if (k > 0) times.push_back(now() - start);
  }
  return middle(std::move(times));
}

/// Elements between -1/2 and 1/2: LU exchanges rows in every step. Cholesky reads the lower triangle
/// only, and its diagonal makes that of a positive definite matrix.
template <class T>
matrix<T> random_elements(index_t n) {
  matrix<T> A(n, n);
  std::uint64_t bits = 88172645463325252u;
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) {
      bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
      A(i, j) = static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-53 - 0.5);
    }
  return A;
}
template <class T>
matrix<T> positive_definite(index_t n) {
  matrix<T> A = random_elements<T>(n);
  for (index_t j = 0; j < n; ++j) A(j, j) = static_cast<T>(n);
  return A;
}

void require(const status& s) {
  if (!s) throw numerical_error(s);
}

class bench {
 public:
  bench(const settings& s, const backend::cuda& gpu, const backend::cusolver& reference)
      : settings_(s), gpu_(gpu), reference_(reference), end_(now() + s.seconds) {}

  template <class T>
  void compare(std::string_view type, index_t n) {
    if (now() > end_) return;
    const double third =
        static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / 3;
    compare_cholesky(type, third, positive_definite<T>(n));
    if (now() > end_) return;
    compare_lu(type, 2 * third, random_elements<T>(n));
  }

  /// The thesis' three versions by threads per block, its table 4.2: copies count there. One run each,
  /// after one that does not count.
  void thesis(index_t n) {
    const matrix<float> A = positive_definite<float>(n);
    const double flops =
        static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / 3;
    using device::column_kernels;
    for (const char* version : {"single kernel", "multiple kernels", "in place"})
      for (int threads : {1, 2, 4, 8, 128, 512, 1024}) {
        if (now() > end_) return;
        const bool in_place = std::string_view(version) == "in place";
        const auto on = gpu_.with({.group = threads,
                                   .columns = std::string_view(version) == "single kernel"
                                                  ? column_kernels::single
                                                  : column_kernels::multiple});
        matrix<float> L(n, n);
        const double t = median(
            1,
            [&] {
              if (in_place) L = A;
            },
            [&] {
              require(in_place ? try_cholesky<variant::crout>(on, L).status()
                               : try_cholesky<variant::crout>(on, A, L).status());
            });
        add({"potrf", "float",
             std::string("crout, ") + version + ", " + std::to_string(threads) + " threads", n,
             on.times().run, t, flops / on.times().run * 1e-9});
      }
  }

  /// All figures so far; the file is there as a whole or as it was before.
  void write_json() const {
    if (settings_.json.empty()) return;
    const std::string unfinished = settings_.json + ".part";
    std::ofstream out(unfinished);
    const auto& facts = gpu_.facts();
    out << "{\"device\": \"" << facts.name << "\", \"driver\": \"" << facts.driver
        << "\", \"figures\": [\n";
    for (std::size_t k = 0; k < figures_.size(); ++k) {
      const figure& f = figures_[k];
      out << "  {\"what\": \"" << f.what << "\", \"type\": \"" << f.type << "\", \"how\": \""
          << f.how << "\", \"n\": " << f.n << ", \"resident_s\": " << f.resident
          << ", \"with_copies_s\": " << f.with_copies << ", \"gflops\": " << f.gflops
          << (k + 1 < figures_.size() ? "},\n" : "}\n");
    }
    out << "]}\n";
    out.close();
    if (!out || std::rename(unfinished.c_str(), settings_.json.c_str()) != 0)
      throw std::runtime_error("cannot write " + settings_.json);
  }

 private:
  template <class T>
  void compare_cholesky(std::string_view type, double flops, const matrix<T>& A) {
    ours<T>(
        "potrf", type, "trifac", flops, A, [](auto& D) { return trifac::cholesky(D).status(); },
        [&](matrix<T>& H) { return try_cholesky(gpu_, H).status(); });
    as_graph<T>("potrf", type, "trifac, graph", flops, A,
                [](auto& D) { return trifac::cholesky(D); });
    theirs<T>("potrf", type, flops, A,
              [&](matrix<T>& H) { return potrf(reference_, std::as_const(H).view(), H.view()); });
  }
  template <class T>
  void compare_lu(std::string_view type, double flops, const matrix<T>& A) {
    const lu_options by_tournament{.pivoting = pivoting::tournament};
    as_graph<T>("getrf", type, "trifac, tournament, graph", flops, A,
                [&](auto& D) { return trifac::lu(D, by_tournament); });
    ours<T>(
        "getrf", type, "trifac, tournament", flops, A,
        [&](auto& D) { return trifac::lu(D, by_tournament).status(); },
        [&](matrix<T>& H) { return try_lu(gpu_, H, by_tournament).status(); });
    if (A.rows() <= 4096)  // a panel of more rows is too much for one group
      ours<T>(
          "getrf", type, "trifac, partial", flops, A,
          [](auto& D) { return trifac::lu(D).status(); },
          [&](matrix<T>& H) { return try_lu(gpu_, H).status(); });
    std::vector<index_t> rows(static_cast<std::size_t>(A.rows()));
    theirs<T>("getrf", type, flops, A,
              [&](matrix<T>& H) { return getrf(reference_, H.view(), std::span(rows)); });
  }

  template <class T, class Resident, class Host>
  void ours(const char* what, std::string_view type, const char* how, double flops,
            const matrix<T>& A, Resident resident, Host host) {
    if (now() > end_) return;
    const int repeat = repeat_for(A.rows());
    device_matrix<T, backend::cuda> D(gpu_, A.view());
    const double t = median(
        repeat, [&] { D.assign(A.view()); }, [&] { require(resident(D)); });
    matrix<T> H;
    const double all = median(
        repeat, [&] { H = A; }, [&] { require(host(H)); });
    add({what, std::string(type), how, A.rows(), t, all, flops / t * 1e-9});
  }
  /// What one launch of all of it costs, where launches may be most of the time.
  template <class T, class Calls>
  void as_graph(const char* what, std::string_view type, const char* how, double flops,
                const matrix<T>& A, Calls calls) {
    if (now() > end_ || A.rows() > 4096) return;
    device_matrix<T, backend::cuda> D(gpu_, A.view());
    backend::cuda_graph graph(gpu_, [&] { return calls(D); });
    const double t = median(
        settings_.repeat, [&] { D.assign(A.view()); },
        [&] {
          graph.launch();
          require(graph.status());
        });
    matrix<T> H = A;
    const double all = median(
        settings_.repeat, [] {},
        [&] {
          D.assign(A.view());
          graph.launch();
          D.copy_to(H.view());
          require(graph.status());
        });
    add({what, std::string(type), how, A.rows(), t, all, flops / t * 1e-9});
  }
  template <class T, class Host>
  void theirs(const char* what, std::string_view type, double flops, const matrix<T>& A,
              Host host) {
    if (now() > end_) return;
    matrix<T> H;
    std::vector<double> inside;
    const int repeat = repeat_for(A.rows());
    const double all = median(
        repeat, [&] { H = A; },
        [&] {
          require(host(H));
          inside.push_back(reference_.times().run);
        });
    inside.erase(inside.begin());  // the one that does not count
    const double t = middle(std::move(inside));
    add({what, std::string(type), "cuSOLVER", A.rows(), t, all, flops / t * 1e-9});
  }
  int repeat_for(index_t n) const {
    return n >= 8192 ? std::min(3, settings_.repeat) : settings_.repeat;
  }
  void add(const figure& f) {
    std::printf("%-6s %-7s n %6lld  %-28s resident %9.3f ms  with copies %9.3f ms  %9.1f GFLOP/s\n",
                f.what.c_str(), f.type.c_str(), static_cast<long long>(f.n), f.how.c_str(),
                f.resident * 1e3, f.with_copies * 1e3, f.gflops);
    std::fflush(stdout);
    figures_.push_back(f);
    write_json();
  }

  settings settings_;
  backend::cuda gpu_;
  backend::cusolver reference_;
  double end_;
  std::vector<figure> figures_;
};

template <class Number>
Number number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value <= 0)
    throw std::invalid_argument("\"" + std::string(text) + "\" is no positive number");
  return value;
}

settings read_arguments(int count, char** words) {
  settings s;
  std::vector<index_t> orders;
  for (int k = 1; k < count; ++k) {
    const std::string_view word = words[k];
    const auto value = [&]() -> std::string_view {
      if (k + 1 == count) throw std::invalid_argument(std::string(word) + " needs a value");
      return words[++k];
    };
    if (word == "--help")
      s.help = true;
    else if (word == "--json")
      s.json = value();
    else if (word == "--repeat")
      s.repeat = number_in<int>(value());
    else if (word == "--seconds")
      s.seconds = number_in<int>(value());
    else
      orders.push_back(number_in<index_t>(word));
  }
  if (!orders.empty()) s.orders = orders;
  return s;
}

int run(const settings& s) {
  if (s.help) {
    std::puts(
        "usage: trifac-gpu-bench [--json FILE] [--repeat N] [--seconds S] [ORDER]...\n"
        "Cholesky and LU on the first CUDA device against cuSOLVER, in float and double, resident\n"
        "and with the copies from and to the host; by CUDA graphs; and Cholesky by elements by\n"
        "threads per block. A table on the standard output.\n"
        "  --json FILE   all figures as JSON, written anew with each\n"
        "  --repeat N    runs of which a figure is the median (5; at most 3 from order 8192 on;\n"
        "                by threads per block it is one run)\n"
        "  --seconds S   stops after so long (300)\n"
        "  ORDER         512 1024 2048 4096 8192 16384 where none is given");
    return 0;
  }
  const auto gpu = backend::cuda::first();
  const auto reference = backend::cusolver::first();
  if (!gpu.available() || !reference.available()) {
    const auto why = gpu.available() ? reference.available() : gpu.available();
    std::fprintf(stderr, "no figures: %s\n", std::string(why.reason).c_str());
    return 1;
  }
  std::printf("%s, %s\n", gpu.facts().name.c_str(), gpu.facts().driver.c_str());
  bench b(s, gpu, reference);
  const auto compare = [&](bool large) {
    for (index_t n : s.orders) {
      if ((n > 4096) != large) continue;
      b.compare<double>("double", n);
      b.compare<float>("float", n);
    }
  };
  compare(false);
  for (index_t n : s.orders)
    if (n <= 2048) b.thesis(n);
  compare(true);
  b.write_json();
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(read_arguments(count, words));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
