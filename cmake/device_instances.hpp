#pragma once
// For the programs of this build: with this header included first, what the OpenCL and CUDA backends
// do for the four LAPACK types is not compiled again in each file. Where TRIFAC_INSTANCE_TYPE names
// one of them it is defined here, for device_instances.cmake.

#include <complex>

#if TRIFAC_INSTANCES_OPENCL
  #include "trifac/backend/opencl.hpp"
#endif
#if TRIFAC_INSTANCES_CUDA
  #include "trifac/backend/cuda.hpp"
#endif

#ifdef TRIFAC_INSTANCE_TYPE
  #define TRIFAC_INSTANCE template
  #define TRIFAC_INSTANCES(Runtime) TRIFAC_INSTANCES_OF(Runtime, TRIFAC_INSTANCE_TYPE)
#else
  #define TRIFAC_INSTANCE extern template
  #define TRIFAC_INSTANCES(Runtime)                   \
    TRIFAC_INSTANCES_OF(Runtime, float)               \
    TRIFAC_INSTANCES_OF(Runtime, double)              \
    TRIFAC_INSTANCES_OF(Runtime, std::complex<float>) \
    TRIFAC_INSTANCES_OF(Runtime, std::complex<double>)
#endif

#define TRIFAC_CHOLESKY_INSTANCE(V, Runtime, T)                                 \
  TRIFAC_INSTANCE status cholesky_of_host<variant::V, Runtime, T>(              \
      session<Runtime>&, device_settings, matrix_view<const T>, matrix_view<T>, \
      const cholesky_options&);
#define TRIFAC_LU_INSTANCE(V, Runtime, T)                                                          \
  TRIFAC_INSTANCE void run_lu<variant::V, Runtime, T>(lu_executor<Runtime, T>&, session<Runtime>&, \
                                                      device_view<T, typename Runtime::handle>,    \
                                                      std::span<index_t>, const lu_options&);      \
  TRIFAC_INSTANCE status lu_of_host<variant::V, Runtime, T>(                                       \
      session<Runtime>&, const device_settings&, matrix_view<T>, std::span<index_t>,               \
      const lu_options&);
#define TRIFAC_INSTANCES_OF(Runtime, T)                                                          \
  TRIFAC_CHOLESKY_INSTANCE(best, Runtime, T)                                                     \
  TRIFAC_CHOLESKY_INSTANCE(banachiewicz, Runtime, T)                                             \
  TRIFAC_CHOLESKY_INSTANCE(crout, Runtime, T)                                                    \
  TRIFAC_CHOLESKY_INSTANCE(crout_distributed_sum, Runtime, T)                                    \
  TRIFAC_CHOLESKY_INSTANCE(left_looking, Runtime, T)                                             \
  TRIFAC_CHOLESKY_INSTANCE(right_looking, Runtime, T)                                            \
  TRIFAC_CHOLESKY_INSTANCE(top_looking, Runtime, T)                                              \
  TRIFAC_CHOLESKY_INSTANCE(recursive, Runtime, T)                                                \
  TRIFAC_CHOLESKY_INSTANCE(packed, Runtime, T)                                                   \
  TRIFAC_LU_INSTANCE(best, Runtime, T)                                                           \
  TRIFAC_LU_INSTANCE(right_looking, Runtime, T)                                                  \
  TRIFAC_LU_INSTANCE(recursive, Runtime, T)                                                      \
  TRIFAC_LU_INSTANCE(packed, Runtime, T)                                                         \
  TRIFAC_LU_INSTANCE(unblocked, Runtime, T)                                                      \
  TRIFAC_LU_INSTANCE(four_block, Runtime, T)                                                     \
  TRIFAC_INSTANCE status solve_with_cholesky_of_host<Runtime, T>(                                \
      session<Runtime>&, const device_settings&, const trifac::operand<T>&, matrix_view<T>);     \
  TRIFAC_INSTANCE status solve_with_lu_of_host<Runtime, T>(                                      \
      session<Runtime>&, const device_settings&, matrix_view<const T>, std::span<const index_t>, \
      operation, matrix_view<T>);

namespace trifac::device {
inline namespace TRIFAC_ABI {

#if TRIFAC_INSTANCES_OPENCL
TRIFAC_INSTANCES(opencl_runtime)
#endif
#if TRIFAC_INSTANCES_CUDA
TRIFAC_INSTANCES(cuda_runtime)
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac::device

#undef TRIFAC_INSTANCE
#undef TRIFAC_INSTANCES
#undef TRIFAC_CHOLESKY_INSTANCE
#undef TRIFAC_LU_INSTANCE
#undef TRIFAC_INSTANCES_OF
