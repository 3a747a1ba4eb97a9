// What goes wrong on a device, as the double lets it: with a host's matrix, resident ones and
// graphs, of Cholesky and LU by `best`, every allocation, launch and kernel fails once, and the
// device is lost at every call or, of long ones, every few. The error has its type, the host's
// matrix is as it was, and everything is given back. cuSOLVER gets no faults.

#include <gtest/gtest.h>

#include "cuda_double/cuda_double.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "trifac/backend/cuda.hpp"
#include "trifac/backend/cuda_graph.hpp"
#include "trifac/device_batch.hpp"
#include "trifac/device_matrix_lu.hpp"

namespace trifac::test {
namespace {

using backend::cuda;
using cuda_double::faults;
using device::device_fault;

/// The type that an error must have.
device_fault fault_of(const faults& f) {
  return f.memory >= 0 ? device_fault::out_of_memory
         : f.lost >= 0 ? device_fault::device_lost
                       : device_fault::launch_failed;
}

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
  const matrix<double> general_ = [] {
    random_source random(1202);
    return random_matrix<double>(random, 90, 90);
  }();

  /// Runs job(session) on a fresh session with these faults to come; true where it went well. What
  /// it took must have been given back afterwards.
  template <class Job>
  bool survives(const faults& f, Job job) {
    const auto before = cuda_double::seen();
    bool good = false;
    {
      const cuda on = cuda::first();
      EXPECT_TRUE(on.available()) << on.available().reason;
      good = job(on, f);
      cuda_double::inject({});
    }
    cuda_double::reset();
    EXPECT_EQ(cuda_double::seen().live_allocations, before.live_allocations);
    EXPECT_EQ(cuda_double::seen().live_objects, before.live_objects);
    return good;
  }
  /// Lets the fault come later and later, until it comes no more; answers how often it came.
  template <class Job>
  int each(int faults::*which, Job job, int step = 1) {
    int failures = 0;
    for (int k = 0; k < 3000; k += step, ++failures) {
      SCOPED_TRACE(k);
      faults f;
      f.*which = k;
      if (survives(f, job)) return failures;
    }
    ADD_FAILURE() << "the fault comes again and again";
    return -1;
  }

