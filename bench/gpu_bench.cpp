// trifac-gpu-bench: one figure of a CUDA device, with the backward error of one solve, as a line of
// JSON on the standard output:
//
//   trifac-gpu-bench WHAT TYPE ORDER HOW [--repeat N] [--reference SECONDS]
//   trifac-gpu-bench --device
//
// tests/gpu.sh runs a process for each figure: one that fails, or takes its device with it, is one
// figure less.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trifac/backend/cuda.hpp"
#include "trifac/backend/cuda_graph.hpp"
#include "trifac/batch.hpp"
#include "trifac/device_batch.hpp"
#include "trifac/device_matrix_lu.hpp"
#include "trifac/variants.hpp"
#if TRIFAC_BENCH_CUSOLVER
  #include "trifac/backend/cusolver.hpp"
#endif

namespace {

using namespace trifac;
using backend::cuda;
using clock_type = std::chrono::steady_clock;

constexpr const char* help =
    "usage: trifac-gpu-bench WHAT TYPE ORDER HOW [--repeat N] [--reference SECONDS]\n"
    "       trifac-gpu-bench --device\n"
    "One figure of the first CUDA device as a line of JSON: the median of N runs (5; 3 from order\n"
    "8192 on) after one that does not count. TYPE: float, double.\n"
    "  potrf       trifac, trifac-BLOCK, graph, cusolver, or crout-THREADS: by elements, threads "
    "per block;\n"
    "              strided-COUNT, chunked-COUNT: so many matrices, one after another in memory or\n"
    "              interleaved by 32; of more than 256 rows by so many calls\n"
    "  getrf       partial, tournament, each with -BLOCK, graph, cusolver\n"
    "  gemm syrk   own-K, cublas-K: ORDER × ORDER, less a product of depth K\n"
    "  trsm        own-K, cublas-K: ORDER right-hand sides, a unit triangle of K\n"
    "  copy        device: ORDER × ORDER elements from one place to another\n"
    "Matrices are in the device's memory. potrf and getrf solve once and add the backward error.\n"
    "--reference adds the ratio of that time to the one measured.";

struct request {
  std::string what, type, how;
  index_t n = 0;
  int repeat = 0;
  double reference = 0;
};

struct figure {
  double seconds = 0, work = 0;  ///< work: flops, or bytes of a copy
  std::optional<double> error = {};  ///< ‖b − A·x‖ / (‖A‖·‖x‖ + ‖b‖), largest absolute row sums
};

double now() {
  return std::chrono::duration<double>(clock_type::now().time_since_epoch()).count();
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
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}
double as_double(index_t n) {
  return static_cast<double>(n);
}

/// Elements between -1/2 and 1/2; for Cholesky with n on the diagonal, the lower triangle counts.
template <class T>
matrix<T> elements(index_t m, index_t n, bool definite) {
  matrix<T> A(m, n);
  std::uint64_t bits = 88172645463325252u;
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) {
      bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
      A(i, j) = static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-53 - 0.5);
    }
  for (index_t j = 0; definite && j < std::min(m, n); ++j) A(j, j) = static_cast<T>(m);
  return A;
}

/// Of A·x = b, where b are ones; of a symmetric A the lower triangle.
template <class T>
double backward_error(const matrix<T>& A, bool symmetric, const matrix<T>& x) {
  const index_t n = A.rows();
  std::vector<double> r(static_cast<std::size_t>(n), 1), sums(r.size(), 0);
  const auto add = [&](index_t i, index_t j, double a) {
    r[static_cast<std::size_t>(i)] -= a * static_cast<double>(x(j, 0));
    sums[static_cast<std::size_t>(i)] += std::abs(a);
  };
  double largest_x = 0;
  for (index_t j = 0; j < n; ++j) {
    for (index_t i = symmetric ? j : 0; i < n; ++i) {
      const auto a = static_cast<double>(A(i, j));
      add(i, j, a);
      if (symmetric && i != j) add(j, i, a);
    }
    largest_x = std::max(largest_x, std::abs(static_cast<double>(x(j, 0))));
  }
  double largest = 0;
  for (double& e : r) {
    if (!(std::abs(e) <= std::numeric_limits<double>::max())) return std::abs(e);
    largest = std::max(largest, std::abs(e));
  }
  return largest / (*std::max_element(sums.begin(), sums.end()) * largest_x + 1);
}

