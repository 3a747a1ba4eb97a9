// refine: LAPACK's ratios of dget07 and dpot05 for backward errors and forward bounds.

#include "trifac/refine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/solved.hpp"

namespace trifac::test {
namespace {

constexpr operation all_operations[] = {operation::none, operation::transpose, operation::adjoint};

template <class T>
class Refine : public testing::Test {};
TYPED_TEST_SUITE(Refine, lapack_scalars, scalar_names);

/// Solves for a random X, disturbs the solution, refines it: the error is within its bound, and the
/// backward error is a rounding. dget07's ratios, whose bound is 30; these are below 2.
template <class T, class Factor, class B>
void expect_refined(const B& backend, matrix_view<const T> stored, const matrix<T>& A,
                    const Factor& f, operation op) {
  random_source random(641);
  const index_t n = A.rows(), columns = 3;
  const matrix<T> op_A = applied<T>(op, A), exact = random_matrix<T>(random, n, columns);
  const matrix<T> right = product<T>(op_A, exact);
  placed_matrix<T> X(solved(f, right, op), layout::padded);
  for (index_t j = 0; j < columns; ++j) X.view()(j % n, j) *= T(real_t<T>(1.0009765625));
  const auto found = try_refine(backend, stored, f, right, X.view(), op);
  ASSERT_TRUE(found) << found.status().message();
  EXPECT_TRUE(X.guards_untouched());
  for (index_t j = 0; j < columns; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const double eps = static_cast<double>(unit_roundoff<T>);
    const auto bound = static_cast<double>(found.forward_bounds[at]);
    EXPECT_TRUE(within(static_cast<double>(found.backward_errors[at]) / eps, double(n) + 2));
    double error = 0, size = 0;
    for (index_t i = 0; i < n; ++i) {
      error = maximum(error, double(detail::pivot_size(T(X.view()(i, j) - exact(i, j)))));
      size = maximum(size, double(detail::pivot_size(X.view()(i, j))));
    }
    EXPECT_TRUE(within(error / size / bound, 2)) << bound;  // sums of ε hold for right, too
  }
}

TYPED_TEST(Refine, LapacksTestMatrices) {
  using T = TypeParam;
  for (index_t n : {1, 5, 10, 50})
    for (int type = 1; type <= dge_types; ++type) {
      if (type >= 5 && type <= 7) continue;  // singular
      if (type >= 9) continue;               // no digit is right; overflow, underflow
      random_source random(1988);
      const matrix<T> A = dge_matrix<T>(type, random, n, n).A;
      const auto f = lu(matrix<T>(A));
      for (operation op : all_operations) {
        SCOPED_TRACE(testing::Message() << "type " << type << ", n = " << n);
        expect_refined<T>(backend::serial{}, A, A, f, op);
      }
    }
}

TYPED_TEST(Refine, ImaginaryPartsOfAHermitianDiagonalAreNotRead) {
  using T = TypeParam;
  if constexpr (is_complex<T>) {
    random_source random(644);
    const matrix<T> A = random_spd<T>(random, 70);
    for (triangle part : {triangle::lower, triangle::upper}) {
      matrix<T> B = A;
      for (index_t i = 0; i < 70; ++i) B(i, i) += T(0, 1000);
      const auto f = cholesky(matrix<T>(B), {.part = part});
      const matrix<T> right = random_matrix<T>(random, 70, 1);
      matrix<T> x = solved(f, right), y = x;
      const auto found = refine(A, f, right, x), same = refine(B, f, right, y);
      EXPECT_EQ(same.backward_errors, found.backward_errors);
      EXPECT_EQ(same.forward_bounds, found.forward_bounds);
    }
  }
}

TYPED_TEST(Refine, OfOneTriangleInEveryLayout) {
  using T = TypeParam;
  random_source random(642);
  for (index_t n : {1, 5, 63, 64, 130}) {
    const matrix<T> A = random_spd<T>(random, n);
    for (triangle part : {triangle::lower, triangle::upper})
      for (layout where : {layout::padded, layout::row_major_padded, layout::strided}) {
        placed_matrix<T> stored(n, n, where);
        stored.assign(A, in_triangle(part));  // the other triangle holds guards
        const auto f = cholesky(matrix<T>(A), {.part = part});
        for (operation op : all_operations) {
          SCOPED_TRACE(testing::Message() << to_string(where) << ", n = " << n);
          expect_refined<T>(backend::threads{.threads = 2}, stored.view(), A, f, op);
        }
      }
  }
}

TYPED_TEST(Refine, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  random_source random(643);
  const index_t n = 520;
  matrix<T> A = random_matrix<T>(random, n, n), B = random_matrix<T>(random, n, 2);
  const auto f = lu(matrix<T>(A));
  matrix<T> X(n, 2);
  const auto found = refine(A, f, B, X);
  for_each_team([&](const auto& team, const std::string& name) {
    matrix<T> Y(n, 2);
    const auto again = refine(team, A, f, B, Y);
    EXPECT_TRUE(same_bits(X.view(), Y.view())) << name;
    EXPECT_EQ(found.forward_bounds, again.forward_bounds) << name;
  });
}

TYPED_TEST(Refine, VectorsAndWrongArguments) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(644);
  const index_t n = 6;
  const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 2);
  const auto f = lu(matrix<T>(A));
  std::vector<T> b(static_cast<std::size_t>(n), T(1)), x(b.size());
  const auto found = refine(A, f, b, x);
  EXPECT_EQ(found.backward_errors.size(), 1u);
  EXPECT_GE(found.steps, 1);

  placed_matrix<T> X(B, layout::padded);
  const auto expect = [&](const status& s, const char* argument) {
    EXPECT_EQ(s.kind(), status_kind::invalid_argument);
    EXPECT_STREQ(s.argument(), argument) << s.message();
    EXPECT_TRUE(X.untouched());
  };
  const matrix<T> small(n - 1, n - 1);
  matrix<T> copy = A;
  expect(try_refine(small, f, B, X.view()).status(), "A");
  expect(try_refine(A, f, small, X.view()).status(), "B");
  expect(try_refine(A, f, B, X.view().block(0, 0, n - 1, 2)).status(), "X");
  expect(try_refine(A, f, X.view(), X.view()).status(), "X");
  matrix<T> in_place = A;  // nothing is left of A but its factor
  expect(try_refine(in_place, lu(in_place), B, X.view()).status(), "A");
  for (const triangle part : {triangle::lower, triangle::upper}) {
    in_place = A;
    expect(try_refine(in_place, cholesky(in_place, {.part = part}), B, X.view()).status(), "A");
  }
  expect(try_refine(A, lu_factor<T>(), B, X.view()).status(), "factor");
  expect(try_refine(A, f, B, X.view(), static_cast<operation>(9)).status(), "op");
  EXPECT_EQ(try_refine(A, lu(matrix<T>(n, n)), B, X.view()).status().kind(), status_kind::singular);
  copy(2, 3) = T(std::numeric_limits<R>::quiet_NaN());
  matrix<T> Y = B;
  EXPECT_EQ(try_refine(copy, f, B, Y).status(), status::at(status_kind::not_finite, 0));
  Y = B;
  Y(1, 1) = T(std::numeric_limits<R>::infinity());
  EXPECT_EQ(try_refine(A, f, B, Y).status(), status::at(status_kind::not_finite, 1));
  EXPECT_THROW(refine(copy, f, B, Y), numerical_error);
}

}  // namespace
}  // namespace trifac::test
