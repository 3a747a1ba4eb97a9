#pragma once
// The one list of backends of the program `trifac`. A new backend is added here.

#include <string_view>
#include <vector>

#include "trifac/backend/openmp.hpp"
#include "trifac/backend/serial.hpp"
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

namespace program {

/// visit(backend, threads) for every backend the program was built with; `threads` says on how many
/// it runs, 0 where that is its library's affair. asked = 0: as many as OpenMP would use.
template <class Visit>
void for_each_backend(int asked, Visit visit) {
  visit(trifac::backend::serial{}, 1);
#if defined(_OPENMP)
  visit(trifac::backend::openmp{.threads = asked}, asked > 0 ? asked : omp_get_max_threads());
#else
  visit(trifac::backend::openmp{.threads = asked}, 1);
#endif
#if TRIFAC_EXPECT_LAPACK
  visit(trifac::backend::lapack{}, 0);
#endif
#if TRIFAC_EXPECT_OPENCL
  // One session for all visits, never ended: some drivers are gone before static objects are.
  static const auto& device = *new auto(trifac::backend::opencl::first());
  visit(device, 0);
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
#if !TRIFAC_EXPECT_CUDA
        {"cuda", "this program was built without CUDA"},
#endif
#if !TRIFAC_EXPECT_CUSOLVER
        {"cusolver", "this program was built without cuSOLVER"},
#endif
  };
}

}  // namespace program