template <class T>
class bench {
 public:
  bench(const cuda& gpu, const request& r) : gpu_(gpu), r_(r) {}

  figure run() {
    if (r_.what == "potrf") return potrf();
    if (r_.what == "getrf") return getrf();
    if (r_.what == "gemm" || r_.what == "syrk" || r_.what == "trsm") return product();
    if (r_.what == "copy" && r_.how == "device") return copy();
    throw std::invalid_argument("there is no " + r_.what + ' ' + r_.how);
  }

 private:
  using device_type = device_matrix<T, cuda>;

  figure potrf() {
    const index_t n = r_.n;
    const double flops = std::pow(as_double(n), 3) / 3;
    if (r_.how.starts_with("crout-")) return by_elements(flops);
    if (r_.how.starts_with("strided-") || r_.how.starts_with("chunked-")) return potrf_of_many();
    return factor(
        elements<T>(n, n, true), flops,
        [&](auto& D) { return cholesky(D, cholesky_options{.block = block()}); },
        [](auto& s, const auto& D, index_t*) { return s.potrf(D); },
        [](auto& s, const auto& D, const index_t*, const auto& X) { s.potrs(D, X); });
  }
  figure getrf() {
    const lu_options options{
        .pivoting = is_or_has_block("partial") ? pivoting::partial : pivoting::tournament,
        .block = block()};
    return factor(
        elements<T>(r_.n, r_.n, false), 2 * std::pow(as_double(r_.n), 3) / 3,
        [&](auto& D) { return lu(D, options); },
        [](auto& s, const auto& D, index_t* rows) { return s.getrf(D, rows); },
        [](auto& s, const auto& D, const index_t* rows, const auto& X) {
          s.getrs(D, rows, operation::none, X);
        });
  }

  /// True for the word, or the word with -BLOCK.
  bool is_or_has_block(std::string_view word) const {
    return r_.how.substr(0, r_.how.find('-')) == word;
  }
  /// The BLOCK of the word, or 0: the library's choice.
  index_t block() const {
    const auto dash = r_.how.find('-');
    return dash == std::string::npos ? 0 : number<index_t>(r_.how.substr(dash + 1));
  }

