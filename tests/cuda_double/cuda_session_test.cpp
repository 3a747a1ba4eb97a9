// What a session of a CUDA device owns: its end while kernels run, another device than the
// thread's, its memory, and what a graph takes of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cuda_double/cuda_double.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "trifac/backend/cuda.hpp"
#include "trifac/backend/cuda_graph.hpp"
#include "trifac/device_matrix_lu.hpp"

namespace trifac::test {
namespace {

using backend::cuda;
using backend::cuda_graph;

class CudaSession : public testing::Test {
 protected:
  void SetUp() override { cuda_double::reset(); }
  void TearDown() override {
    EXPECT_EQ(cuda_double::complaints(), "");
    cuda_double::reset();
  }
  static cuda by_library(const cuda& on) {
    return on.with({.products = device::product_kernels::library});
  }
  const matrix<double> spd_ = [] {
    random_source random(1501);
    return random_spd<double>(random, 200);
  }();
};

TEST_F(CudaSession, MayGoWhileItsKernelsRun) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    cuda_double::seed(seed);
    const cuda on = by_library(cuda::first());
    device_matrix D(on, spd_.view());
    static_cast<void>(cholesky(D, {.block = 64}));
    static_cast<void>(lu(D, {.block = 64}));
  }
}

TEST_F(CudaSession, GivesBackItsMemoryBeforeAnAssignmentEndsIt) {
  cuda_double::set_devices(2);
  device_matrix<double, cuda> D(cuda::at(0), spd_.view());  // its session has no other owner
  D = device_matrix<double, cuda>(cuda::at(1), spd_.view());
  EXPECT_TRUE(cholesky(D, {.block = 64}).ok());
  EXPECT_TRUE(within(cholesky_ratio<double>(spd_, triangle::lower, D.to_host())));
}

TEST_F(CudaSession, WorksOnAnotherDeviceThanTheThread) {
  cuda_double::set_devices(2);
  {
    const cuda on = by_library(cuda::at(1));
    ASSERT_TRUE(on.available()) << on.available().reason;
    matrix<double> L = spd_;
    ASSERT_TRUE(cholesky(on, L, {.block = 64}));
    EXPECT_TRUE(within(cholesky_ratio<double>(spd_, triangle::lower, L)));
  }
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
}

/// Two sessions of one device and one of another: what one has factored, the next one gets.
TEST_F(CudaSession, GivesWhatItHasToAnother) {
  cuda_double::set_devices(2);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    cuda_double::seed(seed);
    const cuda a = cuda::at(0), b = cuda::at(0), c = cuda::at(1);
    device_matrix<double, cuda> A(a, spd_.view()), B(b, 200, 200), C(c, 200, 200);
    const auto f = cholesky(A, {.block = 64});
    B.assign(A);
    C.assign(B);
    A.assign(spd_.view());
    const auto g = cholesky(A, {.block = 32});  // after B has its copy
    B.assign(spd_.view());                      // after C has its copy
    const matrix<double> at_b = B.to_host(), at_c = C.to_host();
    EXPECT_TRUE(within(cholesky_ratio<double>(spd_, triangle::lower, at_c)));
    EXPECT_TRUE(same_bits(at_b.view(), spd_.view()));
    EXPECT_TRUE(f.ok() && g.ok());
    EXPECT_THROW(C.assign(device_matrix<double, cuda>(b, 199, 200)), argument_error);
  }
}

/// More than two pieces of cuda_staging, all of a matrix and its lower triangle.
TEST_F(CudaSession, PacksMatricesOfTheHostInPieces) {
  const cuda on = cuda::first();
  random_source random(1502);
  const index_t n = 1100, pitch = n + 3;
  static_assert(1100 * 1100 * sizeof(double) > 2 * device::cuda_staging::piece_bytes);
  std::vector<double> elements(static_cast<std::size_t>(pitch * n), -7), before;
  const matrix_view<double> A(elements.data(), n, n, 1, pitch);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) A(i, j) = random.uniform();
  before = elements;
  device_matrix<double, cuda> D(on, A);
  std::fill(elements.begin(), elements.end(), -7);  // D has them already
  D.copy_to(A);
  EXPECT_EQ(elements, before);

  auto& runtime = on.session().runtime;
  const auto lower = device::extent_of_use::lower_triangle;
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) A(i, j) += i < j ? 1 : 2;
  device::copy_to_device(runtime, matrix_view<const double>(A), D.view().memory(), lower);
  std::fill(elements.begin(), elements.end(), -7);
  device::copy_to_host(runtime, D.view().memory(), A, lower);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < pitch; ++i) {
      const auto k = static_cast<std::size_t>(i + j * pitch);
      ASSERT_EQ(elements[k], i < j || i >= n ? -7 : before[k] + 2) << i << ", " << j;
    }
}

TEST_F(CudaSession, KeepsItsMemoryWhenSomebodyWaits) {
  const cuda on = cuda::first();
  for (int call = 0; call < 3; ++call) {
    matrix<double> L = spd_;
    ASSERT_TRUE(cholesky(on, L));
    const device_matrix D(on, spd_.view());
  }
  on.session().runtime.finish();
  EXPECT_EQ(cuda_double::seen().trims, 0);
}

TEST_F(CudaSession, AGraphKeepsPrioritiesAndHasCublasWithoutAllocations) {
  const cuda on = by_library(cuda::first());
  device_matrix D(on, spd_.view());
  cuda_graph graph(on, [&] { return cholesky(D, {.block = 64}); });
  EXPECT_GT(cuda_double::seen().urgent_nodes, 0);
  const int calls = cuda_double::seen().library_calls;
  EXPECT_GT(calls, 0);
  D.assign(spd_.view());
  graph.launch();
  EXPECT_TRUE(graph.status());
  EXPECT_TRUE(within(cholesky_ratio<double>(spd_, triangle::lower, D.to_host())));
  EXPECT_EQ(cuda_double::seen().library_calls, calls);  // recorded: nobody calls it again
}

