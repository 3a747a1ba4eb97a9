// equilibration: scales are powers of two that even out rows and columns, systems solved with them,
// and the matrices that have none.

#include "trifac/equilibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
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
  EXPECT_EQ(equilibration(column).status(), status::at(status_kind::singular, 5 + 2));
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
  if constexpr (!is_complex<T>) {
    matrix<T> B = A;
    EXPECT_STREQ(try_scale_rows(B, std::span<const R>(B.data(), 5)).argument(), "scales");
    EXPECT_EQ(B(4, 4), A(4, 4));
  }
  EXPECT_TRUE(equilibration(matrix<T>()));
}

TYPED_TEST(Equilibration, TouchesOneTriangleOfAHermitianMatrix) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(664);
  for (index_t n : {1, 2, 9})
    for (triangle part : {triangle::lower, triangle::upper})
      for (layout where : all_layouts) {
        matrix<T> A = random_spd<T>(random, n);
        for (index_t j = 0; j < n; ++j)
          for (index_t i = 0; i < n; ++i) A(i, j) *= power<R>(static_cast<int>(3 * (i + j)));
        const auto scales = equilibration_of_definite(A);
        placed_matrix<T> stored(A, where);
        stored.remember();
        equilibrate(stored.view(), scales, part);
        EXPECT_TRUE(stored.untouched_except(in_triangle(part)));
        equilibrate(A, scales);
        for (index_t j = 0; j < n; ++j)
          for (index_t i = 0; i < n; ++i)
            if (part == triangle::lower ? i >= j : i <= j) {
              EXPECT_EQ(stored.view()(i, j), A(i, j));
            }
      }
  matrix<T> A = random_spd<T>(random, 3), wide(3, 4);
  const auto scales = equilibration_of_definite(A);
  EXPECT_STREQ(try_equilibrate(wide, equilibration(random_matrix<T>(random, 3, 4)), triangle::lower)
                   .argument(),
               "A");
  EXPECT_STREQ(try_equilibrate(A, scales, triangle(7)).argument(), "part");
}

/// Also the types that LAPACK does not have.
template <class T>
class EquilibrationOfAnyRange : public testing::Test {};
using floating_scalars = testing::Types<float, double, long double, std::complex<float>,
                                        std::complex<double>, std::complex<long double>>;
TYPED_TEST_SUITE(EquilibrationOfAnyRange, floating_scalars, scalar_names);

/// x·2^exponent.
template <class T>
T shifted(const T& x, int exponent) {
  if constexpr (is_complex<T>)
    return T(std::ldexp(x.real(), exponent), std::ldexp(x.imag(), exponent));
  else
    return std::ldexp(x, exponent);
}

template <class R>
bool are_powers_of_two(const std::vector<R>& scales) {
  int exponent = 0;
  for (const R& scale : scales)
    if (!(std::isnormal(scale) && std::isnormal(1 / scale)) ||
        std::frexp(scale, &exponent) != R(0.5))
      return false;
  return true;
}

/// Whether the scales of A are powers of two with which no element of A overflows, no row exceeds
/// 2, and the largest element of each column is in [1, 2); rounding of |Re z| + |Im z| apart.
template <class T>
void expect_even(const matrix<T>& A, const std::string& name) {
  using R = real_t<T>;
  const auto scales = equilibration(A);
  ASSERT_TRUE(scales) << name << scales.status().message();
  EXPECT_TRUE(are_powers_of_two(scales.rows) && are_powers_of_two(scales.columns)) << name;
  matrix<T> E = A;
  equilibrate(E, scales);
  for (index_t j = 0; j < A.cols(); ++j) {
    R column(0);
    for (index_t i = 0; i < A.rows(); ++i)
      column = maximum(column, detail::pivot_size(E(i, j)));  // NaN where one is
    EXPECT_TRUE(column >= R(0.999) && column <= R(2)) << name << ", column " << j << ": " << column;
  }
}

TYPED_TEST(EquilibrationOfAnyRange, RowsAndColumnsOfAnySize) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(665);
  const int most = std::numeric_limits<R>::max_exponent - 3;
  for (auto [m, n] : {std::pair<index_t, index_t>(1, 1), {2, 2}, {7, 7}, {3, 20}, {20, 3}})
    for (int share : {8, 3, 2}) {  // rows and columns by as much as 2^(most / share) each way
      std::vector<int> rows, columns;
      const auto draw = [&] {
        return static_cast<int>(random.below(2 * (most / share))) - most / share;
      };
      for (index_t i = 0; i < m; ++i) rows.push_back(draw());
      for (index_t j = 0; j < n; ++j) columns.push_back(draw());
      matrix<T> A(m, n);
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < m; ++i)
          A(i, j) = shifted(random.uniform<T>(), rows[static_cast<std::size_t>(i)] +
                                                     columns[static_cast<std::size_t>(j)]);
      expect_even(
          A, std::to_string(m) + " by " + std::to_string(n) + ", " + std::to_string(share) + ": ");
    }
}