  template <class Ours, class Theirs, class SolveTheirs>
  figure factor(const matrix<T>& A, double flops, Ours ours, Theirs theirs, SolveTheirs solve) {
    const bool symmetric = r_.what == "potrf";
    const index_t n = A.rows();
    const device_type from(gpu_, A.view());
    device_type D(gpu_, n, n), X(gpu_, n, 1);
    matrix<T> x(n, 1);
    for (index_t i = 0; i < n; ++i) x(i, 0) = 1;
    X.assign(std::as_const(x).view());
    auto& runtime = gpu_.session().runtime;
    const auto restore = [&] {
      runtime.copy(from.view().memory(), D.view().memory(), bytes(n * n));
      runtime.finish();
    };
    figure f{.work = flops};
    if (r_.how == "cusolver") {
      f.seconds = by_cusolver(restore, D, X, theirs, solve);
    } else if (r_.how == "graph") {
      backend::cuda_graph graph(gpu_, [&] { return ours(D); });
      f.seconds = median(repeat(), restore, [&] {
        graph.launch();
        require(graph.status());
      });
      trifac::solve(graph.result(), X);
    } else if (symmetric ? is_or_has_block("trifac")
                         : is_or_has_block("partial") || is_or_has_block("tournament")) {
      f.seconds = median(repeat(), restore, [&] { require(ours(D).status()); });
      restore();
      const auto last = ours(D);
      trifac::solve(last, X);
      require(last.status());
    } else {
      throw std::invalid_argument("there is no " + r_.what + ' ' + r_.how);
    }
    X.copy_to(x.view());
    f.error = backward_error(A, symmetric, x);
    return f;
  }
  template <class Restore, class Theirs, class Solve>
  double by_cusolver(Restore restore, device_type& D, device_type& X, Theirs theirs, Solve solve) {
#if TRIFAC_BENCH_CUSOLVER
    const auto reference = backend::cusolver::first();
    if (!reference.available()) throw std::runtime_error(std::string(reference.available().reason));
    auto& s = reference.session();
    const auto memory = s.cuda.runtime.allocate(static_cast<std::uint64_t>(r_.n) * sizeof(index_t));
    auto* const rows = static_cast<index_t*>(memory.get());
    const double t = median(repeat(), restore, [&] {
      if (theirs(s, D.view(), rows) != 0) throw std::runtime_error("cuSOLVER found a bad pivot");
    });
    solve(s, D.view(), rows, X.view());
    return t;
#else
    static_cast<void>(restore), static_cast<void>(D), static_cast<void>(X);
    static_cast<void>(theirs), static_cast<void>(solve);
    throw std::runtime_error("built without cuSOLVER");
#endif
  }
  /// As many matrices as the word says, which differ.
  figure potrf_of_many() {
    const index_t n = r_.n, count = number<index_t>(r_.how.substr(8));
    figure f{.work = as_double(count) * std::pow(as_double(n), 3) / 3};
    matrix<T> x(n, 1);
    for (index_t i = 0; i < n; ++i) x(i, 0) = 1;
    return n > 256 ? by_calls(f, count, x) : by_batch(f, count, x);
  }
  /// Matrix k of many: n + k on the diagonal.
  matrix<T> matrix_of_many(index_t k) const {
    matrix<T> A = elements<T>(r_.n, r_.n, true);
    for (index_t i = 0; i < r_.n; ++i) A(i, i) += static_cast<T>(k);
    return A;
  }
  figure by_batch(figure f, index_t count, matrix<T>& x) {
    const index_t n = r_.n;
    const batch_layout layout =
        r_.how.starts_with("strided-") ? batch_layout{.chunk = 1} : batch_layout{};
    batch<T> A(count, n, n), b(count, n, 1);
    const matrix<T> first = matrix_of_many(0), last = matrix_of_many(count - 1);
    for (index_t k = 0; k < count; ++k)
      for (index_t j = 0; j < n; ++j) {
        b(k, j, 0) = 1;
        for (index_t i = 0; i < n; ++i) A(k, i, j) = first(i, j) + static_cast<T>(i == j ? k : 0);
      }
    const device_batch<T, cuda> from(gpu_, std::as_const(A).view(), layout);
    device_batch<T, cuda> D(gpu_, count, n, n, layout), X(gpu_, std::as_const(b).view(), layout);
    const auto elements_in_memory = ((count - 1) / D.chunk() + 1) * D.view().place.chunk_stride;
    auto& runtime = gpu_.session().runtime;
    const auto restore = [&] {
      runtime.copy(from.view().memory, D.view().memory, bytes(elements_in_memory));
      runtime.finish();
    };
    f.seconds = median(repeat(), restore, [&] { require(cholesky(D).status()); });
    restore();
    const auto factor = cholesky(D);
    solve(factor, X);
    X.copy_to(b.view());
    f.error = 0;
    for (const index_t k : {index_t{0}, count - 1}) {
      for (index_t i = 0; i < n; ++i) x(i, 0) = b(k, i, 0);
      f.error = std::max(*f.error, backward_error(k == 0 ? first : last, true, x));
    }
    return f;
  }
  /// Enqueued one after another, and one wait.
  figure by_calls(figure f, index_t count, matrix<T>& x) {
    const matrix<T> A = elements<T>(r_.n, r_.n, true);
    const device_type from(gpu_, A.view());
    std::vector<device_type> D;
    for (index_t k = 0; k < count; ++k) D.emplace_back(gpu_, r_.n, r_.n);
    auto& runtime = gpu_.session().runtime;
    const auto restore = [&] {
      for (device_type& to : D)
        runtime.copy(from.view().memory(), to.view().memory(), bytes(r_.n * r_.n));
      runtime.finish();
    };
    const auto factor = [&] {
      std::vector<decltype(cholesky(D[0]))> factors;
      for (device_type& to : D) factors.push_back(cholesky(to));
      for (const auto& one : factors) require(one.status());
    };
    f.seconds = median(repeat(), restore, factor);
    restore();
    device_type X(gpu_, std::as_const(x).view());
    const auto of_last = cholesky(D.back());
    solve(of_last, X);
    X.copy_to(x.view());
    f.error = backward_error(A, true, x);
    return f;
  }