/// The graph may use what the calls let go.
TEST_F(CudaSession, NothingIsFreedWhileAGraphIsRecorded) {
  const cuda on = cuda::first();
  device_matrix D(on, spd_.view());
  std::vector<std::unique_ptr<device_matrix<double, cuda>>> spare;
  for (int k = 0; k < 12; ++k)
    spare.push_back(std::make_unique<device_matrix<double, cuda>>(on, 8, 8));
  const auto calls = [&] {
    spare.pop_back();
    return cholesky(D, {.block = 64});
  };
  const int before = cuda_double::seen().live_allocations;
  {
    const cuda_graph graph(on, calls);
    D.assign(spd_.view());
  }
  spare.clear();
  on.session().runtime.finish();
  EXPECT_LE(cuda_double::seen().live_allocations, before);
}

TEST_F(CudaSession, CallsThatAllocateEachTimeCannotBeRecorded) {
  const cuda on = cuda::first();
  device_matrix D(on, spd_.view());
  std::vector<device_matrix<double, cuda>> more;
  const auto calls = [&] {
    more.emplace_back(on, 8, 8);
    return cholesky(D, {.block = 64});
  };
  EXPECT_THROW(static_cast<void>(cuda_graph(on, calls)), backend_error);
  // Those that begin to when they are recorded cannot, either.
  int made = 0;
  const auto late = [&] {
    if (++made > 1) more.emplace_back(on, 8, 8);
    return cholesky(D, {.block = 64});
  };
  EXPECT_THROW(static_cast<void>(cuda_graph(on, late)), backend_error);
  // Nor can copies between sessions, whose streams wait for each other.
  D.assign(spd_.view());
  device_matrix<double, cuda> other(cuda::first(), spd_.view());
  const auto copied = [&] {
    D.assign(other);
    return cholesky(D, {.block = 64});
  };
  try {
    static_cast<void>(cuda_graph(on, copied));
    ADD_FAILURE() << "was recorded";
  } catch (const backend_error& e) {
    EXPECT_NE(std::string(e.what()).find("copies between sessions"), std::string::npos) << e.what();
  }
  D.assign(spd_.view());
  EXPECT_TRUE(cholesky(D, {.block = 64}).status());
}

/// Look-ahead uses it, too, and one right-hand side is enough.
TEST_F(CudaSession, TheLibraryWorksInBothStreamsAndSolves) {
  const cuda on = by_library(cuda::first());
  device_matrix D(on, spd_.view());
  const int before = cuda_double::seen().library_calls;
  const auto f = lu(D, {.block = 64});
  // A solve and a product for each next panel, of which there are three, and for what is right of
  // it.
  EXPECT_EQ(cuda_double::seen().library_calls - before, 3 * 2 + 2 * 2);
  ASSERT_TRUE(f.status());
  device_matrix<double, cuda> X(on, 200, 1);
  X.assign(std::as_const(spd_).view().block(0, 0, 200, 1));
  const int calls = cuda_double::seen().library_calls;
  solve(f, X);
  EXPECT_EQ(cuda_double::seen().library_calls - calls, 2);
  EXPECT_NEAR(X.to_host()(0, 0), 1, 1e-10);
}

/// m·n·k counts, however few the right-hand sides; so does the order for the width of a panel.
TEST_F(CudaSession, SizesDecideAboutTheLibraryAndPanels) {
  const cuda on = cuda::first();
  using runtime = device::cuda_runtime;
  const device::lu_executor<runtime, double> lus(on.session(), {}, 0);
  const device::products<runtime, double> by_size(lus);
  EXPECT_TRUE(by_size.uses_library(1024, 1, 32));
  EXPECT_FALSE(by_size.uses_library(1023, 1, 32));
  constexpr auto solve = device::products<runtime, double>::least_solve;
  EXPECT_TRUE(by_size.uses_library(128, 1, 128, solve));
  EXPECT_FALSE(by_size.uses_library(127, 1, 128, solve));
  const device::cholesky_executor<runtime, double> choleskys(on.session(), {});
  for (const index_t n : {2047, 2048, 8191, 8192, 16383, 16384}) {
    EXPECT_EQ(lus.panel_width(n), n < 8192 ? 64 : 256);
    EXPECT_EQ(choleskys.panel_width(n), n < 2048 ? 64 : n < 16384 ? 512 : 1024);
  }
}

/// What no pivot shows is looked at by many items.
TEST_F(CudaSession, FindsWhatIsNotFiniteBesideThePivots) {
  const cuda on = cuda::first();
  random_source random(1502);
  const index_t k = 20, most = 700;
  for (const bool wide : {true, false})
    for (index_t at : {k, index_t{257}, most - 1}) {
      matrix<double> A =
          wide ? random_matrix<double>(random, k, most) : random_matrix<double>(random, most, k);
      matrix<double> B = A;
      const status good = try_lu(on, B, {.pivoting = pivoting::none}).status();
      EXPECT_TRUE(good) << good.message();
      (wide ? A(k - 1, at) : A(at, k - 1)) = std::numeric_limits<double>::infinity();
      EXPECT_EQ(try_lu(on, A, {.pivoting = pivoting::none}).status(),
                status::at(status_kind::not_finite, k - 1));
    }
}

}  // namespace
}  // namespace trifac::test
