// Solutions that are returned, and factors of matrices that something else has factored.

#include "trifac/factored.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/solved.hpp"

namespace trifac::test {
namespace {

template <class T>
class Factored : public testing::Test {};
TYPED_TEST_SUITE(Factored, lapack_scalars, scalar_names);

TYPED_TEST(Factored, SolvedReturnsWhatSolveWrites) {
  using T = TypeParam;
  random_source random(611);
  const index_t n = 12;
  const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 3);
  matrix<T> LU = A, X = B, Y = B;
  const auto f = lu(LU);
  solve(f, X, operation::transpose);
  solve(f.U(), Y);
  const auto expect_is = [](const matrix<T>& expected, const matrix<T>& got) {
    EXPECT_TRUE(same_bits(expected.view(), got.view()));
  };
  expect_is(X, solved(f, B, operation::transpose));
  expect_is(X, solved(f, B.view(), operation::transpose));
  expect_is(X, solved(f, matrix<T>(B), operation::transpose));
  expect_is(Y, solved(f.U(), B));

  const std::vector<T> b(B.data(), B.data() + n);
  std::array<T, 12> fixed{};
  std::copy(b.begin(), b.end(), fixed.begin());
  const auto x = solved(f, b, operation::transpose);
  static_assert(std::is_same_v<decltype(x), const std::vector<T>>);
  static_assert(std::is_same_v<decltype(solved(f, std::span<const T>(b))), std::vector<T>>);
  static_assert(std::is_same_v<decltype(solved(f, fixed)), std::array<T, 12>>);
  static_assert(std::is_same_v<decltype(solved(f, B.view())), matrix<T>>);
  for (index_t i = 0; i < n; ++i) {
    EXPECT_EQ(x[static_cast<std::size_t>(i)], X(i, 0));
    EXPECT_EQ(solved(f, fixed, operation::transpose)[static_cast<std::size_t>(i)], X(i, 0));
  }
  EXPECT_THROW(static_cast<void>(solved(f, matrix<T>(n - 1, 1))), argument_error);
  EXPECT_THROW(static_cast<void>(solved(lu(matrix<T>(n, n)), B)), numerical_error);
}

TYPED_TEST(Factored, CholeskyOfConstElements) {
  using T = TypeParam;
  random_source random(612);
  for (index_t n : {0, 1, 2, 40, 70})
    for (triangle part : {triangle::lower, triangle::upper}) {
      const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 3);
      matrix<T> stored = A;
      EXPECT_TRUE(cholesky(stored, {.part = part}));
      const matrix<T>& given = stored;
      const auto f = factored_cholesky(given, part);
      ASSERT_TRUE(f) << f.status().message();
      EXPECT_EQ(f.matrix().data(), given.data());  // no copy
      EXPECT_TRUE(within(solve_ratio<T>(A, solved(f, B), B)));
    }
}

/// Factors from the ipiv of f, which is that of LU, solve as f does.
template <class Integer, class T>
void expect_lu_of(const lu_factor<T>& f, const matrix<T>& LU) {
  const pivots& p = f.interchanges();
  random_source random(614);
  const matrix<T> B = random_matrix<T>(random, LU.rows(), 3), X = solved(f, B);
  const std::vector<Integer> from_one = p.template to_ipiv<Integer>();
  std::vector<Integer> from_zero = from_one;
  for (Integer& row : from_zero) row = static_cast<Integer>(row - 1);
  const auto one = factored_lu(LU, from_one),
             zero = factored_lu(LU.view(), from_zero, ipiv_base::zero);
  for (const auto* factor : {&one, &zero}) {
    ASSERT_TRUE(*factor) << factor->status().message();
    EXPECT_EQ(factor->matrix().data(), LU.data());
    EXPECT_EQ(factor->interchanges(), p);
    EXPECT_TRUE(same_bits(X.view(), matrix_view<const T>(solved(*factor, B))));
  }
}

TYPED_TEST(Factored, LuWithIpivOfBothWidthsAndBases) {
  using T = TypeParam;
  random_source random(613);
  for (index_t n : {0, 1, 2, 40, 70}) {
    matrix<T> stored = random_matrix<T>(random, n, n);
    const auto f = lu(stored);
    expect_lu_of<std::int32_t>(f, stored);
    expect_lu_of<std::int64_t>(f, stored);
  }
}

TYPED_TEST(Factored, WhatIsNoFactorIsNamed) {
  using T = TypeParam;
  using R = real_t<T>;
  matrix<T> I(4, 4), wide(3, 4);
  for (index_t k = 0; k < 4; ++k) I(k, k) = T(1);
  const std::vector<int> good = {1, 2, 3, 4};
  const auto expect_argument = [](const status& s, const char* argument) {
    EXPECT_EQ(s.kind(), status_kind::invalid_argument);
    EXPECT_STREQ(s.argument(), argument) << s.message();
  };
  expect_argument(factored_cholesky(wide).status(), "A");
  expect_argument(factored_cholesky(matrix_view<const T>(nullptr, 2, 2, 2)).status(), "A");
  expect_argument(factored_cholesky(I, static_cast<triangle>(5)).status(), "part");
  expect_argument(factored_lu(I, std::vector<int>{1, 2, 3}).status(), "ipiv");
  expect_argument(factored_lu(I, std::vector<int>{1, 1, 3, 4}).status(), "ipiv");
  expect_argument(factored_lu(I, std::vector<int>{1, 2, 3, 5}).status(), "ipiv");
  expect_argument(factored_lu(I, std::vector<int>{0, 1, 2, 3}).status(), "ipiv");
  const std::vector<index_t> least(4, std::numeric_limits<index_t>::min());  // − 1 is no number
  expect_argument(factored_lu(I, least).status(), "ipiv");
  EXPECT_FALSE(pivots::from_ipiv(least).fit(4, 4));
  EXPECT_TRUE(factored_lu(I, std::vector<int>{0, 1, 2, 3}, ipiv_base::zero));
  EXPECT_TRUE(factored_lu(wide, std::vector<int>{1, 2, 3}).status().kind() ==
              status_kind::singular);
  for (const auto& [bad, kind] :
       {std::pair(R(0), status_kind::singular),
        std::pair(std::numeric_limits<R>::quiet_NaN(), status_kind::not_finite)}) {
    matrix<T> A = I;
    A(2, 2) = T(bad);
    EXPECT_EQ(factored_lu(A, good).status(), status::at(kind, 2));
    EXPECT_EQ(
        factored_cholesky(A).status(),
        status::at(kind == status_kind::singular ? status_kind::not_positive_definite : kind, 2));
  }
  if constexpr (is_complex<T>) {
    matrix<T> A = I;
    A(1, 1) = T(1, 2);
    EXPECT_EQ(factored_cholesky(A).status(), status::at(status_kind::not_positive_definite, 1));
  }
}

}  // namespace
}  // namespace trifac::test
