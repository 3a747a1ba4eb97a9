// What CUDA workers of StarPU do, task by task: factorizations by hand on matrices in the double's
// memory, as StarPU describes them. StarPU itself has no CUDA here.

#include "trifac/backend/starpu_cuda.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <span>
#include <vector>

#include "cuda_double/cuda_double.hpp"
#include "support/residual.hpp"
#include "support/starpu_environment.hpp"
#include "trifac/lu.hpp"

namespace {
cudaStream_t stream_of_the_worker = nullptr;
}
extern "C" cudaStream_t starpu_cuda_get_local_stream() {
  return stream_of_the_worker;
}

namespace trifac::test {
namespace {

using backend::starpu_tasks::cuda_workers;
const starpu_environment prepared(0);

/// Part of a matrix on the device, with a leading dimension of its own, and StarPU's description.
class column_on_device {
 public:
  column_on_device(const backend::cuda& on, const matrix_view<double>& A, bool along_rows)
      : on_(on), host_(along_rows ? A.transposed() : A) {
    described_.id = STARPU_MATRIX_INTERFACE_ID;
    described_.nx = static_cast<std::uint32_t>(host_.rows());
    described_.ny = static_cast<std::uint32_t>(host_.cols());
    described_.ld = described_.nx + 3;
    described_.elemsize = sizeof(double);
    memory_ = runtime().allocate(column_bytes() * described_.ny);
    described_.ptr = reinterpret_cast<std::uintptr_t>(memory_.get());
    std::vector<double> line(described_.nx);
    for (index_t j = 0; j < host_.cols(); ++j) {
      for (index_t i = 0; i < host_.rows(); ++i) line[static_cast<std::size_t>(i)] = host_(i, j);
      runtime().write(memory_.get(), place(j), line.data(), line.size() * sizeof(double));
    }
  }
  column_on_device(const column_on_device&) = delete;

  void* buffer() { return &described_; }
  void to_host() {
    std::vector<double> line(described_.nx);
    for (index_t j = 0; j < host_.cols(); ++j) {
      runtime().read(memory_.get(), place(j), line.data(), line.size() * sizeof(double));
      for (index_t i = 0; i < host_.rows(); ++i) host_(i, j) = line[static_cast<std::size_t>(i)];
    }
  }

 private:
  const device::cuda_runtime& runtime() const { return on_.session().runtime; }
  std::uint64_t column_bytes() const { return described_.ld * sizeof(double); }
  std::uint64_t place(index_t j) const { return static_cast<std::uint64_t>(j) * column_bytes(); }

  backend::cuda on_;
  matrix_view<double> host_;
  device::cuda_memory memory_;
  starpu_matrix_interface described_ = {};
};

class StarpuCuda : public testing::Test {
 protected:
  static constexpr index_t n = 40, b = 16, panels = 3;

  void SetUp() override {
    cuda_double::reset();
    if (!stream_of_the_worker) {
      ASSERT_EQ(cudaStreamCreateWithFlags(&stream_of_the_worker, cudaStreamNonBlocking),
                cudaSuccess);
    }
  }
  void TearDown() override { EXPECT_EQ(cuda_double::complaints(), ""); }

