// equilibration: scales are powers of two that even out rows and columns, systems solved with them,
// and the matrices that have none.

#include "trifac/equilibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"

namespace trifac::test {
namespace {

template <class T>
class Equilibration : public testing::Test {};
TYPED_TEST_SUITE(Equilibration, lapack_scalars, scalar_names);

template <class R>
R power(int exponent) {
  return std::ldexp(R(1), exponent);
}

TYPED_TEST(Equilibration, EvensOutRowsAndColumnsExactly) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(661);
  for (auto [m, n] : {std::pair<index_t, index_t>(1, 1), {7, 7}, {4, 9}, {30, 20}})
    for (layout where : all_layouts) {
      matrix<T> A = random_matrix<T>(random, m, n);
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < m; ++i)
          A(i, j) *= power<R>(static_cast<int>((5 * i) % 17 + (7 * j) % 13));
      placed_matrix<T> stored(A, where);
      const auto scales = equilibration(stored.view());
      ASSERT_TRUE(scales);
      EXPECT_EQ(scales.is_worthwhile(), m * n > 1);
      EXPECT_TRUE(stored.untouched());
      equilibrate(stored.view(), scales);
      EXPECT_TRUE(stored.guards_untouched());
      for (index_t j = 0; j < n; ++j) {
        R largest(0);
        for (index_t i = 0; i < m; ++i) {
          const R r = scales.rows[static_cast<std::size_t>(i)],
                  c = scales.columns[static_cast<std::size_t>(j)];
          EXPECT_EQ(stored.view()(i, j), A(i, j) * r * c);
          EXPECT_EQ(stored.view()(i, j) / r / c, A(i, j));  // nothing was rounded
          largest = std::max(largest, detail::pivot_size(stored.view()(i, j)));
        }
        EXPECT_TRUE(largest >= R(0.5) && largest <= R(2)) << largest;
      }
    }
}

TYPED_TEST(Equilibration, SolvesWhatIsScaledBadly) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(662);
  const index_t n = 12;
  const matrix<T> even = random_spd<T>(random, n);
  matrix<T> A = even;
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) A(i, j) *= power<R>(static_cast<int>(3 * (i + j) - 30));
  matrix<T> exact = random_matrix<T>(random, n, 2);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < 2; ++j) exact(i, j) *= power<R>(static_cast<int>(-3 * i));
  const matrix<T> B = product<T>(A, exact);
  for (bool definite : {false, true}) {
    const auto scales = definite ? equilibration_of_definite(A) : equilibration(A);
    ASSERT_TRUE(scales);
    EXPECT_TRUE(scales.is_worthwhile());
    matrix<T> C = A, X = B;
    equilibrate(C, scales);
    scale_rows(X, scales.rows);
    if (definite)
      solve(cholesky(C), X);
    else
      solve(lu(C), X);
    scale_rows(X, scales.columns);
    for (index_t j = 0; j < 2; ++j)
      for (index_t i = 0; i < n; ++i)
        EXPECT_LE(detail::absolute(X(i, j) - exact(i, j)),
                  R(100) * std::numeric_limits<R>::epsilon() * power<R>(static_cast<int>(-3 * i)));
  }
}

TYPED_TEST(Equilibration, SizesAtTheEdgeOfTheRange) {
  using T = TypeParam;
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  for (R size : {limits::denorm_min(), limits::min(), limits::max() / 2}) {
    matrix<T> A(2, 2);
    A(0, 0) = T(size);
    A(1, 1) = T(1);
    for (const auto& scales : {equilibration(A), equilibration_of_definite(A)}) {
      ASSERT_TRUE(scales);
      for (const R scale : scales.rows)
        EXPECT_TRUE(std::isnormal(scale) && std::isnormal(1 / scale));
    }
  }
}

TYPED_TEST(Equilibration, WhatHasNoScalesIsTold) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(663);
  const matrix<T> A = random_spd<T>(random, 5);
  matrix<T> row = A, column = A, nan = A, negative = A;
  for (index_t k = 0; k < 5; ++k) row(3, k) = column(k, 2) = T(0);
  nan(1, 1) = T(std::numeric_limits<R>::quiet_NaN());
  negative(4, 4) = T(-1);
  EXPECT_EQ(equilibration(row).status(), status::at(status_kind::singular, 3));
  EXPECT_EQ(equilibration(column).status(), status::at(status_kind::singular, 2));
  EXPECT_EQ(equilibration(nan).status(), status::at(status_kind::not_finite, 1));
  EXPECT_TRUE(equilibration(nan).rows.empty());
  EXPECT_EQ(equilibration_of_definite(negative).status(),
            status::at(status_kind::not_positive_definite, 4));
  EXPECT_EQ(equilibration_of_definite(nan).status(), status::at(status_kind::not_finite, 1));
  EXPECT_STREQ(equilibration_of_definite(matrix<T>(2, 3)).status().argument(), "A");
  EXPECT_STREQ(equilibration(matrix_view<T>(nullptr, 2, 2, 2)).status().argument(), "A");
  matrix<T> wide(5, 6);
  EXPECT_STREQ(try_equilibrate(wide, equilibration(A)).argument(), "scales");
  EXPECT_EQ(try_equilibrate(wide, equilibration(row)).kind(), status_kind::singular);
  std::vector<T> b(4);
  EXPECT_STREQ(try_scale_rows(b, std::vector<R>(5)).argument(), "scales");
  EXPECT_TRUE(equilibration(matrix<T>()));
}

}  // namespace
}  // namespace trifac::test
