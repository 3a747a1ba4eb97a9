#pragma once
// The one list of backends of trifac-bench. A new backend is added here.

#include <thread>

#include "options.hpp"
#include "trifac/backend/openmp.hpp"
#include "trifac/backend/serial.hpp"
#include "trifac/backend/threads.hpp"
#if TRIFAC_EXPECT_LAPACK
  #include "trifac/backend/lapack.hpp"
#endif
#if TRIFAC_EXPECT_OPENCL
  #include "trifac/backend/opencl.hpp"
#endif
#if TRIFAC_EXPECT_CUDA
  #include "trifac/backend/cuda.hpp"
#endif
#if TRIFAC_EXPECT_CUSOLVER
  #include "trifac/backend/cusolver.hpp"
#endif

namespace bench {

/// visit(backend, threads) for every backend that is there; `threads` says by how many cores' peak
/// its speed is measured. The threads of a LAPACK are its own affair (OPENBLAS_NUM_THREADS …).
template <class Visit>
void for_each_backend(const options& o, Visit visit) {
  visit(trifac::backend::serial{}, 1);
#if defined(_OPENMP)
  visit(trifac::backend::openmp{.threads = o.threads},
        o.threads > 0 ? o.threads : omp_get_max_threads());
#endif
  visit(trifac::backend::threads{.threads = o.threads},
        o.threads > 0 ? o.threads : static_cast<int>(std::thread::hardware_concurrency()));
#if TRIFAC_EXPECT_LAPACK
  visit(trifac::backend::lapack{}, 1);
#endif
#if TRIFAC_EXPECT_OPENCL
  static const auto device = trifac::backend::opencl::first();  // one session for all visits
  if (device.available()) visit(device, 1);
#endif
#if TRIFAC_EXPECT_CUDA
  static const auto gpu = trifac::backend::cuda::first();
  if (gpu.available()) visit(gpu, 1);
#endif
#if TRIFAC_EXPECT_CUSOLVER
  static const auto solver = trifac::backend::cusolver::first();
  if (solver.available()) visit(solver, 1);
#endif
}

}  // namespace bench