  /// The thesis' multiple kernels by threads per block; one run, with its own copies.
  figure by_elements(double flops) {
    const auto on = gpu_.with({.group = number<int>(r_.how.substr(6))});
    const matrix<T> A = elements<T>(r_.n, r_.n, true);
    matrix<T> L(r_.n, r_.n);
    figure f{.work = flops};
    median(
        1, [] {}, [&] { require(try_cholesky<variant::crout>(on, A, L).status()); });
    f.seconds = on.times().run;
    return f;
  }

  /// C := C − A·B, its lower triangle, or B := L⁻¹·B: ten calls and one wait.
  figure product() {
    const auto dash = r_.how.find('-');
    const bool library = r_.how.substr(0, dash) == "cublas";
    if (dash == std::string::npos || (!library && r_.how.substr(0, dash) != "own"))
      throw std::invalid_argument("there is no " + r_.what + ' ' + r_.how);
    const index_t n = r_.n, k = number<index_t>(r_.how.substr(dash + 1));
    auto settings = gpu_.settings();
    settings.products = library ? device::product_kernels::library : device::product_kernels::own;
    const bool is_trsm = r_.what == "trsm";
    // ‖L⁻¹‖∞ ≤ 2 for a triangle below 1/(2k): B does not overflow in call after call.
    const device_type A = on_device(is_trsm ? k : n, k, is_trsm ? 1 / as_double(k) : 1);
    device_type B = on_device(k, n);
    device_type C(gpu_, is_trsm ? 1 : n, is_trsm ? 1 : n);
    auto& runtime = gpu_.session().runtime;
    runtime.clear(C.view().memory(), bytes(C.rows() * C.cols()));
    device::lu_executor<cuda::runtime, T> general(gpu_.session(), settings, 1);
    device::cholesky_executor<cuda::runtime, T> symmetric(gpu_.session(), settings);
    constexpr int calls = 10;
    figure f;
    const double each = as_double(n) * as_double(is_trsm ? k : n) * as_double(k);
    f.work = r_.what == "gemm" ? 2 * each : each;
    f.seconds = median(
                    repeat(), [] {},
                    [&] {
                      for (int call = 0; call < calls; ++call)
                        if (is_trsm)
                          general.solve_lower(A.view(), B.view(), diagonal::unit);
                        else if (r_.what == "gemm")
                          general.update(C.view(), A.view(), B.view());
                        else if (library)
                          by_cublas(runtime, C, A);
                        else
                          symmetric.update_lower(C.view(), A.view());
                      runtime.finish();
                    }) /
                calls;
    return f;
  }
  template <class Runtime>
  static void by_cublas(Runtime& runtime, device_type& C, const device_type& A) {
    if constexpr (Runtime::has_library)
      runtime.library().update_triangle(C.view(), device::device_operand<T, void*>(A.view()),
                                        triangle::lower);
    else
      throw std::runtime_error("built without cuBLAS");
  }

