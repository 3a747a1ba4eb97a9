// LU on an OpenCL device, at small sizes and in both shapes of tiles, so that a simulator which
// checks each access can run it: the ways of pivoting, the source's kernels, solves, resident
// matrices. What LU owes on every backend is tested in lu_test.cpp and tournament_test.cpp, on this
// one too.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <vector>

#include "support/denormals.hpp"
#include "support/layouts.hpp"
#include "support/local_lu_case.hpp"
#include "support/lu_engine.hpp"
#include "support/pivot_cases.hpp"
#include "support/recording_runtime.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/backend/opencl.hpp"
#include "trifac/device_matrix_lu.hpp"
#include "trifac/solve.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

using backend::opencl;
using device::block_kernels;
using device::tile_choice;

const opencl& device() {
  // Never destroyed: the simulator is gone before a program's static objects.
  static const opencl& first = *new opencl(opencl::first());
  return first;
}

template <class T>
class OpenClLu : public testing::Test {
 protected:
  void SetUp() override {
    if (!device().available()) GTEST_SKIP() << device().available().reason;
  }
};
TYPED_TEST_SUITE(OpenClLu, lapack_scalars, scalar_names);

/// Factors an m×n matrix with gaps in memory that must not be touched, and solves where it is
/// square.
template <variant V, class T>
void expect_factors(const opencl& on, index_t m, index_t n, const lu_options& options,
                    layout where = layout::padded) {
  SCOPED_TRACE(testing::Message() << to_string(V) << ", " << to_string(options.pivoting) << ", "
                                  << m << "×" << n << ", " << to_string(where));
  random_source random(901);
  const matrix<T> A = options.pivoting == pivoting::none ? dominant_matrix<T>(random, m, n)
                                                         : random_matrix<T>(random, m, n);
  placed_matrix<T> LU(A, where);
  const auto f = lu<V>(on, LU.view(), options);
  ASSERT_TRUE(f) << f.status().message();
  EXPECT_TRUE(within(lu_ratio<T>(A, f.matrix(), f.interchanges().span())));
  EXPECT_TRUE(LU.guards_untouched());
  if (m != n) return;
  const matrix<T> B = random_matrix<T>(random, n, 3);
  matrix<T> X = B;
  solve(on, f, X);
  EXPECT_TRUE(within(solve_ratio<T>(A, X, B)));
  // The same bits and interchanges as by the CPU's factor are not promised; the solution is.
  for (operation op : {operation::transpose, operation::adjoint}) {
    matrix<T> Y = B, Z = B;
    solve(on, f, Y, op);
    solve(f, Z, op);
    for (index_t j = 0; j < Y.cols(); ++j)
      for (index_t i = 0; i < n; ++i)
        EXPECT_NEAR(static_cast<double>(std::abs(Y(i, j) - Z(i, j))), 0,
                    1e4 * static_cast<double>(unit_roundoff<T>) *
                        (1 + static_cast<double>(max_abs(Z.view()))));
  }
}

template <class T>
void expect_all_ways(const opencl& on) {
  using shapes = std::vector<std::pair<index_t, index_t>>;
  const bool simulated = std::getenv("TRIFAC_TEST_SIMULATOR") != nullptr;
  for (const auto& size :
       simulated ? shapes{{7, 7}, {9, 5}, {5, 9}} : shapes{{1, 1}, {13, 13}, {21, 10}, {10, 21}}) {
    const index_t m = size.first, n = size.second;

    expect_factors<variant::best, T>(on, m, n, {.block = 4});
    expect_factors<variant::best, T>(on, m, n, {.block = 5}, layout::row_major);
    for (pivoting how : {pivoting::partial, pivoting::none})  // several steps in one panel
      expect_factors<variant::best, T>(on, m, n, {.pivoting = how, .block = 16});
    expect_factors<variant::recursive, T>(on, m, n, {.block = 3});
    expect_factors<variant::four_block, T>(on, m, n, {.pivoting = pivoting::none, .block = 4});
    expect_factors<variant::unblocked, T>(on, m, n, {.pivoting = pivoting::none});
    for (selection rule : {selection::plain, selection::scaled}) {
      const lu_options by_tournament{
          .pivoting = pivoting::tournament, .selection = rule, .block = 3, .leaves = 3, .arity = 2};
      expect_factors<variant::best, T>(on, m, n, by_tournament, layout::reversed);
    }
    // A limit of one sends nearly every panel back to partial pivoting.
    expect_factors<variant::right_looking, T>(
        on, m, n, {.pivoting = pivoting::tournament, .block = 4, .leaves = 2, .max_l = 1});
  }
}