  static index_t first(index_t k) { return std::min(k * b, n); }
  static index_t width(index_t k) { return first(k + 1) - first(k); }
  static backend::cuda here() { return backend::cuda::on(stream_of_the_worker); }
  /// Block columns of A from row top(k) on.
  template <class Top>
  static void distribute(matrix<double>& A, bool along_rows, Top top,
                         std::list<column_on_device>& storage,
                         std::vector<column_on_device*>& columns) {
    for (index_t k = 0; k < panels; ++k)
      columns.push_back(&storage.emplace_back(
          here(), A.view().block(top(k), first(k), n - top(k), width(k)), along_rows));
  }
};

TEST_F(StarpuCuda, TasksOfLuAreAFactorization) {
  random_source random(1601);
  for (const bool along_rows : {false, true})
    for (const bool in_parts : {false, true}) {
      const auto A = random_matrix<double>(random, n, n);
      matrix<double> LU = A, unused(n, b);
      std::list<column_on_device> storage;
      std::vector<column_on_device*> columns;
      distribute(
          LU, along_rows, [](index_t) { return index_t(0); }, storage, columns);
      column_on_device product(here(), unused.view(), false);
      std::vector<index_t> interchanges(n);
      for (index_t k = 0; k < panels; ++k) {
        const std::span<index_t> own(interchanges.data() + first(k),
                                     static_cast<std::size_t>(width(k)));
        status found;
        ASSERT_TRUE(cuda_workers::factor_lu<double>(columns[k]->buffer(), along_rows, first(k),
                                                    {.pivoting = pivoting::partial}, own, found));
        ASSERT_EQ(found, status());
        for (index_t& row : own) row += first(k);
        for (index_t j = k + 1; j < panels; ++j) {
          void *const L = columns[k]->buffer(), *const C = columns[j]->buffer(),
                      *const P = product.buffer();
          if (!in_parts) {
            ASSERT_TRUE(cuda_workers::eliminate<double>(L, C, along_rows, first(k), own));
            continue;
          }
          ASSERT_TRUE(cuda_workers::solve<double>(L, C, along_rows, first(k), own));
          ASSERT_TRUE(cuda_workers::multiply<double>(L, C, P, along_rows, first(k), width(k)));
          ASSERT_TRUE(cuda_workers::subtract_product<double>(P, C, along_rows, first(k + 1)));
        }
      }
      for (index_t j = 0; j + 1 < panels; ++j)
        ASSERT_TRUE(cuda_workers::interchange<double>(columns[j]->buffer(), along_rows,
                                                      interchanges, first(j + 1)));
      for (auto* column : columns) column->to_host();
      EXPECT_TRUE(within(lu_ratio<double>(A.view(), LU.view(), interchanges)));
    }
}

TEST_F(StarpuCuda, TasksOfCholeskyAreAFactorization) {
  random_source random(1602);
  for (const bool along_rows : {false, true}) {
    const auto A = random_spd<double>(random, n);
    matrix<double> L = A;
    std::list<column_on_device> storage;
    std::vector<column_on_device*> columns;
    distribute(L, along_rows, first, storage, columns);
    for (index_t k = 0; k < panels; ++k) {
      status found;
      ASSERT_TRUE(cuda_workers::factor_cholesky<double>(columns[k]->buffer(), along_rows, found));
      ASSERT_EQ(found, status());
      for (index_t j = k + 1; j < panels; ++j)
        ASSERT_TRUE(cuda_workers::subtract<double>(columns[k]->buffer(), columns[j]->buffer(),
                                                   along_rows, first(j) - first(k)));
    }
    for (auto* column : columns) column->to_host();
    EXPECT_TRUE(within(cholesky_ratio<double>(A, triangle::lower, L.view())));
  }
}

TEST_F(StarpuCuda, ADeviceThatFailsIsToldByTheTask) {
  matrix<double> A(n, b);
  column_on_device column(here(), A.view(), false);
  status found;
  cuda_double::inject({.launch = 0});
  EXPECT_FALSE(cuda_workers::factor_cholesky<double>(column.buffer(), false, found));
  cuda_double::reset();
}

TEST_F(StarpuCuda, CodeletsHaveFunctionsForCpuAndCuda) {
  using namespace backend::starpu_tasks;
  using flow = lu_flow<double, task_calls<double>, cuda_workers>;
  const starpu_codelet& update = flow::update_codelet();
  EXPECT_EQ(update.where, static_cast<std::uint32_t>(STARPU_CPU | STARPU_CUDA));
  EXPECT_NE(update.cpu_funcs[0], nullptr);
  EXPECT_NE(update.cuda_funcs[0], nullptr);
  EXPECT_EQ(update.opencl_funcs[0], nullptr);
  EXPECT_EQ(flow::product_codelet().where, static_cast<std::uint32_t>(STARPU_CUDA));
}

TEST_F(StarpuCuda, AStarpuWithoutCudaIsABackendFailure) {
  random_source random(1603);
  auto A = random_matrix<double>(random, n, n);
  const status s = try_lu(backend::starpu_cuda(), A, {.block = b}).status();
  EXPECT_EQ(s.kind(), status_kind::backend_failure);
  EXPECT_NE(std::string(s.what()).find("no CUDA worker"), std::string::npos) << s.message();
}

}  // namespace
}  // namespace trifac::test