  figure copy() {
    device_type A = on_device(r_.n, r_.n), B(gpu_, r_.n, r_.n);
    auto& runtime = gpu_.session().runtime;
    figure f{.work = 2 * static_cast<double>(bytes(r_.n * r_.n))};
    f.seconds = median(
        repeat(), [] {},
        [&] {
          runtime.copy(A.view().memory(), B.view().memory(), bytes(r_.n * r_.n));
          runtime.finish();
        });
    return f;
  }

  device_type on_device(index_t m, index_t n, double scale = 1) const {
    matrix<T> A = elements<T>(m, n, false);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i) A(i, j) *= static_cast<T>(scale);
    return {gpu_, std::as_const(A).view()};
  }
  template <class Number>
  static Number number(std::string_view text);
  static std::uint64_t bytes(index_t count) {
    return static_cast<std::uint64_t>(count) * sizeof(T);
  }
  static void require(const status& s) {
    if (!s) throw numerical_error(s);
  }
  int repeat() const {
    return r_.repeat > 0 ? r_.repeat : r_.n >= 8192 ? 3 : 5;
  }

  cuda gpu_;
  request r_;
};

template <class Number>
Number number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0))
    throw std::invalid_argument('"' + std::string(text) + "\" is no positive number");
  return value;
}
template <class T>
template <class Number>
Number bench<T>::number(std::string_view text) {
  return number_in<Number>(text);
}

request read(const std::vector<std::string>& words) {
  request r;
  std::vector<std::string> rest;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const bool is_option = words[k].starts_with("--");
    if (is_option && k + 1 == words.size())
      throw std::invalid_argument(words[k] + " needs a value, or is unknown");
    if (words[k] == "--repeat")
      r.repeat = number_in<int>(words[++k]);
    else if (words[k] == "--reference")
      r.reference = number_in<double>(words[++k]);
    else if (is_option)
      throw std::invalid_argument(words[k] + " is unknown");
    else
      rest.push_back(words[k]);
  }
  if (rest.size() != 4) throw std::invalid_argument(help);
  r.what = rest[0], r.type = rest[1], r.how = rest[3];
  r.n = number_in<index_t>(rest[2]);
  if (r.type != "float" && r.type != "double")
    throw std::invalid_argument("TYPE is float or double");
  return r;
}

int run(const std::vector<std::string>& words) {
  if (words == std::vector<std::string>{"--help"}) {
    std::puts(help);
    return 0;
  }
  const bool about_device = words == std::vector<std::string>{"--device"};
  const request r = about_device ? request{} : read(words);
  const cuda gpu = cuda::first();
  if (!gpu.available()) throw std::runtime_error(std::string(gpu.available().reason));
  if (about_device) {
    std::printf("\"device\": \"%s\", \"driver\": \"%s\"\n", gpu.facts().name.c_str(),
                gpu.facts().driver.c_str());
    return 0;
  }
  const bool is_double = r.type == "double";
  const figure f = is_double ? bench<double>(gpu, r).run() : bench<float>(gpu, r).run();
  const double unit = is_double ? 0x1p-53 : 0x1p-24;
  if (f.error && !(*f.error < 10 * as_double(r.n) * unit))
    throw std::runtime_error("the backward error is " + std::to_string(*f.error));
  std::printf(
      "{\"what\": \"%s\", \"type\": \"%s\", \"n\": %lld, \"how\": \"%s\", \"seconds\": %.6g, "
      "\"%s\": %.6g",
      r.what.c_str(), r.type.c_str(), static_cast<long long>(r.n), r.how.c_str(), f.seconds,
      r.what == "copy" ? "gbytes_s" : "gflops", f.work / f.seconds * 1e-9);
  if (f.error) std::printf(", \"backward_error\": %.3g", *f.error);
  if (r.reference > 0) std::printf(", \"ratio\": %.4g", r.reference / f.seconds);
  std::puts("}");
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(std::vector<std::string>(words + 1, words + count));
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
