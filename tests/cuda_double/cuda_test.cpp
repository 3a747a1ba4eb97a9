// The CUDA backend's own features: devices and streams, the kernels of the variants by elements and
// of LU by blocks with any number of threads, resident matrices, typed arguments, programs.

#include "trifac/backend/cuda.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/device_cases.hpp"
#include "support/layouts.hpp"
#include "support/local_lu_case.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/device_matrix_lu.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

using backend::cuda;

const cuda& device() {
  static const cuda first = cuda::first();
  return first;
}

template <class T>
class CudaOf : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(device().available()) << device().available().reason; }
};
TYPED_TEST_SUITE(CudaOf, lapack_scalars, scalar_names);

/// With the threads per block of the thesis' table 4.2 and some that are no power of two.
TYPED_TEST(CudaOf, ColumnsInEveryKindOfKernels) {
  expect_columns_in_every_kind_of_kernels<TypeParam>(device(), {0, 1, 2, 4, 7, 8, 128, 512, 1024});
  expect_the_bad_minor_from_every_kind_of_kernels<TypeParam>(device());
}

TYPED_TEST(CudaOf, LastColumnsOnTheHost) {
  expect_last_columns_on_the_host<variant::crout, TypeParam>(device());
  expect_last_columns_on_the_host<variant::crout_distributed_sum, TypeParam>(device());
  expect_a_bad_pivot_on_the_host<variant::crout, TypeParam>(device());
}

TYPED_TEST(CudaOf, BlocksInEveryKindOfKernels) {
  using T = TypeParam;
  random_source random(1102);
  const index_t n = 21;
  const matrix<T> A = dominant_matrix<T>(random, n, n);
  for (std::string_view name : device::block_kernels_names)
    for (int threads : {1, 4, 64}) {
      SCOPED_TRACE(testing::Message() << name << ", threads " << threads);
      const auto blocks =
          device::value_named<device::block_kernels>(device::block_kernels_names, name);
      const cuda on = device().with({.group = threads, .blocks = *blocks});
      for (layout where : {layout::padded, layout::row_major}) {
        placed_matrix<T> LU(A, where);
        const auto f =
            lu<variant::four_block>(on, LU.view(), {.pivoting = pivoting::none, .block = 8});
        ASSERT_TRUE(f) << f.status().message();
        EXPECT_TRUE(within(lu_ratio<T>(A, f.matrix(), f.interchanges().span())));
        EXPECT_TRUE(LU.guards_untouched());
      }
    }
}

