#pragma once
// For the programs of this build: with this header read first, what the OpenCL and CUDA backends do
// for the four LAPACK types is not compiled again in each file. device_instances.cmake compiles it.

#include <complex>

#include "trifac/variants.hpp"
#if TRIFAC_INSTANCES_OPENCL
  #include "trifac/backend/opencl.hpp"
#endif
#if TRIFAC_INSTANCES_CUDA
  #include "trifac/backend/cuda.hpp"
#endif

#define TRIFAC_CHOLESKY_INSTANCE(keyword, V, Runtime, T)                               \
  keyword status cholesky_of_host<variant::V, Runtime, T>(                             \
      session<Runtime>&, const device_settings&, matrix_view<const T>, matrix_view<T>, \
      const cholesky_options&);
#define TRIFAC_LU_INSTANCE(keyword, V, Runtime, T)                                             \
  keyword void run_lu<variant::V, Runtime, T>(lu_executor<Runtime, T>&, session<Runtime>&,     \
                                              device_view<T, typename Runtime::handle>,        \
                                              std::span<index_t>, const lu_options&);          \
  keyword status lu_of_host<variant::V, Runtime, T>(session<Runtime>&, const device_settings&, \
                                                    matrix_view<T>, std::span<index_t>,        \
                                                    const lu_options&);
#define TRIFAC_DEVICE_INSTANCES(keyword, Runtime, T)                                               \
  TRIFAC_CHOLESKY_INSTANCE(keyword, best, Runtime, T)                                              \
  TRIFAC_CHOLESKY_INSTANCE(keyword, banachiewicz, Runtime, T)                                      \
  TRIFAC_CHOLESKY_INSTANCE(keyword, crout, Runtime, T)                                             \
  TRIFAC_CHOLESKY_INSTANCE(keyword, crout_distributed_sum, Runtime, T)                             \
  TRIFAC_CHOLESKY_INSTANCE(keyword, left_looking, Runtime, T)                                      \
  TRIFAC_CHOLESKY_INSTANCE(keyword, right_looking, Runtime, T)                                     \
  TRIFAC_CHOLESKY_INSTANCE(keyword, top_looking, Runtime, T)                                       \
  TRIFAC_CHOLESKY_INSTANCE(keyword, recursive, Runtime, T)                                         \
  TRIFAC_CHOLESKY_INSTANCE(keyword, packed, Runtime, T)                                            \
  TRIFAC_LU_INSTANCE(keyword, best, Runtime, T)                                                    \
  TRIFAC_LU_INSTANCE(keyword, right_looking, Runtime, T)                                           \
  TRIFAC_LU_INSTANCE(keyword, recursive, Runtime, T)                                               \
  TRIFAC_LU_INSTANCE(keyword, packed, Runtime, T)                                                  \
  TRIFAC_LU_INSTANCE(keyword, unblocked, Runtime, T)                                               \
  TRIFAC_LU_INSTANCE(keyword, four_block, Runtime, T)                                              \
  keyword status solve_with_cholesky_of_host<Runtime, T>(                                          \
      session<Runtime>&, const device_settings&, const trifac::operand<T>&, matrix_view<T>);       \
  keyword status solve_with_lu_of_host<Runtime, T>(session<Runtime>&, const device_settings&,      \
                                                   matrix_view<const T>, std::span<const index_t>, \
                                                   operation, matrix_view<T>);

namespace trifac::device {
inline namespace TRIFAC_ABI {

#if TRIFAC_INSTANCES_OPENCL
TRIFAC_DEVICE_INSTANCES(extern template, opencl_runtime, float)
TRIFAC_DEVICE_INSTANCES(extern template, opencl_runtime, double)
TRIFAC_DEVICE_INSTANCES(extern template, opencl_runtime, std::complex<float>)
TRIFAC_DEVICE_INSTANCES(extern template, opencl_runtime, std::complex<double>)
#endif
#if TRIFAC_INSTANCES_CUDA
TRIFAC_DEVICE_INSTANCES(extern template, cuda_runtime, float)
TRIFAC_DEVICE_INSTANCES(extern template, cuda_runtime, double)
TRIFAC_DEVICE_INSTANCES(extern template, cuda_runtime, std::complex<float>)
TRIFAC_DEVICE_INSTANCES(extern template, cuda_runtime, std::complex<double>)
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
