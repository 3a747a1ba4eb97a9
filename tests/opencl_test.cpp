// The OpenCL backend's own features: devices and their choice, settings, resident matrices, several
// sessions and threads, limits and errors. What it shares with other backends is in the other
// tests.

#include "trifac/backend/opencl.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "support/device_cases.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/device_matrix.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

using backend::opencl;

const opencl& device() {
  static const opencl first = opencl::first();
  return first;
}

/// Tests that need a device are skipped without one, with the reason.
class OpenCl : public testing::Test {
 protected:
  void SetUp() override {
    if (!device().available()) GTEST_SKIP() << device().available().reason;
  }
};
template <class T>
class OpenClOf : public OpenCl {};
TYPED_TEST_SUITE(OpenClOf, lapack_scalars, scalar_names);

TEST(OpenClChoice, ValuesWithoutADeviceSayWhy) {
  for (const opencl& none : {opencl(), opencl::at(-1), opencl::at(1000), opencl::named("no such"),
                             opencl::on(static_cast<cl_device_id>(nullptr))}) {
    EXPECT_FALSE(none.available());
    EXPECT_FALSE(none.available().reason.empty());
    matrix<double> A(1, 1);
    A(0, 0) = 4;
    const auto f = try_cholesky(none, A);
    EXPECT_EQ(f.status().kind(), status_kind::backend_failure);
    EXPECT_EQ(f.status().what(), none.available().reason);
    EXPECT_THROW((void)cholesky(none, A), backend_error);
    EXPECT_EQ(A(0, 0), 4);
  }
  // The reason outlives the backend, which ends with the statement.
  const availability wrong = opencl::at(1000).available();
  EXPECT_NE(wrong.reason.find("OpenCL"), std::string_view::npos) << wrong.reason;
}

TEST(OpenClChoice, AMachineWithoutAnyPlatform) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process, whose loader finds nothing
  EXPECT_EXIT(
      {
        ::setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
        const opencl none = opencl::first();
        const bool right = !none.available() &&
                           none.available().reason.find("platform") != std::string_view::npos &&
                           opencl::devices().empty();
        std::exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(OpenCl, DevicesByPlaceNameKindAndId) {
  const auto names = opencl::devices();
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(opencl::at(0).facts().name, names[0]);
  EXPECT_EQ(opencl::named(names[0].substr(0, 5)).facts().name, names[0]);
  cl_device_id id = nullptr;
  clGetContextInfo(opencl::at(0).session().runtime.context(), CL_CONTEXT_DEVICES, sizeof id, &id,
                   nullptr);
  EXPECT_EQ(opencl::on(id).facts().name, names[0]);
  const opencl cpu = opencl::first_cpu();
  if (cpu.available()) {
    EXPECT_TRUE(cpu.facts().is_cpu);
  }
  const opencl gpu = opencl::first_gpu();
  if (gpu.available()) {
    EXPECT_FALSE(gpu.facts().is_cpu);
  }
}

TEST_F(OpenCl, TheCallersContextAndQueueAreRetainedAndReleased) {
  const cl_context context = device().session().runtime.context();
  const cl_command_queue queue = device().session().runtime.queue();
  const auto references = [&] {
    cl_uint count = 0;
    clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, nullptr);
    return count;
  };
  const cl_uint before = references();
  {
    const opencl same = opencl::on(context, queue);
    ASSERT_TRUE(same.available()) << same.available().reason;
    const opencl copy = same;
    EXPECT_EQ(references(), before + 1);
    matrix<float> A(1, 1);
    A(0, 0) = 9;
    EXPECT_TRUE(cholesky(copy, A));
    EXPECT_EQ(A(0, 0), 3);
  }
  // PoCL's thread lets go of the queue a moment after its last command has ended.
  for (int k = 0; k < 1000 && references() != before; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(references(), before);
}

TEST_F(OpenCl, AQueueOutOfOrderIsRefused) {
  const cl_context context = device().session().runtime.context();
  cl_device_id id = nullptr;
  clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof id, &id, nullptr);
  cl_int code;
  const cl_command_queue queue =
      clCreateCommandQueue(context, id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code != CL_SUCCESS) GTEST_SKIP() << "this device has no such queues";
  const opencl refused = opencl::on(context, queue);
  EXPECT_FALSE(refused.available());
  EXPECT_NE(refused.available().reason.find("in order"), std::string_view::npos);
  clReleaseCommandQueue(queue);
}

/// Both shapes of tiles, at sizes around a tile, a strip and a block.
TYPED_TEST(OpenClOf, BothTileShapes) {
  using T = TypeParam;
  for (auto tiles : {device::tile_choice::vectors, device::tile_choice::groups}) {
    const opencl on = test::device().with({.tiles = tiles});
    for (index_t n : {1, 8, 47, 65, 130})
      for (triangle part : {triangle::lower, triangle::upper})
        for (index_t block : {0, 16, 21}) {
          SCOPED_TRACE(testing::Message() << "shape " << static_cast<int>(tiles) << ", n = " << n
                                          << ", block " << block);
          random_source random(601);
          const matrix<T> A = random_spd<T>(random, n);
          placed_matrix<T> L(n, n, layout::padded);
          L.assign(A, in_triangle(part));
          L.remember();
          const auto f = cholesky(on, L.view(), {.part = part, .block = block});
          ASSERT_TRUE(f) << f.status().message();
          EXPECT_TRUE(within(cholesky_ratio<T>(A, part, L.view())));
          EXPECT_TRUE(L.untouched_except(in_triangle(part)));
        }
  }
}

TYPED_TEST(OpenClOf, BothTileShapesReportTheBadMinor) {
  using T = TypeParam;
  const index_t n = 70;
  for (auto tiles : {device::tile_choice::vectors, device::tile_choice::groups})
    for (index_t k : {0, 7, 8, 31, 32, 33, 69}) {
      random_source random(602);
      matrix<T> A = random_spd<T>(random, n);
      A(k, k) = T(-1);
      matrix<T> L = A;
      const auto f = cholesky(test::device().with({.tiles = tiles}), L, {.block = 32});
      EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, k));
      EXPECT_TRUE(within(cholesky_ratio<T>(A.view().block(0, 0, k, k), triangle::lower,
                                           std::as_const(L).view().block(0, 0, k, k))));
    }
}

