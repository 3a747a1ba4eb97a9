// Panels of LU in a cluster of thread blocks: pivots, bits and status of the panel in memory, over
// types, shapes and contents.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/layouts.hpp"
#include "support/pivot_cases.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/backend/cuda.hpp"
#include "trifac/device_matrix_lu.hpp"

namespace trifac::test {
namespace {

using backend::cuda;
using device::pivot_rule;

const cuda& device() {
  static const cuda first = cuda::first();
  return first;
}

enum class contents { random, ties, zeros, bad, large };
constexpr const char* name_of(contents c) {
  constexpr const char* names[] = {"random", "ties", "zeros", "NaN and infinity", "large"};
  return names[static_cast<int>(c)];
}

template <class T>
matrix<T> filled(random_source& random, index_t m, index_t n, contents what) {
  using real = real_t<T>;
  constexpr auto limits = std::numeric_limits<real>();
  matrix<T> A = random_matrix<T>(random, m, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) {
      T& a = A(i, j);
      if (what == contents::ties) a = T(std::real(a) > 0 ? 1 : -1);
      if (what == contents::zeros && (j % 3 == 1 || i % 2 == 0)) a = T(0);
      if (what == contents::large) a *= limits.max() / 4;  // |re| + |im| overflows
    }
  if (what == contents::bad) {
    A(m / 2, n / 3) = T(limits.infinity());
    A(m - 1, n / 2) = T(limits.quiet_NaN());
  }
  return A;
}

/// What IEEE 754 leaves open.
template <class T>
matrix<T> without_signs_of_nan(matrix<T> A) {
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) {
      const auto part = [](real_t<T> x) { return std::isnan(x) ? std::abs(x) : x; };
      if constexpr (is_complex<T>)
        A(i, j) = {part(A(i, j).real()), part(A(i, j).imag())};
      else
        A(i, j) = part(A(i, j));
    }
  return A;
}

template <class T>
class CudaCluster : public testing::Test {
 protected:
  using runtime = device::cuda_runtime;
  using executor = device::lu_executor<runtime, T>;
  using view = typename executor::view;

  void SetUp() override {
    ASSERT_TRUE(device().available()) << device().available().reason;
    if (device().facts().cluster == 1) GTEST_SKIP() << "the device knows no clusters";
  }
  struct result {
    matrix<T> LU;
    std::vector<index_t> interchanges;
    status outcome;
  };
  /// A block within a larger matrix, whose row 0 is row `first`, after factor(executor, block).
  template <class Factor>
  static result factored(const matrix<T>& A, index_t first, Factor factor) {
    const index_t m = A.rows(), n = A.cols();
    matrix<T> around(m + 3, n + 2);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i) around(i + 2, j + 1) = A(i, j);
    device_matrix D(device(), std::as_const(around).view());
    result r{{}, std::vector<index_t>(static_cast<std::size_t>(first + std::min(m, n))), {}};
    executor on(device().session(), device().settings(),
                static_cast<index_t>(r.interchanges.size()));
    factor(on, D.view().block(2, 1, m, n));
    r.outcome = on.finish();
    on.interchanges().read(r.interchanges);
    r.LU = D.to_host();
    return r;
  }
  static result in_cluster(const matrix<T>& A, index_t first, bool& fits) {
    return factored(A, first, [&](executor& on, view block) {
      device::lu_cluster<runtime, T> panels(on);
      fits = panels.factor(block, first, on.interchanges(), false);
    });
  }
  static result in_memory(const matrix<T>& A, index_t first) {
    return factored(A, first, [&](executor& on, view block) {
      device::lazy_program<runtime, T> kernels(  // that of lu_executor
          on, "lu",
          {kernel::lu_pivot, kernel::lu_search, kernel::lu_panel_pivots, kernel::lu_panel,
           kernel::factor_panel, kernel::lu_interchanges, kernel::lu_edges});
      device::packed_panel<runtime, T> memory;
      memory.reserve(on, block.rows(), block.cols());
      kernels.launch("factor_panel", {}, {static_cast<std::size_t>(on.shape().diagonal_items)},
                     block, static_cast<int>(pivot_rule::plain), memory.elements, memory.height(),
                     memory.step, first, on.interchanges().get(), 0);
    });
  }
  static void expect_the_same(index_t m, index_t n, contents what) {
    SCOPED_TRACE(testing::Message() << m << "×" << n << ", " << name_of(what));
    random_source random(1701);
    const matrix<T> A = filled<T>(random, m, n, what);
    bool fits = false;
    const result a = in_cluster(A, 5, fits);
    const bool on_double = device().facts().name.starts_with("double");
    // PoCL's local memory may be too small for 16 blocks in one work-group, never for two.
    if (!fits && on_double && m > 2 * kernel::cluster_slots / 16) return;
    ASSERT_TRUE(fits);
    if (is_complex<T> && on_double) {
      // PoCL 3.1 does not survive compiling the complex panel in memory.
      if (what != contents::random) return;
      std::vector<index_t> rows(a.interchanges.begin() + 5, a.interchanges.end());
      for (index_t& row : rows) row -= 5;
      EXPECT_TRUE(a.outcome);
      EXPECT_TRUE(within(lu_ratio<T>(A, a.LU.view().block(2, 1, m, n), rows)));
      return;
    }
    const result b = in_memory(A, 5);
    EXPECT_EQ(a.outcome, b.outcome) << a.outcome.message();
    EXPECT_EQ(a.interchanges, b.interchanges);
    const matrix<T> x = without_signs_of_nan(a.LU), y = without_signs_of_nan(b.LU);
    EXPECT_TRUE(same_bits(x.view(), y.view()));
  }
};
TYPED_TEST_SUITE(CudaCluster, lapack_scalars, scalar_names);