TYPED_TEST(EquilibrationOfAnyRange, ProductsBeyondTheRange) {
  using T = TypeParam;
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  const int large = limits::max_exponent - 4, small = -limits::max_exponent / 10;
  // The second column times the scale of a row is below the smallest number.
  matrix<T> A(2, 2);
  A(0, 0) = A(1, 0) = T(power<R>(large));
  A(0, 1) = T(power<R>(small));
  A(1, 1) = T(3 * power<R>(small));
  expect_even(A, "small: ");
  const auto scales = equilibration(A);
  EXPECT_EQ(scales.rows[0] * scales.columns[0], power<R>(-large));
  EXPECT_EQ(scales.rows[1] * scales.columns[1], power<R>(-small - 1));
  EXPECT_EQ(scales.largest, power<R>(large));
  EXPECT_TRUE(scales.is_worthwhile() == (scales.column_condition < R(0.1)));
  matrix<T> x(2, 1);
  for (index_t i = 0; i < 2; ++i) x(i, 0) = A(i, 0) + A(i, 1);  // that of (1, 1), but for rounding
  equilibrate(A, scales);
  EXPECT_EQ(A(0, 0), T(1));
  EXPECT_EQ(A(1, 1), T(1.5));
  if constexpr (LapackScalar<T>) {  // others need trifac/nests.hpp
    scale_rows(x, scales.rows);
    solve(lu(A), x);
    scale_rows(x, scales.columns);
    EXPECT_EQ(x(0, 0), T(1));
  }

  // Its largest element is subnormal in a row with the largest number: no scale reaches that.
  matrix<T> B(2, 2);
  B(0, 0) = T(limits::max());
  B(0, 1) = T(limits::denorm_min());
  B(1, 0) = T(1);
  const auto clamped = equilibration(B);
  ASSERT_TRUE(clamped) << clamped.status().message();
  EXPECT_TRUE(are_powers_of_two(clamped.rows) && are_powers_of_two(clamped.columns));
  equilibrate(B, clamped);
  EXPECT_TRUE(detail::pivot_size(B(0, 1)) > R(0));

  // Rows at both ends of the range, which no shift of all rows brings together.
  for (const R least : {limits::min() / 4, limits::denorm_min()}) {
    matrix<T> D(2, 2);
    D(0, 0) = T(limits::max());
    D(1, 1) = T(least);
    expect_even(D, "both ends: ");
  }

  if constexpr (is_complex<T>) {  // a finite number whose |Re| + |Im| overflows
    const R part = limits::max() * R(0.7);
    matrix<T> C(2, 2);
    C(0, 0) = T(part, -part);
    C(1, 1) = T(1);
    const auto found = equilibration(C);
    ASSERT_TRUE(found) << found.status().message();
    EXPECT_EQ(found.largest, limits::max());
    EXPECT_TRUE(found.row_condition > R(0) && found.row_condition < limits::min());
    equilibrate(C, found);
    EXPECT_TRUE(detail::pivot_size(C(0, 0)) >= R(1) && detail::pivot_size(C(0, 0)) < R(2));
    EXPECT_EQ(C(1, 1), T(1));
  }
}

TYPED_TEST(EquilibrationOfAnyRange, NumbersAtTheEnds) {
  using T = TypeParam;
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  for (R x :
       {limits::denorm_min(), limits::min(), R(1), R(3), R(limits::max() / 2), limits::max()}) {
    matrix<T> A(1, 1);
    A(0, 0) = T(x);
    const auto scales = equilibration(A), definite = equilibration_of_definite(A);
    ASSERT_TRUE(scales && definite);
    EXPECT_TRUE(are_powers_of_two(scales.rows) && are_powers_of_two(scales.columns));
    EXPECT_TRUE(are_powers_of_two(definite.rows));
    EXPECT_EQ(scales.largest, x);
    matrix<T> E = A, D = A;
    equilibrate(E, scales);
    equilibrate(D, definite);
    EXPECT_TRUE(std::abs(E(0, 0)) >= R(1) && std::abs(E(0, 0)) < R(2)) << x;
    EXPECT_TRUE(std::abs(D(0, 0)) >= R(0.999) && std::abs(D(0, 0)) < R(4.001)) << x;
  }
}

TYPED_TEST(EquilibrationOfAnyRange, TheStatusTellsRowsFromColumns) {
  using T = TypeParam;
  using limits = std::numeric_limits<real_t<T>>;
  random_source random(666);
  for (auto [m, n] : {std::pair<index_t, index_t>(4, 4), {3, 5}, {5, 3}}) {
    const matrix<T> A = random_matrix<T>(random, m, n);
    for (index_t i = 0; i < m; ++i) {
      matrix<T> zero = A, nan = A, infinite = A;
      for (index_t j = 0; j < n; ++j) zero(i, j) = T(0);
      nan(i, n - 1) = T(limits::quiet_NaN());
      infinite(i, 0) = T(-limits::infinity());
      EXPECT_EQ(equilibration(zero).status(), status::at(status_kind::singular, i));
      EXPECT_EQ(equilibration(nan).status(), status::at(status_kind::not_finite, i));
      EXPECT_EQ(equilibration(infinite).status(), status::at(status_kind::not_finite, i));
      EXPECT_TRUE(equilibration(nan).rows.empty() && equilibration(zero).columns.empty());
    }
    for (index_t j = 0; j < n; ++j) {
      matrix<T> zero = A;
      for (index_t i = 0; i < m; ++i) zero(i, j) = T(0);
      EXPECT_EQ(equilibration(zero).status(), status::at(status_kind::singular, m + j));
      zero(0, 0) = zero(0, n - 1) = T(0);
      EXPECT_EQ(equilibration(zero.view().transposed()).status(),
                status::at(status_kind::singular, j));
    }
  }
}

}  // namespace
}  // namespace trifac::test
