#pragma once
// Batches of T on every backend that has them.

#include <map>

#include "bench/batches/job.hpp"
#include "bench/opencl_device.hpp"
#include "runner.hpp"
#include "trifac/backend/openmp.hpp"
#include "trifac/backend/serial.hpp"
#include "trifac/device_batch.hpp"
#include "trifac/engine/base/float_model.hpp"
#if TRIFAC_EXPECT_CUDA
  #include "trifac/backend/cuda.hpp"
#endif

namespace tune {

template <class T, class B>
class batch_runner : public runner {
 public:
  batch_runner(const B& backend, const subject& s) : backend_(backend), subject_(s) {}

  first_run check(const batch_tuning& t) override try {
    bench::batch_job<T>& job = prepared(t);
    if (const trifac::status s = work(job, t); !s) return {s.message()};
    return {"", is_solve() ? job.solve_ratio() : job.factor_ratio()};
  } catch (const std::exception& e) {
    return {e.what()};
  }
  double seconds(const batch_tuning& t) override {
    bench::batch_job<T>& job = prepared(t);
    return seconds_of([&] { static_cast<void>(work(job, t)); });
  }
  both_seconds seconds_of_both(const batch_tuning& t, const batch_tuning& solve) override {
    bench::batch_job<T>& job = prepared(t);
    job.load();
    both_seconds b;
    const batch_tuning call = of_call(subject_, t);
    b.factor = seconds_of([&] { static_cast<void>(job.factor(backend_, call)); });
    b.solve = seconds_of([&] { static_cast<void>(job.solve(backend_, solve)); });
    b.ratio = job.solve_ratio();
    if (subject_.operation != batch_operation::cholesky) return b;
    using trifac::operation;
    job.load_sides();
    const auto part = [&](operation op) {
      return seconds_of([&] { static_cast<void>(job.substitute(backend_, op)); });
    };
    b.forward = part(operation::none);
    b.backward = part(operation::adjoint);
    b.ratio = bench::larger(b.ratio, job.solve_ratio());
    return b;
  }

 private:
  template <class Call>
  double seconds_of(const Call& call) const {
    if (before) before();
    const auto begin = clock::now();
    call();
    const double whole = std::chrono::duration<double>(clock::now() - begin).count();
    if (after) after();
    if constexpr (trifac::DeviceBackend<B>)
      if (!backend_.facts().is_cpu) return backend_.times().run;
    return whole;
  }
  bool is_solve() const { return subject_.operation == batch_operation::solve; }

  trifac::status work(bench::batch_job<T>& job, const batch_tuning& t) {
    const batch_tuning call = of_call(subject_, t);
    return is_solve() ? job.solve(backend_, call) : job.factor(backend_, call);
  }
  trifac::batch_layout layout(const batch_tuning& t) const {
    using trifac::batch_layout;
    if (subject_.place == batch_place::strided) return batch_layout::canonical();
    if (subject_.place == batch_place::interleaved) return batch_layout::interleaved();
    return t.chunk == 0 ? batch_layout{} : batch_layout::chunked(t.chunk);
  }
  /// The batch in its layout, with its inputs; for solves factored.
  bench::batch_job<T>& prepared(const batch_tuning& t) {
    auto& job = jobs_[layout(t).chunk];
    const bool is_new = job == nullptr;
    if (is_new)
      job = std::make_unique<bench::batch_job<T>>(
          bench::batch_of{is_solve() ? subject_.with_lu : subject_.operation == batch_operation::lu,
                          subject_.n, subject_.count, subject_.rhs, layout(t), subject_.seed});
    if (is_new || !is_solve()) job->load();
    if (is_solve()) job->load_sides();
    if (is_new && is_solve())
      if (const trifac::status s = job->factor(backend_, {}); !s)
        throw std::runtime_error("the factorization before it: " + s.message());
    return *job;
  }

  B backend_;
  subject subject_;
  std::map<index_t, std::unique_ptr<bench::batch_job<T>>> jobs_;  // by the chunk of the layout
};

/// Cholesky of a canonical batch in the device's memory: groups write the factor twice, so that
/// both substitutions read columns. Times end when the device is done.
template <class T, trifac::DeviceBackend B>
class canonical_runner : public runner {
 public:
  canonical_runner(const B& backend, const subject& s)
      : backend_(backend),
        is_solve_(s.operation == batch_operation::solve),
        job_({false, s.n, s.count, s.rhs, canonical, s.seed}),
        A_(backend, job_.matrices().view(), canonical),
        F_(backend, s.count, s.n, s.n, canonical),
        B_(backend, job_.sides().view(), canonical),
        X_(backend, s.count, s.n, s.rhs, canonical) {}