/// Up to a block, several blocks, wide panels; steps of 4 to 32 columns begin and end within.
TYPED_TEST(CudaCluster, HasTheBitsOfThePanelInMemory) {
  for (auto [m, n] : {std::pair<index_t, index_t>{1, 1},
                      {1, 9},
                      {255, 31},
                      {256, 64},
                      {257, 33},
                      {40, 100},
                      {33, 71},
                      {1000, 128}})
    this->expect_the_same(m, n, contents::random);
}
TYPED_TEST(CudaCluster, HasItsPivotsAndStatus) {
  for (contents what : {contents::ties, contents::zeros, contents::bad, contents::large})
    for (auto [m, n] : {std::pair<index_t, index_t>{100, 40}, {700, 37}, {20, 45}})
      this->expect_the_same(m, n, what);
}
/// Among equal candidates, among denormal ones, and among those whose size overflows.
TYPED_TEST(CudaCluster, HasLapacksPivots) {
  using T = TypeParam;
  random_source random(1703);
  const auto expect = [&](const pivot_case<T>& expected) {
    const index_t m = expected.A.rows(), n = expected.A.cols(), first = 5;
    SCOPED_TRACE(testing::Message() << m << "×" << n);
    bool fits = false;
    const auto found = this->in_cluster(expected.A, first, fits);
    ASSERT_TRUE(fits);
    pivots rows(std::min(m, n));
    for (index_t k = 0; k < rows.size(); ++k)
      rows[k] = found.interchanges[static_cast<std::size_t>(first + k)] - first;
    const status outcome =
        found.outcome ? status() : status::at(found.outcome.kind(), found.outcome.index() - first);
    expect_pivots<T>(expected, outcome, rows, found.LU.view().block(2, 1, m, n));
  };
  for (auto [m, n] : {std::pair<index_t, index_t>{3, 3}, {40, 40}, {300, 64}, {20, 45}})
    for (index_t zeros : {0, 5}) {
      expect(tied_case<T>(random, m, n, zeros));
      expect(tied_case<T>(random, m, n, zeros, denormal_scale<T>()));
    }
  for (const sizes which : all_sizes)
    for (index_t n : {3, 9, 40}) expect(size_case<T>(random, n, which));
}
/// Two and four rows in an item; the largest panels of each, and one row more.
TYPED_TEST(CudaCluster, TakesUpTo16384Rows) {
  const index_t one = kernel::cluster_slots / 4;
  this->expect_the_same(one, 3, contents::ties);
  this->expect_the_same(one + 1, 9, contents::random);
  this->expect_the_same(2 * one, 19, contents::ties);
  if (std::is_same_v<TypeParam, std::complex<double>>) return;
  this->expect_the_same(2 * one + 1, 9, contents::ties);
  this->expect_the_same(4 * one, 10, contents::random);
}

TYPED_TEST(CudaCluster, LeavesWhatIsTooLargeAlone) {
  using T = TypeParam;
  device::lu_executor<device::cuda_runtime, T> on(device().session(), device().settings(), 200);
  device::lu_cluster<device::cuda_runtime, T> panels(on);
  device_matrix<T, cuda> tall(device(), kernel::cluster_slots + 1, 1), wide(device(), 200, 129);
  EXPECT_FALSE(panels.factor(tall.view(), 0, on.interchanges(), false));
  EXPECT_FALSE(panels.factor(wide.view(), 0, on.interchanges(), false));
}

/// After a fatal failure, and where no fallback was asked for, nothing is done.
TYPED_TEST(CudaCluster, ReadsTheStateFirst) {
  using T = TypeParam;
  random_source random(1702);
  const matrix<T> A = random_matrix<T>(random, 300, 20);
  const matrix<T> bad = filled<T>(random, 30, 20, contents::bad);
  for (const bool guarded : {true, false}) {
    device_matrix D(device(), A.view()), B(device(), bad.view());
    device::lu_executor<device::cuda_runtime, T> on(device().session(), device().settings(), 20);
    device::lu_cluster<device::cuda_runtime, T> panels(on);
    if (!guarded) {
      EXPECT_TRUE(panels.factor(B.view(), 0, on.interchanges(), false));
    }
    EXPECT_TRUE(panels.factor(D.view(), 0, on.interchanges(), guarded));
    EXPECT_EQ(on.finish().kind(), guarded ? status_kind::success : status_kind::not_finite);
    const matrix<T> after = D.to_host();
    EXPECT_TRUE(same_bits(after.view(), A.view()));
  }
}

}  // namespace
}  // namespace trifac::test