TYPED_TEST(OpenClLu, InTilesOfVectors) {
  expect_all_ways<TypeParam>(device().with({.tiles = tile_choice::vectors}));
}

TYPED_TEST(OpenClLu, InTilesOfGroups) {
  const bool simulated = std::getenv("TRIFAC_TEST_SIMULATOR") != nullptr;
  if (is_complex<TypeParam> && device().facts().is_cpu && !simulated)
    GTEST_SKIP() << "PoCL 3.1 does not survive compiling this";
  expect_all_ways<TypeParam>(device().with({.tiles = tile_choice::groups}));
}

/// LU with partial pivoting by every variant, and by tournaments of one leaf, which are the same.
template <class T>
void expect_pivots_of_all_ways(const opencl& on, const pivot_case<T>& expected, index_t block) {
  const lu_engine_of<opencl, T> engine(on, "opencl");
  const auto expect = [&](variant v, const lu_options& options, layout where) {
    SCOPED_TRACE(testing::Message() << to_string(v) << ", " << to_string(options.pivoting)
                                    << ", block " << block << ", " << expected.A.rows() << "×"
                                    << expected.A.cols() << ", " << to_string(where));
    placed_matrix<T> LU(expected.A, where);
    const auto f = engine.lu(v, LU.view(), options);
    expect_pivots<T>(expected, f.status(), f.interchanges(), f.matrix());
  };
  for (const layout where : {layout::padded, layout::row_major}) {
    for (const variant v : all_variants())
      if (engine.runs(v, pivoting::partial)) expect(v, {.block = block}, where);
    expect(variant::best, {.pivoting = pivoting::tournament, .block = block, .leaves = 1}, where);
  }
}
/// By ties, of ordinary and of denormal numbers, and by sizes.
template <class T>
void expect_pivots_of_all_ways(const opencl& on) {
  const bool simulated = std::getenv("TRIFAC_TEST_SIMULATOR") != nullptr;
  const bool denormals = keeps_denormals<T>(on);
  using shapes = std::vector<std::pair<index_t, index_t>>;
  random_source random(906);
  for (const auto& size : simulated ? shapes{{3, 3}, {9, 9}}
                                    : shapes{{1, 1},
                                             {2, 2},
                                             {3, 3},
                                             {9, 9},
                                             {16, 16},
                                             {33, 33},
                                             {64, 64},
                                             {100, 100},
                                             {30, 50},
                                             {300, 40}})
    // Of the two small ones a block of 5 divides one.
    for (index_t block : simulated ? std::vector<index_t>{5} : std::vector<index_t>{0, 5, 16}) {
      const index_t m = size.first, n = size.second;
      for (index_t zeros : {0, 5})
        for (real_t<T> scale : {real_t<T>(1), denormal_scale<T>()})
          if (scale == 1 || denormals)
            expect_pivots_of_all_ways(on, tied_case<T>(random, m, n, zeros, scale), block);
      for (const sizes which : all_sizes)
        if (which == sizes::around_largest || denormals)
          expect_pivots_of_all_ways(on, size_case<T>(random, n, which), block);
    }
}
TYPED_TEST(OpenClLu, PivotsAreLapacksInTilesOfVectors) {
  expect_pivots_of_all_ways<TypeParam>(device().with({.tiles = tile_choice::vectors}));
}
TYPED_TEST(OpenClLu, PivotsAreLapacksInTilesOfGroups) {
  const bool simulated = std::getenv("TRIFAC_TEST_SIMULATOR") != nullptr;
  if (is_complex<TypeParam> && device().facts().is_cpu && !simulated)
    GTEST_SKIP() << "PoCL 3.1 does not survive compiling this";
  expect_pivots_of_all_ways<TypeParam>(device().with({.tiles = tile_choice::groups}));
}

