#pragma once
// The one list of backends of the program `trifac`. A new backend is added here.

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/opencl_device.hpp"
#include "options.hpp"
#include "trifac/backend/openmp.hpp"
#include "trifac/backend/serial.hpp"
#include "trifac/backend/threads.hpp"
#include "trifac/engine/device/settings.hpp"
#include "trifac/nests.hpp"
#if TRIFAC_EXPECT_LAPACK
  #include "trifac/backend/lapack.hpp"
#endif
#if TRIFAC_EXPECT_STARPU
  #include "starpu.hpp"
#endif
#if TRIFAC_EXPECT_CUDA
  #include "trifac/backend/cuda.hpp"
#endif
#if TRIFAC_EXPECT_CUSOLVER
  #include "trifac/backend/cusolver.hpp"
#endif

namespace program {

/// openmp or threads that record the threads of their calls: `best` and solves use one where the
/// work is small.
template <class Team>
struct counted : Team {
  static inline std::atomic<int> used = 1;

  /// Of the last call.
  static int take_used() { return used.exchange(1); }
};

template <class Team, class Worked, class Each>
bool start_team(const counted<Team>& backend, double flops, const Worked& worked,
                const Each& each) {
  return start_team(static_cast<const Team&>(backend), flops, worked, [&](int size) {
    counted<Team>::used = size;
    each(size);
  });
}

/// See TeamBackend.
template <class Team>
trifac::call_team team_for_call(const counted<Team>& backend) {
  return trifac::team_started_by(backend);
}

/// Threads of the last call of a backend that counts them; 0 for others.
template <class B>
int take_threads_used(const B&) {
  if constexpr (requires { B::take_used(); })
    return B::take_used();
  else
    return 0;
}

/// What the command line says of backends.
struct backend_words {
  int threads = 0;             ///< 0: the backend's default
  std::string device = "any";  ///< of OpenCL
  std::string starpu_workers = "cpu";
};

inline backend_words words_of(const options& o) {
  return {.threads = o.threads, .device = o.device, .starpu_workers = o.starpu_workers};
}

/// visit(backend, threads) for every backend the program was built with; `threads` says on how many
/// it may run, 0 where its library chooses.
template <class Visit>
void for_each_backend(const backend_words& words, Visit visit) {
  const int asked = words.threads;
  visit(trifac::backend::serial{}, 1);
  using trifac::backend::openmp, trifac::backend::threads;
#if defined(_OPENMP)
  visit(counted<openmp>{{.threads = asked}}, asked > 0 ? asked : omp_get_max_threads());
#else
  visit(counted<openmp>{{.threads = asked}}, 1);
#endif
  visit(counted<threads>{{.threads = asked}},
        asked > 0 ? asked : static_cast<int>(std::thread::hardware_concurrency()));
#if TRIFAC_EXPECT_LAPACK
  visit(trifac::backend::lapack{}, 0);
#endif
#if TRIFAC_EXPECT_OPENCL
  visit(bench::opencl_device(words.device), 0);
#endif
#if TRIFAC_EXPECT_STARPU
  ::setenv("STARPU_SILENT", "1", 0);  // what it measures of the machine is not what was asked for
  visit(starpu_with(words.starpu_workers), 0);
#endif
#if TRIFAC_EXPECT_CUDA
  static const auto gpu = trifac::backend::cuda::first();
  visit(gpu, 0);
#endif
#if TRIFAC_EXPECT_CUSOLVER
  static const auto solver = trifac::backend::cusolver::first();
  visit(solver, 0);
#endif
}

/// Backends with the settings of devices.
template <class B>
concept HasSettings = requires(const B& backend) {
  backend.with(trifac::device::device_settings{});
};

/// The backend with these settings, where it has any.
template <class B>
B configured(const B& backend, [[maybe_unused]] const trifac::device::device_settings& settings) {
  if constexpr (HasSettings<B>)
    return backend.with(settings);
  else
    return backend;
}

/// A backend that this program was built without.
struct missing_backend {
  std::string_view name;
  std::string_view reason;
};

inline std::vector<missing_backend> missing_backends() {
  return {
#if !TRIFAC_EXPECT_LAPACK
    {"lapack", "this program was built without LAPACKE"},
#endif
#if !TRIFAC_EXPECT_OPENCL
        {"opencl", "this program was built without OpenCL"},
#endif
#if !TRIFAC_EXPECT_STARPU
        {"starpu", "this program was built without StarPU"},
#endif
#if !TRIFAC_EXPECT_CUDA
        {"cuda", "this program was built without CUDA"},
#endif
#if !TRIFAC_EXPECT_CUSOLVER
        {"cusolver", "this program was built without cuSOLVER"},
#endif
  };
}

}  // namespace program
