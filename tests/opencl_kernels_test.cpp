// Every kernel once at a small size, in both shapes of tiles: made for a simulator that checks each
// access, and quick without one.

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/backend/opencl.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

using backend::opencl;

const opencl& device() {
  // Never destroyed: the simulator is gone before a program's static objects.
  static const opencl& first = *new opencl(opencl::first());
  return first;
}

TEST(OpenClSimulator, IsWhatRunsWhereItIsAskedFor) {
  if (!std::getenv("TRIFAC_TEST_SIMULATOR")) GTEST_SKIP() << "not asked for";
  ASSERT_TRUE(device().available()) << device().available().reason;
  EXPECT_NE(device().facts().name.find("Oclgrind"), std::string::npos) << device().facts().name;
}

template <class T>
class OpenClKernels : public testing::Test {
 protected:
  void SetUp() override {
    if (!device().available()) GTEST_SKIP() << device().available().reason;
  }
};
TYPED_TEST_SUITE(OpenClKernels, lapack_scalars, scalar_names);

/// Factors with V and solves, with gaps in memory that must not be touched.
template <variant V, class T>
void expect_factors(const opencl& on, index_t n, const cholesky_options& options) {
  SCOPED_TRACE(std::string(to_string(V)));
  random_source random(801);
  const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 2);
  placed_matrix<T> L(n, n, layout::padded);
  L.assign(A, in_triangle(options.part));
  L.remember();
  const auto f = cholesky<V>(on, L.view(), options);
  ASSERT_TRUE(f) << f.status().message();
  EXPECT_TRUE(within(cholesky_ratio<T>(A, options.part, L.view())));
  EXPECT_TRUE(L.untouched_except(in_triangle(options.part)));
  matrix<T> X = B;
  solve(on, f, X);
  EXPECT_TRUE(within(solve_ratio<T>(A, X, B)));
}

TYPED_TEST(OpenClKernels, CholeskyInTilesOfVectors) {
  const opencl on = device().with({.tiles = device::tile_choice::vectors});
  expect_factors<variant::best, TypeParam>(on, 21, {.block = 8});
  expect_factors<variant::best, TypeParam>(on, 13, {.part = triangle::upper, .block = 5});
  expect_factors<variant::left_looking, TypeParam>(on, 11, {.block = 4});
}

TYPED_TEST(OpenClKernels, CholeskyInTilesOfGroups) {
  const opencl on = device().with({.tiles = device::tile_choice::groups});
  expect_factors<variant::best, TypeParam>(on, 21, {.block = 8});
  expect_factors<variant::best, TypeParam>(on, 9, {.part = triangle::upper, .block = 8});
}

TYPED_TEST(OpenClKernels, CholeskyByElements) {
  const opencl on = device().with({.group = 4});
  expect_factors<variant::banachiewicz, TypeParam>(on, 9, {});
  expect_factors<variant::crout, TypeParam>(on, 9, {.cutoff = 2});
  expect_factors<variant::crout_distributed_sum, TypeParam>(on, 9, {.part = triangle::upper});
  expect_factors<variant::crout, TypeParam>(
      device().with({.group = 4, .columns = device::column_kernels::rounds}), 9, {});
}

TYPED_TEST(OpenClKernels, CholeskyInASingleKernel) {
  using T = TypeParam;
  const opencl on = device().with({.group = 4, .columns = device::column_kernels::single});
  random_source random(802);
  const matrix<T> A = random_spd<T>(random, 9);
  matrix<T> L(9, 9);
  ASSERT_TRUE(cholesky<variant::crout>(on, A, L));
  EXPECT_TRUE(within(cholesky_ratio<T>(A, triangle::lower, L)));
}

TYPED_TEST(OpenClKernels, AFailureInEveryKindOfKernels) {
  using T = TypeParam;
  random_source random(803);
  matrix<T> A = random_spd<T>(random, 15);
  A(9, 9) = T(-1);
  const status expected = status::at(status_kind::not_positive_definite, 9);
  for (auto tiles : {device::tile_choice::vectors, device::tile_choice::groups}) {
    matrix<T> L = A;
    EXPECT_EQ(cholesky(device().with({.tiles = tiles}), L, {.block = 4}).status(), expected);
  }
  for (auto columns : {device::column_kernels::multiple, device::column_kernels::single,
                       device::column_kernels::rounds}) {
    matrix<T> L(15, 15);
    const opencl on = device().with({.group = 4, .columns = columns});
    EXPECT_EQ(cholesky<variant::crout>(on, A, L).status(), expected);
  }
}

}  // namespace
}  // namespace trifac::test