TYPED_TEST(OpenClLu, LocalLusInRegistersPivotPartially) {
  const bool simulated = std::getenv("TRIFAC_TEST_SIMULATOR") != nullptr;
  if (is_complex<TypeParam> && device().facts().is_cpu && !simulated)
    GTEST_SKIP() << "PoCL 3.1 does not survive compiling this";
  const opencl on = device().with({.tiles = tile_choice::groups});
  expect_local_lus_to_pivot_partially<TypeParam>(on, {{40, 17}, {1, 1}});
}

TYPED_TEST(OpenClLu, TheSourcesKernels) {
  for (block_kernels kernels :
       {block_kernels::rows, block_kernels::columns, block_kernels::several_groups,
        block_kernels::group_per_block, block_kernels::group_per_block_local})
    for (int group : {1, 4}) {
      SCOPED_TRACE(std::string(to_string(kernels)));
      const opencl on = device().with({.group = group, .blocks = kernels});
      const lu_options options{.pivoting = pivoting::none, .block = 4};
      for (const auto& size : {std::pair<index_t, index_t>{1, 1}, {11, 11}, {14, 6}, {6, 14}}) {
        const index_t m = size.first, n = size.second;

        expect_factors<variant::four_block, TypeParam>(on, m, n, options, layout::row_major);
        expect_factors<variant::four_block, TypeParam>(on, m, n, options);
        expect_factors<variant::unblocked, TypeParam>(on, m, n, options);
      }
    }
}

TYPED_TEST(OpenClLu, RowsWithoutWideVectors) {
  const opencl on = device().with({.blocks = block_kernels::rows, .tiles = tile_choice::groups});
  const lu_options options{.pivoting = pivoting::none, .block = 16};
  expect_factors<variant::four_block, TypeParam>(on, 40, 37, options, layout::row_major);
  expect_factors<variant::unblocked, TypeParam>(on, 40, 37, options, layout::row_major);
}

TYPED_TEST(OpenClLu, LocalMemoryHoldsThreeBlocks) {
  using T = TypeParam;
  const opencl on = device().with({.blocks = block_kernels::group_per_block_local});
  const index_t most = kernel::local_block<T>;
  EXPECT_LE(3 * most * most * static_cast<index_t>(sizeof(T)), 32 * 1024);
  if (std::getenv("TRIFAC_TEST_SIMULATOR")) GTEST_SKIP() << "takes long in a simulator";
  const index_t n = 2 * most + 7;
  for (index_t block : {index_t{0}, most, index_t{most - 1}})
    for (layout where : {layout::row_major, layout::padded})
      expect_factors<variant::four_block, T>(on, n, n, {.pivoting = pivoting::none, .block = block},
                                             where);

  random_source random(904);
  placed_matrix<T> A(dominant_matrix<T>(random, n, n), layout::padded);
  const lu_options too_large{.pivoting = pivoting::none, .block = most + 1};
  EXPECT_STREQ(try_lu<variant::four_block>(on, A.view(), too_large).status().argument(),
               "options.block");
  EXPECT_TRUE(A.untouched());
}

TYPED_TEST(OpenClLu, TheSourcesKernelsTellAboutBadPivots) {
  using T = TypeParam;
  const index_t n = 9;
  for (block_kernels kernels :
       {block_kernels::rows, block_kernels::columns, block_kernels::group_per_block,
        block_kernels::group_per_block_local})
    for (index_t k = 0; k < n; ++k) {
      const opencl on = device().with({.group = 4, .blocks = kernels});
      matrix<T> ones(n, n);  // min(i, j) + 1: L and U are all ones
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i) ones(i, j) = T(static_cast<real_t<T>>(std::min(i, j) + 1));
      const lu_options options{.pivoting = pivoting::none, .block = 4};
      matrix<T> A = ones;
      A(k, k) = T(static_cast<real_t<T>>(k));
      EXPECT_EQ(lu<variant::four_block>(on, A, options).status(),
                status::at(status_kind::zero_pivot, k));
      A = ones;
      A(k, k) = T(std::numeric_limits<real_t<T>>::quiet_NaN());
      EXPECT_EQ(lu<variant::four_block>(on, A, options).status(),
                status::at(status_kind::not_finite, k));
    }
}

