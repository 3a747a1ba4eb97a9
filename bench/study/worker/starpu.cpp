// LU in double by tasks of StarPU, with the times of its steps. DEVICE: "any", cores alone;
// "cpu+opencl", block columns dealt to an OpenCL device too, "cpu+2opencl", to two; "opencl", one
// alone, and an update is three tasks. THREADS: workers on the CPU.

#include "serve.hpp"
#if TRIFAC_EXPECT_STARPU
  #include <cstdlib>

  #include "trifac/backend/starpu.hpp"
  #if TRIFAC_EXPECT_OPENCL
    #include "trifac/backend/starpu_opencl.hpp"
  #endif
#endif

namespace study {

#if TRIFAC_EXPECT_STARPU
namespace {

using trifac::backend::starpu_timeline;

/// Seconds of the tasks of each step, of all runs since clear().
class step_times {
 public:
  void clear() { *this = {}; }
  void add(const starpu_timeline& t) {
    tasks_ += static_cast<double>(t.tasks.size());
    for (const auto& task : t.tasks)
      seconds_[static_cast<std::size_t>(task.step)] += task.end - task.begin;
  }
  /// Of one run of `runs`; per call, as the source prints them, the mean over the panels. No tasks:
  /// a matrix of one panel, which the calling thread has factored.
  void tell(answer& a, double runs, double panels) const {
    a.more.emplace_back("tasks", tasks_ / runs);
    for (const auto step : trifac::backend::starpu_steps_in_order) {
      const double seconds = seconds_[static_cast<std::size_t>(step)] / runs;
      if (seconds == 0) continue;
      const std::string part = "part_" + std::string(to_string(step));
      a.more.emplace_back(part, seconds);
      a.more.emplace_back(part + " per call", seconds / panels);
    }
  }

 private:
  double tasks_ = 0, seconds_[std::size(trifac::backend::starpu_steps_in_order)] = {};
};

/// What a run needs besides its request.
template <class B>
struct tasks_backend {
  B on;
  starpu_timeline tasks;
  step_times times;
};

template <class B>
class tasks_job {
 public:
  tasks_job(tasks_backend<B>& with, const trifac::lu_options& options, index_t n)
      : with_(&with), options_(options), A_(n, n) {
    with.times.clear();  // jobs are made before they run; what an uncounted one took is forgotten
  }

  void load(matrix_view<const double> A) { bench::copy(A, A_.view()); }
  trifac::status run() {
    const auto s = trifac::try_lu(with_->on, A_.view(), interchanges_, options_).status();
    with_->times.add(with_->tasks);
    return s;
  }
  double ratio(matrix_view<const double> A) {
    return bench::lu_ratio<double>(A, A_.view(), interchanges_.span());
  }

 private:
  tasks_backend<B>* with_;
  trifac::lu_options options_;
  matrix<double> A_;
  trifac::pivots interchanges_;
};

template <class B>
answer run_tasks(tasks_backend<B>& with, const request& r) {
  const auto method = lu_method_of(r.variant);
  if (r.algorithm != "lu" || r.type != "double" || r.batch > 0 ||
      method.pivoting == trifac::pivoting::none)
    throw refusal("on StarPU the study has LU with pivoting, in double");
  const auto options = options_of(method, r);
  answer a = measure<double>(
      kind::general, r.n, bench::lu_flops<double>(r.n), r.seed,
      [&] { return tasks_job<B>(with, options, r.n); }, [](auto&, auto&&, answer&) {});
  const index_t block = r.block > 0 ? r.block : r.n;
  with.times.tell(a, static_cast<double>(a.batch), static_cast<double>((r.n + block - 1) / block));
  return a;
}

template <class B>
void serve_tasks(const B& on, facts properties) {
  std::string names;
  for (const auto& name : B::workers()) names += (names.empty() ? "" : ", ") + name;
  properties.emplace_back("workers", names);
  introduce(properties);
  tasks_backend<B> with = {on, {}, {}};
  with.on.timeline = &with.tasks;
  for (std::string line; next_line(line);) {
    try {
      reply(run_tasks(with, read_request(line)));
    } catch (const std::exception& e) {
      refuse(e.what());
    }
  }
}

}  // namespace

void serve_starpu(int threads, const std::string& device, facts properties) {
  ::setenv("STARPU_NCPU", std::to_string(threads).c_str(), 1);
  ::setenv("STARPU_SILENT", "1", 0);
  if (device == "any") return serve_tasks(trifac::backend::starpu{}, properties);
  #if TRIFAC_EXPECT_OPENCL
  using namespace trifac::backend;
  const bool two = device == "cpu+2opencl";
  ::setenv("STARPU_NOPENCL", two ? "2" : "1", 0);
  // PoCL's devices that compute in the worker's own thread.
  ::setenv("POCL_DEVICES", two ? "basic basic" : "basic", 0);
  if (!opencl::first_gpu().available()) ::setenv("STARPU_OPENCL_ON_CPUS", "1", 0);
  if (two && starpu_opencl::workers().size() < static_cast<std::size_t>(threads) + 2)
    return refuse("there are no two OpenCL devices");
  if (device == "cpu+opencl" || two)
    return serve_tasks(starpu_opencl{.placement = starpu_placement::round_robin}, properties);
  if (device == "opencl")
    return serve_tasks(
        starpu_opencl{.placement = starpu_placement::device_only, .steps = starpu_steps::separate},
        properties);
  #endif
  refuse("StarPU has no workers " + device);
}
#else
void serve_starpu(int, const std::string&, facts) {
  refuse("the worker was built without StarPU");
}
#endif

}  // namespace study