  /// A call on a host's matrix answers a status of the right kind that tells what has happened, and
  /// does not touch the matrix.
  template <class Call>
  static bool on_host(const faults& f, const matrix<double>& given, Call call) {
    cuda_double::inject(f);
    matrix<double> A = given;
    const status outcome = call(A);
    if (outcome.ok()) return true;
    EXPECT_EQ(outcome.kind(),
              f.memory >= 0 ? status_kind::out_of_memory : status_kind::backend_failure);
    const std::string what(outcome.what());
    const char* const words = f.memory >= 0 ? "out of memory"
                              : f.lost >= 0 ? "cudaErrorDevicesUnavailable"
                                            : "failed";
    EXPECT_NE(what.find(words), std::string::npos) << what;
    EXPECT_TRUE(same_bits(A.view(), given.view()));
    return false;
  }
  /// Calls on resident matrices throw an error of the right type.
  template <class Call>
  static bool on_device(const faults& f, Call call) {
    try {
      call();
      return true;
    } catch (const device::device_error& e) {
      EXPECT_EQ(e.fault(), fault_of(f)) << e.what();
      return false;
    }
  }
};

TEST_F(CudaFaults, NoDevice) {
  cuda_double::set_devices(0);
  EXPECT_FALSE(cuda::first().available());
  EXPECT_EQ(cuda::first().available().reason, "CUDA: no NVIDIA GPU with a driver");
  EXPECT_TRUE(cuda::devices().empty());
}

TEST_F(CudaFaults, CholeskyOfTheHostsMatrix) {
  const auto job = [&](const cuda& on, const faults& f) {
    return on_host(f, spd_, [&](matrix<double>& L) {
      const auto factor = try_cholesky(on, L, {.block = 64});
      if (factor) {
        EXPECT_TRUE(within(cholesky_ratio<double>(spd_, triangle::lower, L)));
      }
      return factor.status();
    });
  };
  EXPECT_GE(each(&faults::memory, job), 4);
  EXPECT_GE(each(&faults::launch, job), 7);
  EXPECT_GE(each(&faults::kernel, job), 7);
  EXPECT_GE(each(&faults::lost, job), 30);
}

TEST_F(CudaFaults, LuOfTheHostsMatrix) {
  const auto job = [&](const cuda& first, const faults& f) {
    const cuda on = first.with({.products = device::product_kernels::own});
    return on_host(f, general_, [&](matrix<double>& LU) {
      const auto factor = try_lu(on, LU, {.pivoting = pivoting::tournament, .block = 32});
      if (factor) {
        EXPECT_TRUE(within(lu_ratio<double>(general_, LU, factor.interchanges().span())));
      }
      return factor.status();
    });
  };
  EXPECT_GE(each(&faults::memory, job), 8);
  EXPECT_GE(each(&faults::launch, job), 20);
  EXPECT_GE(each(&faults::kernel, job), 20);
  EXPECT_GE(each(&faults::lost, job, 5), 20);
}

TEST_F(CudaFaults, ProductsByTheLibrary) {
  const auto job = [&](const cuda& first, const faults& f) {
    const cuda on = first.with({.products = device::product_kernels::library});
    return on_host(f, spd_,
                   [&](matrix<double>& L) { return try_cholesky(on, L, {.block = 64}).status(); });
  };
  EXPECT_GE(each(&faults::lost, job), 30);
}

TEST_F(CudaFaults, ResidentMatricesAndTheStatusThatIsAskedForLater) {
  const auto job = [&](const cuda& on, const faults& f) {
    device_matrix A(on, spd_.view()), B(on, general_.view());
    device_matrix<double, cuda> X(on, 150, 2);
    X.assign(std::as_const(spd_).view().block(0, 0, 150, 2));
    cuda_double::inject(f);
    return on_device(f, [&] {
      const auto factor = cholesky(A, {.block = 64});
      solve(factor, X);
      const auto other = lu(B, {.block = 32});
      EXPECT_TRUE(factor.status());
      EXPECT_TRUE(other.status());
    });
  };
  EXPECT_GE(each(&faults::memory, job), 8);
  EXPECT_GE(each(&faults::launch, job), 20);
  EXPECT_GE(each(&faults::kernel, job), 20);
  EXPECT_GE(each(&faults::lost, job, 5), 20);
}

/// Scratch memory of earlier calls is no reason to have none for the next.
TEST_F(CudaFaults, WhereMemoryRunsOutWhatIsKeptIsReleased) {
  const cuda on = cuda::first();
  const auto keep_some = [&] {
    matrix<double> L = spd_;
    ASSERT_TRUE(cholesky(on, L, {.block = 64}));
    ASSERT_GT(cuda_double::seen().live_allocations, 3);
    cuda_double::inject({.allocation = 0});
  };
  keep_some();
  random_source random(1203);
  matrix<double> L = random_spd<double>(random, 300);
  EXPECT_TRUE(try_cholesky(on, L).ok());
  keep_some();
  const device_matrix<double, cuda> D(on, 300, 300);
  keep_some();
  const device_batch<double, cuda> batch(on, 300, 9, 9);
  // With nothing to release there is no second attempt.
  on.session().take_free();
  cuda_double::inject({.allocation = 0});
  EXPECT_THROW((device_matrix<double, cuda>(on, 300, 300)), device::device_error);
}

TEST_F(CudaFaults, Graphs) {
  const auto job = [&](const cuda& on, const faults& f) {
    device_matrix A(on, spd_.view());
    cuda_double::inject(f);
    return on_device(f, [&] {
      backend::cuda_graph graph(on, [&] { return cholesky(A, {.block = 64}); });
      A.assign(spd_.view());
      graph.launch();
      EXPECT_TRUE(graph.status());
    });
  };
  EXPECT_GE(each(&faults::memory, job), 3);
  EXPECT_GE(each(&faults::launch, job), 20);
  EXPECT_GE(each(&faults::kernel, job), 20);
  EXPECT_GE(each(&faults::lost, job, 3), 30);
}

TEST_F(CudaFaults, GraphsOfLu) {
  const auto job = [&](const cuda& on, const faults& f) {
    device_matrix A(on, general_.view());
    cuda_double::inject(f);
    return on_device(f, [&] {
      backend::cuda_graph graph(on, [&] { return lu(A, {.block = 32}); });
      A.assign(general_.view());
      graph.launch();
      EXPECT_TRUE(graph.status());
      EXPECT_TRUE(
          within(lu_ratio<double>(general_, A.to_host(), graph.result().interchanges().span())));
    });
  };
  EXPECT_GE(each(&faults::memory, job), 3);
  EXPECT_GE(each(&faults::launch, job), 20);
  EXPECT_GE(each(&faults::kernel, job), 20);
  EXPECT_GE(each(&faults::lost, job, 7), 20);
}

/// Fewer groups with more rows each, or the panel in memory: the same bits.
TEST_F(CudaFaults, ClustersThatHaveNoRoomOrAreRefused) {
  random_source random(1203);
  const matrix<double> A = random_matrix<double>(random, 3000, 8);
  matrix<double> expected;
  for (int most : {0, 2, 4, 8, 16}) {
    for (int refused : {-1, 0}) {
      SCOPED_TRACE(testing::Message() << most << " blocks, refused " << refused);
      cuda_double::reset();
      cuda_double::set_cluster(most);
      const cuda on = cuda::first();
      EXPECT_EQ(on.facts().cluster, most == 0 ? 1 : 16);
      cuda_double::inject({.cluster = refused});
      matrix<double> LU = A;
      EXPECT_TRUE(lu(on, LU));
      // 12 blocks of 256 rows, 6 of 512, 3 of 1024, rounded up to a power of two.
      EXPECT_EQ(cuda_double::seen().clusters, most < 4 ? 0 : refused == 0 && most > 4 ? 2 : 1);
      if (most == 0 && refused < 0) expected = LU;
      EXPECT_TRUE(same_bits(LU.view(), expected.view()));
      matrix<double> again = A;
      EXPECT_TRUE(lu(on, again));
      EXPECT_EQ(cuda_double::seen().clusters, most < 4 ? 0 : refused < 0 ? 2 : most > 4 ? 3 : 1);
      EXPECT_TRUE(same_bits(again.view(), expected.view()));
    }
  }
}

TEST_F(CudaFaults, ALostDeviceStaysLost) {
  const cuda on = cuda::first();
  matrix<double> L = spd_;
  cuda_double::inject({.lost = 9});
  EXPECT_EQ(try_cholesky(on, L).status().kind(), status_kind::backend_failure);
  cuda_double::inject({});
  for (int k = 0; k < 2; ++k) {
    const status again = try_cholesky(on, L).status();
    EXPECT_EQ(again.kind(), status_kind::backend_failure);
    EXPECT_THROW(static_cast<void>(lu(on, L)), backend_error);
  }
  EXPECT_TRUE(same_bits(L.view(), spd_.view()));
}

}  // namespace
}  // namespace trifac::test