// The source's order with a group for each block: kind 1; kinds 2 and 3 together; all of kind 4.
TEST(OpenClLuLaunches, AreThreeInAStepWithAGroupForEachBlock) {
  for (const auto& [kernels, names] :
       {std::pair{block_kernels::group_per_block,
                  std::array{"diagonal_by_columns", "left_and_top_by_columns", "inner_by_columns"}},
        {block_kernels::group_per_block_local,
         {"diagonal_local", "left_and_top_local", "inner_local"}}}) {
    std::map<std::string, recording_runtime::program> programs;
    device::session<recording_runtime> s(&programs);
    matrix<float> A(32, 32);
    pivots p(32);
    ASSERT_TRUE(device::lu_of_host<variant::four_block>(s, {.blocks = kernels}, A.view(), p.span(),
                                                        {.pivoting = pivoting::none, .block = 8}));
    ASSERT_EQ(programs.size(), 1u);
    const std::map<std::string, int> expected = {{names[0], 4}, {names[1], 3}, {names[2], 3}};
    EXPECT_EQ(programs.begin()->second.launches, expected);
  }
}

TYPED_TEST(OpenClLu, ResidentMatrices) {
  using T = TypeParam;
  random_source random(902);
  for (auto [m, n] : {std::pair<index_t, index_t>{0, 0}, {12, 12}, {15, 7}, {7, 15}})
    for (pivoting how : {pivoting::partial, pivoting::tournament}) {
      const matrix<T> A = random_matrix<T>(random, m, n), B = random_matrix<T>(random, m, 2);
      device_matrix LU(device(), A.view());
      const auto f = lu(LU, {.pivoting = how, .block = 4, .leaves = 2});
      EXPECT_TRUE(f) << f.status().message();
      EXPECT_TRUE(within(lu_ratio<T>(A, LU.to_host(), f.interchanges().span())));
      device_matrix X(device(), B.view());
      if (m != n) {
        EXPECT_THROW(solve(f, X), argument_error);
        continue;
      }
      solve(f, X);
      if (n > 0) {
        EXPECT_TRUE(within(solve_ratio<T>(A, X.to_host(), B)));
      }
    }
}

TYPED_TEST(OpenClLu, SolvingWithADevicesSingularFactorThrowsItsStatus) {
  using T = TypeParam;
  random_source random(905);
  const matrix<T> zero(6, 6), B = random_matrix<T>(random, 6, 2);
  device_matrix LU(device(), zero.view()), X(device(), B.view());
  const auto f = lu(LU);
  try {
    solve(f, X);
    FAIL() << "did not throw";
  } catch (const numerical_error& error) {
    EXPECT_EQ(error.reason(), status::at(status_kind::singular, 0));
  }
  const auto unsolved = X.to_host();
  EXPECT_TRUE(same_bits(unsolved.view(), B.view()));
  const auto& kept = lu(LU, {.pivoting = pivoting::tournament});
  EXPECT_THROW((void)kept.or_throw(), numerical_error);
}

TYPED_TEST(OpenClLu, ResidentMatricesThatAreNotFinite) {
  using T = TypeParam;
  random_source random(903);
  for (auto [m, n] : {std::pair<index_t, index_t>{6, 6}, {8, 4}, {4, 8}})
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i) {
        matrix<T> A = random_matrix<T>(random, m, n);
        A(i, j) = T(std::numeric_limits<real_t<T>>::quiet_NaN());
        device_matrix LU(device(), std::as_const(A).view());
        const auto f = lu(LU, {.block = 3});
        EXPECT_EQ(f.status(), status::at(status_kind::not_finite, std::min({m - 1, n - 1, j})));
      }
}

}  // namespace
}  // namespace trifac::test