  first_run check(const batch_tuning& t) override try {
    restore();
    if (!is_solve_) {
      factor(t);
      if (const trifac::status s = factor_->status(); !s) return {s.message()};
      F_.copy_to(job_.factors().view());
      return {"", job_.factor_ratio()};
    }
    factor({.kernel = batch_kernel::groups});
    solve(t);
    return {factor_->status() ? "" : factor_->status().message(), solve_ratio()};
  } catch (const std::exception& e) {
    return {e.what()};
  }
  double seconds(const batch_tuning& t) override {
    restore();
    if (!is_solve_) return seconds_of([&] { factor(t); });
    factor({.kernel = batch_kernel::groups});
    return seconds_of([&] { solve(t); });
  }
  both_seconds seconds_of_both(const batch_tuning& t, const batch_tuning& of_solve) override {
    restore();
    both_seconds b;
    b.factor = seconds_of([&] { factor(t); });
    b.solve = seconds_of([&] { solve(of_solve); });
    b.ratio = solve_ratio();
    return b;
  }

 private:
  static constexpr auto canonical = trifac::batch_layout::canonical();

  template <class Call>
  double seconds_of(const Call& call) const {
    auto& runtime = backend_.session().runtime;
    runtime.finish();
    if (before) before();
    const auto begin = clock::now();
    call();
    runtime.finish();
    const std::chrono::duration<double> taken = clock::now() - begin;
    if (after) after();
    return taken.count();
  }
  void factor(const batch_tuning& t) { factor_.emplace(trifac::cholesky(F_, {.tuning = t})); }
  void solve(const batch_tuning& t) {
    trifac::solve(*factor_, X_, trifac::operation::none, {.tuning = t});
  }
  void restore() {
    copy(A_, F_);
    copy(B_, X_);
  }
  using batch = trifac::device_batch<T, B>;
  void copy(const batch& from, const batch& to) {
    const auto elements = static_cast<std::uint64_t>(from.count() * from.rows() * from.cols());
    backend_.session().runtime.copy(from.view().memory, to.view().memory, elements * sizeof(T));
  }
  double solve_ratio() {
    X_.copy_to(job_.solutions().view());
    return job_.solve_ratio();
  }

  B backend_;
  bool is_solve_;
  bench::batch_job<T> job_;
  batch A_, F_, B_, X_;
  std::optional<trifac::device_batch_cholesky_factor<T, B>> factor_;
};

template <class T, class B>
tunable tunable_of(const B& backend) {
  tunable t;
  t.backend = B::name;
  if (const trifac::availability here = backend.available(); !here) {
    t.problem = here.reason;
    return t;
  }
  t.device = trifac::profile_device(backend);
  if constexpr (trifac::DeviceBackend<B>) {
    t.sort = backend.facts().is_cpu ? device_sort::cpu : device_sort::gpu;
    if (sizeof(trifac::real_t<T>) == 8 && !backend.facts().has_double)
      t.problem = "the device has no double";
  }
  t.can = [backend](const subject& s, const batch_tuning& call) {
    return trifac::detail::check_batch_tuning<T>(backend, call, s.operation, s.n, s.n);
  };
  t.make = [backend](const subject& s) -> std::unique_ptr<runner> {
    B on = backend;
    if constexpr (trifac::DeviceBackend<B>) {
      auto settings = on.settings();
      settings.floats = s.fast ? trifac::float_model::fast : trifac::float_model::ieee;
      on = on.with(settings);
      if (s.on_device) return std::make_unique<canonical_runner<T, B>>(on, s);
    }
    return std::make_unique<batch_runner<T, B>>(on, s);
  };
  return t;
}

template <class T>
std::vector<tunable> tunables(const backend_choice& c) {
  const auto wanted = [&](std::string_view name, bool otherwise) {
    return c.names.empty() ? otherwise
                           : std::find(c.names.begin(), c.names.end(), name) != c.names.end();
  };
  std::vector<tunable> found;
  if (wanted("serial", true)) found.push_back(tunable_of<T>(trifac::backend::serial{}));
  if (wanted("openmp", false))
    found.push_back(tunable_of<T>(trifac::backend::openmp{.threads = c.threads}));
#if TRIFAC_EXPECT_OPENCL
  if (wanted("opencl", true)) found.push_back(tunable_of<T>(bench::opencl_device(c.device)));
#endif
#if TRIFAC_EXPECT_CUDA
  if (wanted("cuda", true)) found.push_back(tunable_of<T>(trifac::backend::cuda::first()));
#endif
  return found;
}

}  // namespace tune
