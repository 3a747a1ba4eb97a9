// What goes wrong on a device, as the double lets it: every allocation, launch and call fails once.
// The error has its type, the host's matrix is as it was, and everything is given back.

#include <gtest/gtest.h>

#include "cuda_double/cuda_double.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "trifac/backend/cuda.hpp"
#include "trifac/device_matrix_lu.hpp"

namespace trifac::test {
namespace {

using backend::cuda;
using device::device_fault;

class CudaFaults : public testing::Test {
 protected:
  void SetUp() override { cuda_double::reset(); }
  void TearDown() override {
    EXPECT_EQ(cuda_double::complaints(), "");
    cuda_double::reset();
  }
  const matrix<double> spd_ = [] {
    random_source random(1201);
    return random_spd<double>(random, 150);
  }();

  /// Cholesky of a host matrix on a fresh session with these faults to come; true where none of
  /// them came to pass.
  bool factors_with(const cuda_double::faults& f) {
    const auto before = cuda_double::seen();
    bool good = false;
    {
      const cuda on = cuda::first();
      EXPECT_TRUE(on.available()) << on.available().reason;
      cuda_double::inject(f);
      matrix<double> L = spd_;
      const auto factor = try_cholesky(on, L, {.block = 64});
      good = factor.ok();
      if (good) {
        EXPECT_TRUE(within(cholesky_ratio<double>(spd_, triangle::lower, L)));
      } else {
        EXPECT_EQ(factor.status().kind(),
                  f.allocation >= 0 ? status_kind::out_of_memory : status_kind::backend_failure);
        EXPECT_STRNE(factor.status().what(), "");
        EXPECT_TRUE(same_bits(L.view(), spd_.view()));
      }
    }
    cuda_double::reset();
    EXPECT_EQ(cuda_double::seen().live_allocations, before.live_allocations);
    EXPECT_EQ(cuda_double::seen().live_objects, before.live_objects);
    return good;
  }
  /// Lets the fault come later and later, until it comes no more; answers how often it came.
  int each(int cuda_double::faults::*which) {
    for (int k = 0; k < 1000; ++k) {
      SCOPED_TRACE(k);
      cuda_double::faults f;
      f.*which = k;
      if (factors_with(f)) return k;
    }
    return -1;
  }
};

TEST_F(CudaFaults, NoDevice) {
  cuda_double::set_devices(0);
  EXPECT_FALSE(cuda::first().available());
  EXPECT_NE(cuda::first().available().reason.find("NoDevice"), std::string_view::npos);
  EXPECT_TRUE(cuda::devices().empty());
}

TEST_F(CudaFaults, EveryAllocationFailsOnce) {
  EXPECT_GE(each(&cuda_double::faults::allocation), 4);
}
TEST_F(CudaFaults, EveryLaunchIsRefusedOnce) {
  EXPECT_GE(each(&cuda_double::faults::launch), 7);
}
TEST_F(CudaFaults, EveryKernelFailsOnce) {
  EXPECT_GE(each(&cuda_double::faults::kernel), 7);
}
TEST_F(CudaFaults, TheDeviceIsLostAtEveryCall) {
  EXPECT_GE(each(&cuda_double::faults::lost), 30);
}

TEST_F(CudaFaults, ErrorsHaveTheirTypes) {
  const auto fault_of = [&](const cuda_double::faults& f) {
    const cuda on = cuda::first();
    device_matrix A(on, spd_.view());
    cuda_double::inject(f);
    try {
      static_cast<void>(cholesky(A, {.block = 64}).status());
    } catch (const device::device_error& e) {
      cuda_double::reset();
      return e.fault();
    }
    ADD_FAILURE() << "nothing was thrown";
    return device_fault::other;
  };
  EXPECT_EQ(fault_of({.allocation = 0}), device_fault::out_of_memory);
  EXPECT_EQ(fault_of({.launch = 2}), device_fault::launch_failed);
  EXPECT_EQ(fault_of({.kernel = 2}), device_fault::launch_failed);
  EXPECT_EQ(fault_of({.lost = 9}), device_fault::device_lost);
}

TEST_F(CudaFaults, LuLosesNothingEither) {
  random_source random(1202);
  const matrix<double> A = random_matrix<double>(random, 90, 90);
  int failures = 0;
  for (int k = 0;; k += 3) {
    SCOPED_TRACE(k);
    const cuda on = cuda::first();
    cuda_double::inject({.kernel = k});
    matrix<double> LU = A;
    const auto f = try_lu(on, LU, {.pivoting = pivoting::tournament, .block = 32});
    cuda_double::reset();
    if (f.ok()) break;
    ++failures;
    EXPECT_TRUE(same_bits(LU.view(), A.view()));
  }
  EXPECT_GE(failures, 5);
}

}  // namespace
}  // namespace trifac::test
