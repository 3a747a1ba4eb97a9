#pragma once
// The one list of backends under test. A new backend is added here, and every test runs on it.

#include <string>
#include <string_view>

#include "trifac/backend/openmp.hpp"
#include "trifac/backend/serial.hpp"
#include "trifac/backend/threads.hpp"
#if TRIFAC_EXPECT_LAPACK
  #include "trifac/backend/lapack.hpp"
#endif
#if TRIFAC_EXPECT_OPENCL
  #include "trifac/backend/opencl.hpp"
#endif
#if TRIFAC_TEST_CUDA_ALONE
  #include "trifac/backend/cuda.hpp"
#endif

// The build says what it was configured with; backends_test.cpp holds it to that, so that nothing
// is left out in silence.
#if !defined(TRIFAC_EXPECT_OPENMP) || !defined(TRIFAC_EXPECT_LAPACK) || \
    !defined(TRIFAC_EXPECT_OPENCL)
  #error \
      "define TRIFAC_EXPECT_OPENMP, _LAPACK and _OPENCL as 0 or 1: the backends this build was configured with"
#endif

namespace trifac::test {

/// visit(backend, name) for each backend, with settings that are cheap on a machine of two cores.
template <class Visit>
void for_each_backend(Visit visit) {
#if TRIFAC_TEST_CUDA_ALONE
  static const auto gpu = backend::cuda::first();
  visit(gpu, std::string(backend::cuda::name));
#elif !TRIFAC_TEST_OPENCL_ALONE
  visit(backend::serial{}, std::string(backend::serial::name));
  visit(backend::threads{.threads = 2}, std::string(backend::threads::name));
#endif
  if (backend::openmp{}.available())
    visit(backend::openmp{.threads = 2}, std::string(backend::openmp::name));
#if TRIFAC_EXPECT_LAPACK
  visit(backend::lapack{}, std::string(backend::lapack::name));
#endif
#if TRIFAC_EXPECT_OPENCL
  static const auto device = backend::opencl::first();  // one session for all tests of a program
  if (device.available()) visit(device, std::string(backend::opencl::name));
#endif
}

inline constexpr int most_threads = 4;

/// visit(backend, name) for teams of 1, 2, 3 and 4 threads: all must give the same bits, so that
/// what is tested with two threads holds for all.
template <class Visit>
void for_each_team(Visit visit) {
  const auto with = [](std::string_view name, int threads) {
    return std::string(name) + " with " + std::to_string(threads) + " threads";
  };
  for (int threads = 1; threads <= most_threads; ++threads) {
    if (backend::openmp{}.available())
      visit(backend::openmp{.threads = threads}, with(backend::openmp::name, threads));
#if !TRIFAC_TEST_OPENCL_ALONE && !TRIFAC_TEST_CUDA_ALONE
    visit(backend::threads{.threads = threads}, with(backend::threads::name, threads));
#endif
  }
}

}  // namespace trifac::test
