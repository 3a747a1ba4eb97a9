// The StarPU backend with an OpenCL worker: residuals and statuses for each placement, the same
// bits from run to run where the placement is fixed, and which worker has which tasks.

// First: without the definition that trifac::starpu has, it would select OpenCL 1.0.
// clang-format off
#include <starpu.h>
// clang-format on
#include "trifac/backend/starpu_opencl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "support/starpu_environment.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/submit.hpp"

namespace {

/// For the calling thread, not for StarPU's: the allocation after so many fails.
thread_local int fails_after = -1;

void* allocate(std::size_t bytes, std::size_t alignment) {
  const bool fails = fails_after >= 0 && fails_after-- == 0;
  void* const memory =
      fails ? nullptr : std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void release(void* memory) {
  std::free(memory);
}

}  // namespace

#include "support/replaced_new.inl"

namespace trifac::test {
namespace {

using backend::starpu_opencl;
using backend::starpu_placement;

const starpu_environment prepared(1);

constexpr lu_options partial = {.block = 16},
                     rounds = {.pivoting = pivoting::tournament, .block = 16, .leaves = 3},
                     one_group = {.pivoting = pivoting::tournament,
                                  .selection = selection::scaled,
                                  .block = 16,
                                  .leaves = 1};
const starpu_opencl forms[] = {
    {.placement = starpu_placement::round_robin},
    {.placement = starpu_placement::dynamic},
    {.placement = starpu_placement::device_only},
    {.placement = starpu_placement::device_only, .steps = backend::starpu_steps::separate}};

bool has_opencl() {
  static const bool there = backend::opencl::first().available().ok;
  return there;
}

template <class T>
class StarpuOpenCl : public testing::Test {};
using scalars = testing::Types<double>;
TYPED_TEST_SUITE(StarpuOpenCl, scalars);
template <class T>
class FullStarpuOpenCl : public testing::Test {};
using other_scalars = testing::Types<std::complex<float>>;
TYPED_TEST_SUITE(FullStarpuOpenCl, other_scalars);

template <class T>
void expect_good_residuals() {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL device";
  random_source random(61);
  for (const starpu_opencl& form : forms)
    for (const layout where : {layout::padded, layout::row_major_padded}) {
      SCOPED_TRACE(std::string(to_string(where)) + " " + std::to_string(&form - forms));
      backend::starpu_timeline tasks;
      starpu_opencl on = form;
      on.timeline = &tasks;
      for (const auto& [m, n] : {std::pair<index_t, index_t>{131, 131}, {90, 40}, {40, 90}}) {
        const auto A = random_matrix<T>(random, m, n);
        for (const lu_options& options : {partial, rounds, one_group}) {
          if (options.leaves == 1 && form.placement != starpu_placement::device_only) continue;
          placed_matrix<T> LU(A.view(), where);
          pivots p;
          ASSERT_EQ(try_lu(on, LU.view(), p, options).status(), status());
          EXPECT_TRUE(within(lu_ratio<T>(A.view(), LU.view(), p.span())));
          EXPECT_TRUE(LU.guards_untouched());
        }
      }
      const auto H = random_spd<T>(random, 131);
      for (const triangle part : {triangle::lower, triangle::upper}) {
        placed_matrix<T> L(H.view(), where);
        ASSERT_EQ(try_cholesky(on, L.view(), {.part = part, .block = 16}).status(), status());
        EXPECT_TRUE(within(cholesky_ratio<T>(H.view(), part, L.view())));
        EXPECT_TRUE(L.untouched_except(in_triangle(part)));
      }
      for (const auto& task : tasks.tasks) {
        const bool on_device = starpu_worker_get_type(task.worker) == STARPU_OPENCL_WORKER;
        if (form.placement == starpu_placement::device_only) {
          EXPECT_TRUE(on_device);
        } else if (form.placement == starpu_placement::round_robin) {
          EXPECT_EQ(on_device, task.step == backend::starpu_step::update);
        }
      }
    }
}

template <class T>
void expect_same_bits_from_run_to_run() {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL device";
  random_source random(62);
  const auto A = random_matrix<T>(random, 131, 131);
  for (const starpu_opencl& on : forms) {
    if (on.placement == starpu_placement::dynamic) continue;
    auto first = A;
    ASSERT_TRUE(try_lu(on, first, partial).ok());
    matrix<T> again[] = {A, A, A};
    submitted<lu_factor<T>> in_flight[3];
    for (int k = 0; k < 3; ++k) in_flight[k] = submit_lu(on, again[k], partial);
    for (int k = 0; k < 3; ++k) {
      ASSERT_TRUE(in_flight[k].wait().ok());
      EXPECT_TRUE(same_bits(again[k].view(), first.view()));
    }
  }
}

template <class T>
void expect_statuses_of_one_thread() {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL device";
  random_source random(63);
  for (const starpu_opencl& on : forms) {
    auto A = random_matrix<T>(random, 131, 131);
    for (index_t i = 0; i < 131; ++i) A(i, 40) = T(0);
    EXPECT_EQ(try_lu(on, matrix<T>(A), partial).status(), status::at(status_kind::singular, 40));
    A(100, 70) = T(std::numeric_limits<real_t<T>>::quiet_NaN());
    EXPECT_EQ(try_lu(on, matrix<T>(A), partial).status(), status::at(status_kind::not_finite, 70));
    auto H = random_spd<T>(random, 131);
    H(70, 70) = T(-1);
    EXPECT_EQ(try_cholesky(on, H, {.block = 16}).status(),
              status::at(status_kind::not_positive_definite, 70));
  }
}

TYPED_TEST(StarpuOpenCl, ResidualsAreGoodForEachPlacement) {
  expect_good_residuals<TypeParam>();
}
TYPED_TEST(FullStarpuOpenCl, FullResidualsAreGoodForEachPlacement) {
  expect_good_residuals<TypeParam>();
}
TYPED_TEST(StarpuOpenCl, AFixedPlacementHasTheSameBitsFromRunToRun) {
  expect_same_bits_from_run_to_run<TypeParam>();
}
TYPED_TEST(FullStarpuOpenCl, FullAFixedPlacementHasTheSameBitsFromRunToRun) {
  expect_same_bits_from_run_to_run<TypeParam>();
}
TYPED_TEST(StarpuOpenCl, BadMatricesEndAsOnOneThread) {
  expect_statuses_of_one_thread<TypeParam>();
}
TYPED_TEST(FullStarpuOpenCl, FullBadMatricesEndAsOnOneThread) {
  expect_statuses_of_one_thread<TypeParam>();
}

/// The first calls of a type make what StarPU keeps to the end of the process: before tasks are in
/// flight. So in a type that no other test has.
TEST(StarpuOpenClCalls, AnyAllocationMayFail) {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL device";
  random_source random(66);
  const auto spd = random_spd<float>(random, 100), general = random_matrix<float>(random, 100, 100);
  auto first = random_matrix<double>(random, 100, 100);
  ASSERT_TRUE(try_lu(forms[0], first, partial).ok());  // StarPU is running
  int failed = 0;
  const auto each_fails = [&](const matrix<float>& given, auto call) {
    for (int k = 0; k < 1000; ++k) {
      matrix<float> A = given;
      fails_after = k;
      const status s = call(A);
      const bool had_all = fails_after >= 0;
      fails_after = -1;
      if (had_all) {
        EXPECT_TRUE(s) << s.message();
        return;
      }
      ++failed;
      EXPECT_EQ(s.kind(), status_kind::out_of_memory) << k;
      ASSERT_TRUE(same_bits(A.view(), given.view())) << k;
    }
  };
  each_fails(general, [](auto& A) { return try_lu(forms[0], A, partial).status(); });
  each_fails(spd, [](auto& A) { return try_cholesky(forms[0], A, {.block = 16}).status(); });
  EXPECT_GT(failed, 6);
}

TEST(StarpuOpenClOrder, APanelGoesBeforeTheUpdatesOfEarlierOnes) {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL device";
  random_source random(65);
  auto A = random_matrix<double>(random, 160, 160);  // ten panels
  backend::starpu_timeline tasks;
  starpu_opencl on = forms[2];
  on.timeline = &tasks;
  ASSERT_TRUE(try_lu(on, A, partial).ok());
  const auto place = [&](backend::starpu_step step, index_t panel, index_t column) {
    const auto found = std::find_if(tasks.tasks.begin(), tasks.tasks.end(), [&](const auto& task) {
      return task.step == step && task.panel == panel && task.column == column;
    });
    EXPECT_NE(found, tasks.tasks.end());
    return found - tasks.tasks.begin();
  };
  // A worker may have fetched the data of a task or two before.
  EXPECT_LT(place(backend::starpu_step::factor, 1, 1), place(backend::starpu_step::update, 0, 6));
}

TEST(StarpuOpenClSteps, AreTasksOfTheirOwnWhereAskedFor) {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL device";
  random_source random(64);
  auto A = random_matrix<double>(random, 64, 80);  // panels 0 … 3, block columns 0 … 4
  backend::starpu_timeline tasks;
  starpu_opencl on = forms[3];
  on.timeline = &tasks;
  ASSERT_TRUE(try_lu(on, A, partial).ok());
  std::size_t count[6] = {};
  for (const auto& task : tasks.tasks) ++count[static_cast<int>(task.step)];
  const std::size_t factor = 4, update = 0, interchange = 3, solve = 4 + 3 + 2 + 1,
                    product = 4 + 3 + 2;  // nothing is below the last panel
  EXPECT_EQ(std::vector<std::size_t>(count, count + 6),
            (std::vector<std::size_t>{factor, update, interchange, solve, product, product}));
  on.placement = starpu_placement::round_robin;
  EXPECT_STREQ(try_lu(on, A, partial).status().argument(), "backend.steps");
}

}  // namespace
}  // namespace trifac::test
