#pragma once
// A worker on one backend: serves requests until standard input ends.

#include <complex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "batches.hpp"
#include "first_rounds.hpp"
#include "jobs.hpp"
#include "trifac/backend/timed.hpp"
#if TRIFAC_EXPECT_LAPACK
  #include "trifac/backend/lapack.hpp"
#endif

namespace study {

using facts = std::vector<std::pair<std::string, std::string>>;

/// The first line: what the worker runs on.
void introduce(const facts& properties);
/// One line for a run, or for a request that is not served.
void reply(const answer& a);
void refuse(const std::string& reason);
/// The next request's line; false at the end of standard input.
bool next_line(std::string& line);

/// Adds how long the parts of a call on a device took, where the backend tells.
template <class B>
void add_device_times(const B& backend, answer& a) {
  if constexpr (requires { backend.times(); }) {
    const auto t = backend.times();
    a.more.emplace_back("copy_in", t.copy_in);
    a.more.emplace_back("run", t.run);
    a.more.emplace_back("copy_out", t.copy_out);
  }
}

template <class T, class B>
answer run_cholesky(const B& backend, const request& r) {
  const auto look = [&](auto& job, matrix_view<const T> A, answer& a) {
    add_device_times(backend, a);
    if (r.detail != detail::deviation) return;
    const auto& L = job.factor(r.n);
    a.more.emplace_back("deviation", largest_deviation<T>(A, L.view()));
  };
  if (r.detail == detail::operations || r.detail == detail::error)
    throw refusal("this detail is for LU only");
  const double flops = bench::cholesky_flops<T>(r.n);
  if (r.columns == first_rounds_name) {
    if constexpr (trifac::DeviceBackend<B> && std::is_same_v<T, float>)
      return measure<T>(
          kind::positive_definite, r.n, flops, r.seed,
          [&] { return first_rounds_job<B>(backend, r); }, look);
    throw refusal("columns=first_rounds is of float on a device");
  }
  if constexpr (trifac::LibraryBackend<B, T>) {
    if (r.variant != "best") throw refusal("this backend runs best only");
    return measure<T>(
        kind::positive_definite, r.n, flops, r.seed,
        [&] { return whole_cholesky_job<T, B>(backend, r); }, look);
  } else {
    const auto method = cholesky_method_of(r.variant);
    return measure<T>(
        kind::positive_definite, r.n, flops, r.seed,
        [&] { return cholesky_job<T, B>(backend, method, r); }, look);
  }
}

/// ‖LU − golden‖₂ / ‖golden‖₂, golden being LAPACK's factor of the same matrix.
template <class T>
double error_against_lapack([[maybe_unused]] matrix_view<const T> A,
                            [[maybe_unused]] matrix_view<const T> factor) {
#if TRIFAC_EXPECT_LAPACK
  matrix<T> golden(A);
  trifac::lu(trifac::backend::lapack{}, golden).or_throw();
  return relative_error<T>(factor, golden.view());
#else
  throw refusal("detail=error needs LAPACK");
#endif
}

template <class T, class B>
answer run_lu(const B& backend, const request& r) {
  const auto method = lu_method_of(r.variant);
  if (trifac::LibraryBackend<B, T> && method.name != "best")
    throw refusal("this backend runs best only");
  if (r.detail == detail::deviation) throw refusal("this detail is for Cholesky only");
  if (r.detail == detail::error && method.pivoting != trifac::pivoting::none)
    throw refusal("detail=error is for variants without pivoting");
  const auto look = [&](auto& job, matrix_view<const T> A, answer& a) {
    add_device_times(backend, a);
    if constexpr (!trifac::DeviceBackend<B>)
      if (method.pivoting == trifac::pivoting::tournament)
        a.more.emplace_back("groups", static_cast<double>(groups_of<T, B>(method, r)));
    if (r.detail == detail::error)
      a.more.emplace_back("relative_error", error_against_lapack<T>(A, job.factor()));
  };
  const double flops = bench::lu_flops<T>(r.n);
  const auto input = bench::input_of(method);
  if (r.detail != detail::operations)
    return measure<T>(
        input, r.n, flops, r.seed, [&] { return lu_job<T, B>(backend, method, r); }, look);
  if constexpr (!trifac::DeviceBackend<B>) {
    using observed = trifac::backend::timed<B>;
    trifac::backend::operation_times times;
    const observed observer(backend, times);
    answer a = measure<T>(
        input, r.n, flops, r.seed,
        [&] {
          times.clear();  // jobs are made before they run; what an uncounted one took is forgotten
          return lu_job<T, observed>(observer, method, r);
        },
        look);
    const auto calls = static_cast<double>(a.batch);
    for (std::size_t v = 0; v < trifac::backend::timed_operation_names.size(); ++v) {
      const auto what = static_cast<trifac::backend::timed_operation>(v);
      if (times[what].calls > 0)
        a.more.emplace_back("operation_" + std::string(to_string(what)),
                            times[what].seconds / calls);
    }
    return a;
  } else {
    throw refusal("detail=operations is for the backends of the host");
  }
}

/// The backend with the settings of a request. The file of a backend that has settings overloads
/// it.
template <class B>
B configured(const B& backend, const request&) {
  return backend;
}

template <class T, class B>
answer run_typed(const B& backend, const request& r) {
  if (r.algorithm == "cholesky") return run_cholesky<T>(backend, r);
  if (r.algorithm == "lu") return run_lu<T>(backend, r);
  throw refusal("the algorithm " + r.algorithm + " is not known");
}

template <class B>
void serve(const B& backend, const facts& properties) {
  if (const auto a = backend.available(); !a) return refuse(std::string(a.reason));
  introduce(properties);
  for (std::string line; next_line(line);) {
    try {
      const request r = read_request(line);
      if (r.batch > 0) {
        reply(run_batch(r));
        continue;
      }
      const B on = configured(backend, r);
      if (r.type == "float")
        reply(run_typed<float>(on, r));
      else if (r.type == "double")
        reply(run_typed<double>(on, r));
      else if (r.type == "complex_float")
        reply(run_typed<std::complex<float>>(on, r));
      else if (r.type == "complex_double")
        reply(run_typed<std::complex<double>>(on, r));
      else
        throw refusal("the type " + r.type + " is not known");
    } catch (const std::exception& e) {
      refuse(e.what());
    }
  }
}

// Each backend in a file of its own: they take long to compile.
void serve_serial(facts properties);
void serve_openmp(int threads, facts properties);
void serve_lapack(facts properties);
void serve_opencl(const std::string& device, facts properties);
void serve_starpu(int threads, const std::string& device, facts properties);
void serve_cuda(facts properties);
void serve_cusolver(facts properties);

}  // namespace study
