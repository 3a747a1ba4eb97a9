// The OpenCL backend's own features: devices and their choice, settings, resident matrices, several
// sessions and threads, limits and errors. What it shares with other backends is in the other
// tests.

#include "trifac/backend/opencl.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/device_matrix.hpp"

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

/// The kernels of the thesis and of the rounds, with groups of any size, in place and out of place;
/// the host's columns have the device's bits.
TYPED_TEST(OpenClOf, ColumnsInEveryKindOfKernels) {
  using T = TypeParam;
  random_source random(603);
  const index_t n = 37;
  const matrix<T> A = random_spd<T>(random, n);
  for (auto columns : {device::column_kernels::multiple, device::column_kernels::single,
                       device::column_kernels::rounds})
    for (int group : {0, 1, 2, 7, 128})
      for (triangle part : {triangle::lower, triangle::upper}) {
        matrix<T> on_device;
        for (index_t cutoff : {0, 5, 100}) {
          SCOPED_TRACE(testing::Message() << "kernels " << static_cast<int>(columns) << ", group "
                                          << group << ", cutoff " << cutoff);
          const opencl on = test::device().with({.group = group, .columns = columns});
          const cholesky_options options{.part = part, .cutoff = cutoff};
          matrix<T> in_place = A, L = A;
          ASSERT_TRUE(cholesky<variant::crout>(on, in_place, options));
          ASSERT_TRUE(cholesky<variant::crout>(on, A, L, options));
          EXPECT_TRUE(within(cholesky_ratio<T>(A, part, in_place)));
          EXPECT_TRUE(same_bits(in_place.view(), L.view()));
          if (cutoff == 0) on_device = L;
          EXPECT_TRUE(same_bits(on_device.view(), L.view()));
        }
      }
}

/// The same kernels compiled with fast-math are another program, with other bits.
TYPED_TEST(OpenClOf, ColumnsWithFastMath) {
  using T = TypeParam;
  random_source random(610);
  const index_t n = 61;
  const matrix<T> A = random_spd<T>(random, n);
  for (auto columns : {device::column_kernels::multiple, device::column_kernels::single,
                       device::column_kernels::rounds}) {
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

TYPED_TEST(OpenClOf, ColumnsInEveryKindOfKernelsReportTheBadMinor) {
  using T = TypeParam;
  const index_t n = 19;
  for (auto columns : {device::column_kernels::multiple, device::column_kernels::single,
                       device::column_kernels::rounds})
    for (index_t k : {0, 1, 10, 18}) {
      random_source random(604);
      matrix<T> A = random_spd<T>(random, n), L(n, n);
      A(k, k) = T(-1);
      const auto f =
          cholesky<variant::crout>(test::device().with({.group = 4, .columns = columns}), A, L);
      EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, k));
      EXPECT_TRUE(
          within(cholesky_ratio<T>(std::as_const(A).view().block(0, 0, k, k), triangle::lower,
                                   std::as_const(L).view().block(0, 0, k, k))));
    }
}

TYPED_TEST(OpenClOf, ResidentMatricesFactorAndSolveWithoutWaiting) {
  using T = TypeParam;
  random_source random(605);
  for (index_t n : {0, 1, 30, 100})
    for (triangle part : {triangle::lower, triangle::upper})
      for (operation op : {operation::none, operation::transpose, operation::adjoint}) {
        const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 3);
        device_matrix<T, opencl> on_device(test::device(), A.view()), X(test::device(), B.view());
        const auto f = cholesky(on_device, {.part = part, .block = 32});
        solve(f, X, op);
        EXPECT_TRUE(f.status().ok()) << f.status().message();
        EXPECT_TRUE(within(cholesky_ratio<T>(A, part, on_device.to_host())));
        EXPECT_TRUE(within(solve_ratio<T>(applied<T>(op, A), X.to_host(), B)));
      }
}

TYPED_TEST(OpenClOf, AResidentFailureReachesTheStatusAndNotTheSolution) {
  using T = TypeParam;
  const index_t n = 50, k = 33;
  random_source random(606);
  matrix<T> A = random_spd<T>(random, n);
  A(k, k) = T(-1);
  const matrix<T> B = random_matrix<T>(random, n, 2);
  device_matrix<T, opencl> on_device(test::device(), A), X(test::device(), B);
  const auto f = cholesky<variant::right_looking>(on_device, {.block = 16});
  solve(f, X);
  EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, k));
  EXPECT_THROW(f.or_throw(), numerical_error);
  EXPECT_TRUE(same_bits(X.to_host().view(), B.view()));
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

TEST_F(OpenCl, AKernelThatDoesNotCompileNamesItsFileAndLine) {
  constexpr const char* text = TRIFAC_KERNEL_LINE("broken.hpp") R"kernel(
KERNEL void broken(GLOBAL int* x) { *x = undeclared; }
)kernel";
  constexpr int line = __LINE__ - 2;
  try {
    (void)device().session().runtime.load({"broken", {text}, {"VW=1", "REAL=float", "DOUBLE=0"}});
    FAIL() << "it compiled";
  } catch (const backend_error& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("broken.hpp:" + std::to_string(line)), std::string::npos) << what;
    EXPECT_NE(what.find("undeclared"), std::string::npos) << what;
  }
}

TEST_F(OpenCl, TimesOfTheLastCall) {
  const opencl own = opencl::at(0);
  EXPECT_EQ(own.times().run, 0);
  random_source random(607);
  matrix<double> A = random_spd<double>(random, 60);
  ASSERT_TRUE(cholesky(own, A));
  EXPECT_GT(own.times().run, 0);
}

TEST_F(OpenCl, AfterWarmupNothingIsCompiled) {
  const opencl own = opencl::at(0);
  own.warmup<float>();
  const std::size_t programs = own.session().runtime.programs();
  random_source random(608);
  matrix<float> A = random_spd<float>(random, 300), B = random_matrix<float>(random, 300, 2);
  ASSERT_TRUE(cholesky(own, A));
  EXPECT_EQ(own.session().runtime.programs(), programs);
}

/// Factors a few matrices and compares with what another thread alone made.
void factor_many(const opencl& on, const std::vector<matrix<double>>& given,
                 std::vector<matrix<double>>& made) {
  for (std::size_t k = 0; k < given.size(); ++k) {
    made[k] = given[k];
    ASSERT_TRUE(cholesky(on, made[k], {.block = 32}));
  }
}

std::vector<matrix<double>> some_matrices() {
  std::vector<matrix<double>> list;
  random_source random(609);
  for (index_t n = 20; n < 200; n += 15) list.push_back(random_spd<double>(random, n));
  return list;
}

void expect_same(const std::vector<matrix<double>>& a, const std::vector<matrix<double>>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_TRUE(same_bits(a[k].view(), b[k].view()));
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
    const auto given = some_matrices();
    auto alone = given, on_left = given, on_right = given;
    factor_many(device(), given, alone);
    std::thread other([&] { factor_many(left, given, on_left); });
    factor_many(right, given, on_right);
    other.join();
    expect_same(alone, on_left);
    expect_same(alone, on_right);
  }
  for (cl_device_id part : parts) clReleaseDevice(part);
}

TEST_F(OpenCl, OneDeviceFromTwoThreads) {
  const auto given = some_matrices();
  auto alone = given, mine = given, others = given;
  factor_many(device(), given, alone);
  std::thread other([&] { factor_many(device(), given, others); });
  factor_many(device(), given, mine);
  other.join();
  expect_same(alone, mine);
  expect_same(alone, others);
}

}  // namespace
}  // namespace trifac::test