TYPED_TEST(OpenClOf, ColumnsInEveryKindOfKernels) {
  expect_columns_in_every_kind_of_kernels<TypeParam>(test::device(), {0, 1, 2, 7, 128});
  expect_the_bad_minor_from_every_kind_of_kernels<TypeParam>(test::device());
}

TYPED_TEST(OpenClOf, LastColumnsOnTheHost) {
  expect_last_columns_on_the_host<variant::crout, TypeParam>(test::device());
  expect_last_columns_on_the_host<variant::crout_distributed_sum, TypeParam>(test::device());
  expect_a_bad_pivot_on_the_host<variant::crout, TypeParam>(test::device());
  expect_a_bad_pivot_on_the_host<variant::crout_distributed_sum, TypeParam>(test::device());
}

/// The same kernels compiled with fast-math are another program, and leave that of IEEE its bits.
TYPED_TEST(OpenClOf, ColumnsWithFastMath) {
  using T = TypeParam;
  random_source random(610);
  const index_t n = 61;
  const matrix<T> A = random_spd<T>(random, n);
  for (auto columns : all_column_kernels) {
    SCOPED_TRACE(testing::Message() << "kernels " << static_cast<int>(columns));
    device::device_settings settings{.columns = columns};
    matrix<T> strict(n, n), fast(n, n), again(n, n);
    ASSERT_TRUE(cholesky<variant::crout>(test::device().with(settings), A, strict));
    settings.floats = device::float_model::fast;
    ASSERT_TRUE(cholesky<variant::crout>(test::device().with(settings), A, fast));
    settings.floats = device::float_model::ieee;
    ASSERT_TRUE(cholesky<variant::crout>(test::device().with(settings), A, again));
    EXPECT_TRUE(within(cholesky_ratio<T>(A, triangle::lower, fast)));
    EXPECT_TRUE(same_bits(strict.view(), again.view()));
  }
}

