#pragma once
// One benchmark: jobs are loaded with inputs, run between two looks at the clock, and checked.

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <vector>

#include "inputs.hpp"
#include "options.hpp"
#include "peak.hpp"
#include "residual.hpp"
#include "trifac/status.hpp"

namespace bench {

template <class T>
struct type_name;
template <>
struct type_name<float> {
  static constexpr const char* value = "float";
};
template <>
struct type_name<double> {
  static constexpr const char* value = "double";
};
template <>
struct type_name<std::complex<float>> {
  static constexpr const char* value = "complex_float";
};
template <>
struct type_name<std::complex<double>> {
  static constexpr const char* value = "complex_double";
};

/// call.template operator()<T>() for every type that was asked for.
template <class Call>
void for_each_type(const options& o, Call call) {
  const auto visit = [&]<class T>() {
    for (const std::string& name : o.types)
      if (name == type_name<T>::value) call.template operator()<T>();
  };
  visit.template operator()<float>();
  visit.template operator()<double>();
  visit.template operator()<std::complex<float>>();
  visit.template operator()<std::complex<double>>();
}

/// "cholesky/serial/best/double/512"
template <class T>
std::string benchmark_name(std::string_view what, std::string_view backend, std::string_view how,
                           index_t n) {
  std::string name;
  for (const std::string_view part : {what, backend, how, std::string_view(type_name<T>::value)})
    (name += part) += '/';
  return name + std::to_string(n);
}

/// What one core can do at most for T, measured once.
template <class T>
double peak_of_one_core() {
  static const double peak = multiply_add_peak<trifac::real_t<T>>();
  return peak;
}

/// How many benchmarks failed or gave a wrong result. If any did, the program ends with status 1.
inline int failures = 0;

inline void give_up(benchmark::State& state, const std::string& why) {
  ++failures;
  state.SkipWithError(why.c_str());
}

/// What is timed and how it is counted.
struct workload {
  index_t n;
  kind input;
  double flops;
  int threads;
};

/// Runs jobs until Google Benchmark has enough. A job has
///   load(A)   takes an input; not timed
///   run()     the timed part, returns a status
///   ratio()   how good the result is for the last input; not timed
/// make_job() makes one. Counters: GFLOP/s from the median batch, which a machine with other work
/// to do disturbs less than the mean of all that Google Benchmark reports as time; `best`, the same
/// from the fastest batch; `peak`, the first as a share of the measured multiply-add peak of so
/// many cores; `ratio`, the worst of the last batch.
template <class T, class MakeJob>
void measure(benchmark::State& state, const workload& work, MakeJob make_job) {
  using clock = std::chrono::steady_clock;
  const index_t batch = batch_size<T>(work.n, work.flops);
  input_pool<T> inputs(work.input, work.n, batch);
  std::vector<decltype(make_job())> jobs;
  for (index_t k = 0; k < batch; ++k) jobs.push_back(make_job());

  std::vector<double> seconds;  // of one job, from each batch
  trifac::status outcome;
  while (state.KeepRunningBatch(batch)) {
    for (auto& job : jobs) job.load(inputs.next());
    const auto begin = clock::now();
    for (auto& job : jobs)
      if (const trifac::status s = job.run(); !s) outcome = s;
    const std::chrono::duration<double> taken = clock::now() - begin;
    state.SetIterationTime(taken.count());
    seconds.push_back(taken.count() / static_cast<double>(batch));
  }

  double worst = 0;
  for (auto& job : jobs) worst = larger(worst, job.ratio());
  std::sort(seconds.begin(), seconds.end());
  const double rate = work.flops / seconds[seconds.size() / 2];
  state.counters["GFLOP/s"] = rate * 1e-9;
  state.counters["best"] = work.flops / seconds.front() * 1e-9;
  state.counters["peak"] = rate / (peak_of_one_core<T>() * work.threads);
  state.counters["ratio"] = worst;
  if (outcome.kind() == trifac::status_kind::invalid_argument)
    state.SkipWithError(outcome.message().c_str());  // not on this backend
  else if (!outcome)
    give_up(state, outcome.message());
  else if (!(worst < ratio_limit))
    give_up(state, "the result is wrong: ratio is not below 30");
}

/// Registers body(state) under that name, on the clock that measure() sets.
template <class Body>
void add_benchmark(const std::string& name, Body body) {
  benchmark::RegisterBenchmark(name.c_str(), body)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

}  // namespace bench