TYPED_TEST(CudaOf, ResidentMatricesOnTheCallersStream) {
  using T = TypeParam;
  random_source random(1103);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  {
    const cuda on = cuda::on(stream);
    ASSERT_TRUE(on.available()) << on.available().reason;
    expect_resident_cholesky<T>(on);
    for (auto [m, n] : {std::pair<index_t, index_t>{0, 0}, {80, 80}, {90, 70}, {70, 90}})
      for (pivoting how : {pivoting::partial, pivoting::tournament}) {
        const matrix<T> A = random_matrix<T>(random, m, n);
        device_matrix D(on, A.view());
        const auto f = lu(D, {.pivoting = how, .block = 32});
        EXPECT_TRUE(f) << f.status().message();
        EXPECT_TRUE(within(lu_ratio<T>(A, D.to_host(), f.interchanges().span())));
      }
  }
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TYPED_TEST(CudaOf, AResidentFailureReachesTheStatusAndNotTheSolution) {
  expect_a_resident_failure<TypeParam, variant::best>(device());
  expect_a_resident_failure<TypeParam, variant::right_looking>(device());
  const cuda on = device().with({.products = device::product_kernels::library});
  expect_a_resident_failure<TypeParam, variant::best>(on);
}

/// Products and solves by cuBLAS and by our own kernels, in both triangles and storage orders.
TYPED_TEST(CudaOf, ProductsByTheLibrary) {
  using T = TypeParam;
  random_source random(1108);
  const cuda on = device().with({.products = device::product_kernels::library});
  for (index_t n : {100, 200}) {
    const matrix<T> S = random_spd<T>(random, n);
    for (triangle part : {triangle::lower, triangle::upper})
      for (layout where : {layout::padded, layout::row_major}) {
        placed_matrix<T> L(n, n, where);
        L.assign(S, in_triangle(part));
        L.remember();
        const auto f = cholesky(on, L.view(), {.part = part, .block = 64});
        ASSERT_TRUE(f) << f.status().message();
        EXPECT_TRUE(within(cholesky_ratio<T>(S, part, L.view())));
        EXPECT_TRUE(L.untouched_except(in_triangle(part)));
        device_matrix D(on, S.view());
        ASSERT_TRUE(cholesky(D, {.part = part, .block = 128}));
        EXPECT_TRUE(within(cholesky_ratio<T>(S, part, D.to_host())));
      }
    for (pivoting how : {pivoting::partial, pivoting::tournament, pivoting::none}) {
      const matrix<T> A = how == pivoting::none ? dominant_matrix<T>(random, n, n)
                                                : random_matrix<T>(random, n + 10, n);
      matrix<T> LU = A;
      const auto f = lu(on, LU, {.pivoting = how, .block = 32});
      ASSERT_TRUE(f) << f.status().message();
      EXPECT_TRUE(within(lu_ratio<T>(A, f.matrix(), f.interchanges().span())));
    }
  }
}

/// Any number of right-hand sides; forms that cuBLAS lacks are solved by our kernels.
TYPED_TEST(CudaOf, SolvesByTheLibrary) {
  using T = TypeParam;
  random_source random(1111);
  const cuda on = device().with({.products = device::product_kernels::library});
  const index_t n = 90;
  const matrix<T> S = random_spd<T>(random, n), A = random_matrix<T>(random, n, n);
  for (index_t count : {1, 5})
    for (operation op : {operation::none, operation::transpose, operation::adjoint}) {
      SCOPED_TRACE(testing::Message() << count << " right-hand sides, " << static_cast<int>(op));
      const matrix<T> B = random_matrix<T>(random, n, count);
      for (triangle part : {triangle::lower, triangle::upper}) {
        matrix<T> L = S, X = B;
        const auto f = cholesky(on, L, {.part = part});
        ASSERT_TRUE(f) << f.status().message();
        solve(on, f, X, op);
        EXPECT_TRUE(within(solve_ratio<T>(applied<T>(op, S), X, B)));
      }
      matrix<T> LU = A, X = B;
      const auto f = lu(on, LU);
      ASSERT_TRUE(f) << f.status().message();
      solve(on, f, X, op);
      EXPECT_TRUE(within(solve_ratio<T>(applied<T>(op, A), X, B)));
    }
}

/// cuBLAS computes on after a failure; what is promised then still holds.
TYPED_TEST(CudaOf, FailuresWithTheLibrary) {
  using T = TypeParam;
  random_source random(1109);
  const cuda on = device().with({.products = device::product_kernels::library});
  const cuda own = device().with({.products = trifac::device::product_kernels::own});
  const index_t n = 150, k = 70;
  matrix<T> A = random_spd<T>(random, n);
  A(k, k) = T(-1);
  placed_matrix<T> L(A, layout::padded);
  EXPECT_EQ(try_cholesky(on, L.view(), {.block = 64}).status(),
            status::at(status_kind::not_positive_definite, k));
  EXPECT_TRUE(within(cholesky_ratio<T>(std::as_const(A).view().block(0, 0, k, k), triangle::lower,
                                       L.view().block(0, 0, k, k))));
  EXPECT_TRUE(L.guards_untouched());

  const matrix<T> G = dominant_matrix<T>(random, n, n);
  for (T bad : {T(0), T(std::numeric_limits<real_t<T>>::quiet_NaN())})
    for (pivoting how : {pivoting::partial, pivoting::none}) {
      matrix<T> B = G;
      for (index_t j = 0; j < n; ++j) B(k, j) = j < k ? T(0) : bad;
      matrix<T> C = B;
      const lu_options options{.pivoting = how, .block = 32};
      const status s = try_lu(on, B, options).status();
      EXPECT_NE(s.kind(), status_kind::success);
      EXPECT_EQ(s, try_lu(own, C, options).status());
    }
}

/// Panels that are cut in narrow ones, whose pivots local LUs in registers choose; with max_l = 1
/// most of them are factored again.
TYPED_TEST(CudaOf, NarrowPanelsByTournaments) {
  using T = TypeParam;
  random_source random(1110);
  for (auto [m, n] : {std::pair<index_t, index_t>{600, 70}, {560, 560}, {100, 150}})
    for (double max_l : {64.0, 1.0}) {
      SCOPED_TRACE(testing::Message() << m << "×" << n << ", max_l = " << max_l);
      if (m == n && max_l == 1.0) continue;
      const matrix<T> A = random_matrix<T>(random, m, n);
      matrix<T> LU = A;
      const auto f = lu(device(), LU, {.pivoting = pivoting::tournament, .max_l = max_l});
      ASSERT_TRUE(f) << f.status().message();
      EXPECT_TRUE(within(lu_ratio<T>(A, f.matrix(), f.interchanges().span())));
      EXPECT_LE(f.max_l(), is_complex<T> ? 2 * max_l : max_l + 1e-5);
    }
}

TYPED_TEST(CudaOf, LocalLusInRegistersPivotPartially) {
  expect_local_lus_to_pivot_partially<TypeParam>(device(),
                                                 {{0, 70}, {256, 256}, {100, 33}, {1, 1}});
}

/// CUDA's grids have 65535 blocks on their second axis, here of 64 rows or columns.
TEST(Cuda, MoreRowsAndColumnsThanTheSecondAxisHas) {
  const index_t many = 65535 * 64 + 5;
  random_source random(1207);
  const auto tall = random_matrix<float>(random, many, 2);
  const auto wide = random_matrix<float>(random, 3, many);
  matrix<float> LU = tall;
  pivots p;
  ASSERT_TRUE(try_lu(device(), LU, p, {.pivoting = pivoting::tournament}));
  EXPECT_TRUE(within(lu_ratio<float>(tall, LU, p.span())));
  LU = wide;
  const cuda own = device().with({.products = trifac::device::product_kernels::own});
  ASSERT_TRUE(try_lu(own, LU, p, {.block = 2}));
  EXPECT_TRUE(within(lu_ratio<float>(wide, LU, p.span())));
}

TEST(Cuda, TellsAboutTheDevice) {
  ASSERT_TRUE(device().available()) << device().available().reason;
  EXPECT_EQ(device().facts().vendor, "NVIDIA");
  EXPECT_NE(device().facts().driver.find("compute capability"), std::string::npos);
  EXPECT_GE(device().facts().most_items, 1024u);
  EXPECT_FALSE(cuda::devices().empty());
}

TEST(Cuda, ArgumentsThatAreNotTheKernelsParametersAreRefused) {
  auto& runtime = device().session().runtime;
  constexpr const char* text = TRIFAC_KERNEL_LINE("typed.hpp") R"kernel(
KERNEL void typed(GLOBAL i64* x, int n) { x[0] = n; }
)kernel";
  auto& program = runtime.load({"typed", {text}, {"VW=1", "REAL=float", "DOUBLE=0"}});
  const auto memory = runtime.allocate(8);
  runtime.launch(program, "typed", {}, {}, memory.get(), 7);
  index_t value = 0;
  runtime.read(memory.get(), 0, &value, sizeof value);
  EXPECT_EQ(value, 7);
  EXPECT_THROW(runtime.launch(program, "typed", {}, {}, memory.get(), index_t{7}), backend_error);
  EXPECT_THROW(runtime.launch(program, "typed", {}, {}, memory.get()), backend_error);
  EXPECT_THROW(runtime.launch(program, "typed", {}, {}, memory.get(), 7, 7), backend_error);
  EXPECT_THROW(runtime.launch(program, "no_such_kernel", {}, {}, memory.get(), 7), backend_error);
}

TEST(Cuda, HostAndDeviceAgreeAboutStructs) {
  expect_the_same_structs(device());
}

TEST(Cuda, AKernelThatDoesNotCompileNamesItsFileAndLine) {
  expect_the_place_of_an_error(device());
}

TEST(Cuda, AfterWarmupNothingIsCompiled) {
  expect_nothing_compiled_after_warmup(cuda::at(0), {pivoting::partial, pivoting::tournament});
}

TEST(Cuda, OneStreamFromTwoThreads) {
  expect_the_same_from_two_threads(device(), device(), device());
}

}  // namespace
}  // namespace trifac::test