TYPED_TEST(OpenClOf, ResidentMatricesFactorAndSolveWithoutWaiting) {
  expect_resident_cholesky<TypeParam>(test::device());
}

TYPED_TEST(OpenClOf, AResidentFailureReachesTheStatusAndNotTheSolution) {
  expect_a_resident_failure<TypeParam, variant::best>(test::device());
  expect_a_resident_failure<TypeParam, variant::right_looking>(test::device());
}

TEST_F(OpenCl, ResidentMatricesCheckTheirArguments) {
  device_matrix<double, opencl> A(device(), 3, 2), B(device(), 2, 2);
  EXPECT_THROW((void)cholesky(A), argument_error);
  EXPECT_THROW((void)cholesky(B, {.block = -1}), argument_error);
  EXPECT_THROW((device_matrix<double, opencl>(device(), -1, 2)), argument_error);
  EXPECT_THROW((device_matrix<double, opencl>(opencl(), 1, 2)), backend_error);
  matrix<double> host(3, 3);
  EXPECT_THROW(A.copy_to(host), argument_error);
}

TEST_F(OpenCl, OneAllocationTooLargeNamesTheLimit) {
  const auto most = device().facts().most_bytes;
  try {
    device_matrix<double, opencl> A(device(), static_cast<index_t>(most / 8 + 1), 1);
    FAIL() << "the device took more than it allows";
  } catch (const backend_error& e) {
    EXPECT_NE(std::string(e.what()).find(std::to_string(most)), std::string::npos) << e.what();
  }
}

TEST(OpenClErrors, OnlyFailedAllocationsAreOutOfMemory) {
  using device::check_opencl;
  check_opencl(CL_SUCCESS, "nothing");
  EXPECT_THROW(check_opencl(CL_OUT_OF_HOST_MEMORY, "a call"), std::bad_alloc);
  const auto kind_of = [](cl_int code) {
    return device::guarded([&]() -> status {
             check_opencl(code, "a call");
             return {};
           })
        .kind();
  };
  EXPECT_EQ(kind_of(CL_MEM_OBJECT_ALLOCATION_FAILURE), status_kind::out_of_memory);
  EXPECT_EQ(kind_of(CL_OUT_OF_RESOURCES), status_kind::backend_failure);
  EXPECT_EQ(kind_of(CL_INVALID_VALUE), status_kind::backend_failure);
}

TEST_F(OpenCl, HostAndDeviceAgreeAboutStructs) {
  expect_the_same_structs(device());
}

TEST_F(OpenCl, AKernelThatDoesNotCompileNamesItsFileAndLine) {
  expect_the_place_of_an_error(device());
}

/// Tournaments compile a program of their own where an item works alone.
TEST_F(OpenCl, AfterWarmupNothingIsCompiled) {
  expect_nothing_compiled_after_warmup(opencl::at(0), {pivoting::partial});
}

TEST_F(OpenCl, TwoSubDevicesFromTwoThreads) {
  cl_device_id id = nullptr;
  clGetContextInfo(device().session().runtime.context(), CL_CONTEXT_DEVICES, sizeof id, &id,
                   nullptr);
  const cl_device_partition_property one_unit_each[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  std::vector<cl_device_id> parts(static_cast<std::size_t>(device().facts().units));
  cl_uint count = 0;
  if (parts.size() < 2 || clCreateSubDevices(id, one_unit_each, static_cast<cl_uint>(parts.size()),
                                             parts.data(), &count) != CL_SUCCESS)
    GTEST_SKIP() << "this device cannot be partitioned";
  {
    const opencl left = opencl::on(parts[0]), right = opencl::on(parts[1]);
    ASSERT_TRUE(left.available()) << left.available().reason;
    ASSERT_TRUE(right.available()) << right.available().reason;
    EXPECT_EQ(left.facts().units, 1);
    expect_the_same_from_two_threads(device(), left, right);
  }
  for (cl_device_id part : parts) clReleaseDevice(part);
}

TEST_F(OpenCl, OneDeviceFromTwoThreads) {
  expect_the_same_from_two_threads(device(), device(), device());
}

}  // namespace
}  // namespace trifac::test
