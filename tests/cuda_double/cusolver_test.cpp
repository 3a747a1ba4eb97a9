// The cuSOLVER backend: its calls fit, its workspace is kept, its errors arrive.

#include "trifac/backend/cusolver.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"

namespace trifac::test {
namespace {

using backend::cusolver;

const cusolver& device() {
  static const cusolver first = cusolver::first();
  return first;
}

template <class T>
class Cusolver : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(device().available()) << device().available().reason; }
};
TYPED_TEST_SUITE(Cusolver, lapack_scalars, scalar_names);

constexpr operation all_operations[] = {operation::none, operation::transpose, operation::adjoint};

TYPED_TEST(Cusolver, CholeskyAndItsSolves) {
  using T = TypeParam;
  random_source random(1301);
  for (index_t n : {0, 1, 40})
    for (triangle part : {triangle::lower, triangle::upper})
      for (layout where : {layout::padded, layout::row_major, layout::reversed}) {
        const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 3);
        placed_matrix<T> L(n, n, where);
        L.assign(A, in_triangle(part));
        L.remember();
        const auto f = cholesky(device(), L.view(), {.part = part});
        ASSERT_TRUE(f) << f.status().message();
        EXPECT_TRUE(within(cholesky_ratio<T>(A, part, L.view())));
        EXPECT_TRUE(L.untouched_except(in_triangle(part)));
        for (operation op : all_operations) {
          matrix<T> X = B;
          solve(device(), f, X, op);
          EXPECT_TRUE(within(solve_ratio<T>(applied<T>(op, A), X, B)));
        }
      }
}

TYPED_TEST(Cusolver, LuAndItsSolves) {
  using T = TypeParam;
  random_source random(1302);
  for (auto [m, n] : {std::pair<index_t, index_t>{0, 0}, {1, 1}, {40, 40}, {45, 30}, {30, 45}})
    for (layout where : {layout::padded, layout::row_major}) {
      const matrix<T> A = random_matrix<T>(random, m, n), B = random_matrix<T>(random, m, 3);
      placed_matrix<T> LU(A, where);
      const auto f = lu(device(), LU.view());
      ASSERT_TRUE(f) << f.status().message();
      EXPECT_TRUE(within(lu_ratio<T>(A, f.matrix(), f.interchanges().span())));
      EXPECT_TRUE(LU.guards_untouched());
      if (m != n) continue;
      for (operation op : all_operations) {
        matrix<T> X = B;
        solve(device(), f, X, op);
        EXPECT_TRUE(within(solve_ratio<T>(applied<T>(op, A), X, B)));
      }
    }
}

TYPED_TEST(Cusolver, FailuresHaveTheirIndex) {
  using T = TypeParam;
  random_source random(1303);
  const index_t n = 20, k = 13;
  matrix<T> A = random_spd<T>(random, n);
  A(k, k) = T(-1);
  EXPECT_EQ(try_cholesky(device(), matrix<T>(A)).status(),
            status::at(status_kind::not_positive_definite, k));
  A(k, k) = T(std::numeric_limits<real_t<T>>::quiet_NaN());
  EXPECT_EQ(try_cholesky(device(), A).status(), status::at(status_kind::not_finite, k));
  matrix<T> Z(n, n);
  for (index_t j = 0; j < n; ++j) Z(j, j) = j == k ? T(0) : T(1);
  EXPECT_EQ(try_lu(device(), Z).status(), status::at(status_kind::singular, k));
}

TEST(CusolverBackend, TellsTimesWithAndWithoutCopies) {
  ASSERT_TRUE(device().available());
  random_source random(1304);
  matrix<double> A = random_spd<double>(random, 60);
  ASSERT_TRUE(cholesky(device(), A));
  EXPECT_GT(device().times().copy_in, 0);
  EXPECT_GT(device().times().run, 0);
  EXPECT_GT(device().times().copy_out, 0);
}

TEST(CusolverBackend, AnUnknownDeviceIsRefused) {
  EXPECT_FALSE(cusolver::at(1000).available());
  EXPECT_FALSE(cusolver().available());
  matrix<double> A(2, 2);
  EXPECT_EQ(try_cholesky(cusolver(), A).status().kind(), status_kind::backend_failure);
}

}  // namespace
}  // namespace trifac::test
