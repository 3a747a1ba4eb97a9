// CUDA with NVIDIA's own libraries: a program built with it starts anywhere, and where there is no
// driver or no device it says so and touches nothing. What it computes is tested elsewhere.

#include <gtest/gtest.h>

#include <string>

#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "trifac/backend/cuda.hpp"
#include "trifac/backend/cusolver.hpp"

namespace trifac::test {
namespace {

using backend::cuda;
using backend::cusolver;

TEST(CudaLink, IsThereOrSaysWhyNot) {
  const cuda gpu = cuda::first();
  EXPECT_EQ(static_cast<bool>(gpu.available()), !cuda::devices().empty());
  EXPECT_EQ(gpu.available().reason.empty(), static_cast<bool>(gpu.available()));
  if (!gpu.available()) {
    EXPECT_NE(gpu.available().reason.find("CUDA"), std::string_view::npos);
  }
  int driver = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
    EXPECT_EQ(gpu.available().reason, "CUDA: no NVIDIA GPU with a driver");
  }
}

TEST(CudaLink, AnUnknownDeviceIsRefusedWithoutAnException) {
  for (int index : {-1, 1000}) {
    EXPECT_FALSE(cuda::at(index).available());
    // The reason outlives the backend, which ends with the statement.
    const availability gpu = cuda::at(index).available(), solver = cusolver::at(index).available();
    EXPECT_NE(gpu.reason.find("CUDA"), std::string_view::npos) << gpu.reason;
    EXPECT_NE(solver.reason.find("CUDA"), std::string_view::npos) << solver.reason;
  }
  EXPECT_FALSE(cuda().available());
  EXPECT_EQ(cuda().available().reason, "no CUDA device was chosen");
}

TEST(CudaLink, FactorsOrTouchesNothing) {
  const cuda gpu = cuda::first();
  random_source random(1001);
  const matrix<double> A = random_spd<double>(random, 20);
  matrix<double> L = A;
  const auto f = try_cholesky(gpu, L);
  if (gpu.available()) {
    EXPECT_TRUE(f) << f.status().message();
    EXPECT_TRUE(within(cholesky_ratio<double>(A, triangle::lower, L)));
  } else {
    EXPECT_EQ(f.status().kind(), status_kind::backend_failure);
    EXPECT_TRUE(same_bits(L.view(), A.view()));
    EXPECT_THROW(static_cast<void>(cholesky(gpu, L)), backend_error);
    EXPECT_THROW(static_cast<void>(lu(gpu, L)), backend_error);
    EXPECT_TRUE(same_bits(L.view(), A.view()));
  }
}

TEST(CudaLink, CusolverIsThereWhereCudaIs) {
  const cusolver solver = cusolver::first();
  EXPECT_EQ(static_cast<bool>(solver.available()), static_cast<bool>(cuda::first().available()));
  EXPECT_EQ(solver.available().reason.empty(), static_cast<bool>(solver.available()));
  matrix<double> A(1, 1);
  A(0, 0) = 4;
  const auto f = try_cholesky(solver, A);
  EXPECT_EQ(A(0, 0), solver.available() ? 2 : 4);
  EXPECT_EQ(f.ok(), static_cast<bool>(solver.available()));
}

}  // namespace
}  // namespace trifac::test
