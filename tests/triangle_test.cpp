// One triangle: the inverse in all layouts, in place and out of place, norms, condition numbers;
// zeros on the diagonal, NaN and infinities, the arguments.

#include "trifac/triangle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/nests.hpp"

namespace trifac::test {
namespace {

template <class T>
class Triangle : public testing::Test {};
TYPED_TEST_SUITE(Triangle, lapack_scalars, scalar_names);

/// A triangle that is not ill-conditioned, with other numbers in the other triangle.
template <class T>
matrix<T> random_triangle(random_source& random, index_t n) {
  matrix<T> A = random_matrix<T>(random, n, n);
  for (index_t j = 0; j < n; ++j) {
    for (index_t i = 0; i < n; ++i) A(i, j) = A(i, j) / real_t<T>(n);
    A(j, j) = A(j, j) + T(2);
  }
  return A;
}

template <class T>
testing::AssertionResult inverts(const triangular_view<T>& A) {
  const matrix<T> dense = A.dense(), X = inverse(A);
  return within(inverse_ratio<T>(dense.view(), X.view()));
}

constexpr triangle parts[] = {triangle::lower, triangle::upper};
constexpr diagonal diagonals[] = {diagonal::non_unit, diagonal::unit};

TYPED_TEST(Triangle, InverseInAllLayouts) {
  using T = TypeParam;
  random_source random(4301);
  for (index_t n : {0, 1, 2, 9, 63, 64, 65, 130, 270}) {
    const matrix<T> A = random_triangle<T>(random, n);
    for (triangle part : parts)
      for (diagonal diag : diagonals) {
        const triangular_view<T> view(A.view(), part, diag);
        const matrix<T> dense = view.dense(), X = inverse(view);
        SCOPED_TRACE(testing::Message() << n << (part == triangle::lower ? " lower" : " upper")
                                        << (diag == diagonal::unit ? ", unit" : ""));
        EXPECT_TRUE(n == 0 || within(inverse_ratio<T>(dense.view(), X.view())));
        for_each_team([&](const auto& team, const std::string& name) {
          const matrix<T> Y = inverse(team, view);
          EXPECT_TRUE(same_bits(Y.view(), X.view())) << name;
        });
        for (layout where : n < 100 ? std::vector(all_layouts.begin(), all_layouts.end())
                                    : std::vector(padded_layouts.begin(), padded_layouts.end())) {
          SCOPED_TRACE(to_string(where));
          // In place, and out of place into memory with other numbers outside the triangle.
          placed_matrix<T> stored(A, where), target(A, where);
          const triangular_view<T> placed(stored.view(), part, diag);
          ASSERT_TRUE(try_inverse(placed, target.view()).ok());
          EXPECT_TRUE(stored.untouched());
          ASSERT_TRUE(try_inverse(placed, stored.view()).ok());
          EXPECT_TRUE(stored.guards_untouched());
          EXPECT_TRUE(same_bits(std::as_const(stored).view(), std::as_const(target).view()));
          for (index_t j = 0; j < n; ++j)
            for (index_t i = 0; i < n; ++i) {
              const bool outside = part == triangle::lower ? i < j : i > j;
              if (outside || (i == j && diag == diagonal::unit)) {
                ASSERT_TRUE(same_element(stored.view()(i, j), A(i, j)));
              }
            }
          const matrix<T> copy(stored.view());
          const matrix<T> found = triangular_view<T>(copy.view(), part, diag).dense();
          EXPECT_TRUE(n == 0 || within(inverse_ratio<T>(dense.view(), found.view())));
        }
      }
  }
}

TYPED_TEST(Triangle, OfFactors) {
  using T = TypeParam;
  random_source random(4302);
  const index_t n = 40;
  const matrix<T> A = random_spd<T>(random, n), G = random_matrix<T>(random, n, n);
  for (triangle part : parts) {
    const auto f = cholesky(matrix<T>(A), {.part = part});
    EXPECT_TRUE(inverts(f.L()) && inverts(f.U()));
    for (const auto& L : {f.L(), f.U()}) {
      const real_t<T> exact = real_t<T>(1) / norm(inverse(L)) / norm(L),
                      found = reciprocal_condition(L);
      EXPECT_GE(found, exact * real_t<T>(0.9));
      EXPECT_LE(found, exact * real_t<T>(10));
    }
  }
  const auto f = lu(matrix<T>(G));
  EXPECT_TRUE(inverts(f.L()) && inverts(f.U()));
  const auto wide = lu(random_matrix<T>(random, 5, 9));
  EXPECT_GE(norm(wide.L(), norm_kind::max), real_t<T>(1));
  matrix<T> not_square(5, 9);
  EXPECT_EQ(try_inverse(wide.U(), not_square).kind(), status_kind::invalid_argument);
  const auto tall = lu(random_matrix<T>(random, 9, 5));
  EXPECT_THROW(static_cast<void>(inverse(tall.L())), argument_error);
  // A factor that failed, and an empty one.
  matrix<T> zero(3, 3), X(3, 3);
  const auto failed = cholesky(std::move(zero));
  EXPECT_EQ(try_inverse(failed.L(), X), failed.status());
  real_t<T> value(7);
  EXPECT_EQ(try_reciprocal_condition(failed.L(), norm_kind::one, value), failed.status());
  EXPECT_EQ(value, real_t<T>(7));
  EXPECT_THROW(static_cast<void>(norm(failed.L())), numerical_error);
  const cholesky_factor<T> empty;
  EXPECT_THROW(static_cast<void>(inverse(empty.L())), argument_error);
}

/// With diagonal::unit the diagonal of X is neither read nor written, of conjugated views, too.
TYPED_TEST(Triangle, UnitDiagonalsAreLeftAlone) {
  using T = TypeParam;
  random_source random(4307);
  const index_t n = 12;
  const matrix<T> A = random_triangle<T>(random, n);
  const T nan = T(std::numeric_limits<real_t<T>>::quiet_NaN());
  for (triangle part : parts)
    for (const operand<T>& elements : {operand<T>(A.view()), adjoint(A.view())}) {
      matrix<T> X(n, n);
      for (index_t k = 0; k < n; ++k) X(k, k) = nan;
      const triangular_view<T> view(elements, part, diagonal::unit);
      ASSERT_TRUE(try_inverse(view, X).ok());
      for (index_t k = 0; k < n; ++k) EXPECT_TRUE(same_element(X(k, k), nan));
      const matrix<T> dense = view.dense(),
                      found = triangular_view<T>(X.view(), part, diagonal::unit).dense();
      EXPECT_TRUE(within(inverse_ratio<T>(dense.view(), found.view())));
    }
}

TYPED_TEST(Triangle, ZerosAndNumbersThatAreNotFinite) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(4303);
  const index_t n = 70;
  const matrix<T> A = random_triangle<T>(random, n);
  for (triangle part : parts)
    for (index_t k : {index_t{0}, index_t{20}, n - 1}) {
      SCOPED_TRACE(k);
      placed_matrix<T> stored(A, layout::padded);
      stored.view()(k, k) = T(0);
      const matrix<T> before(stored.view());
      const triangular_view<T> view(stored.view(), part);
      EXPECT_EQ(try_inverse(view, stored.view()), status::at(status_kind::singular, k));
      EXPECT_TRUE(same_bits(std::as_const(stored).view(), before.view()));
      EXPECT_EQ(reciprocal_condition(view), R(0));
      matrix<T> Y(n, n);
      EXPECT_TRUE(try_inverse(triangular_view<T>(stored.view(), part, diagonal::unit), Y).ok());
      for (R value : {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity()}) {
        matrix<T> B = A, X(n, n);
        B(k, k) = T(value);
        EXPECT_EQ(try_inverse(triangular_view<T>(B.view(), part), X),
                  status::at(status_kind::not_finite, k));
        R condition(7);
        EXPECT_EQ(
            try_reciprocal_condition(triangular_view<T>(B.view(), part), norm_kind::one, condition)
                .kind(),
            status_kind::not_finite);
        EXPECT_EQ(condition, R(7));
        for (norm_kind kind :
             {norm_kind::one, norm_kind::infinity, norm_kind::max, norm_kind::frobenius}) {
          const R found = norm(triangular_view<T>(B.view(), part), kind);
          EXPECT_TRUE(value == value ? found == value : found != found);
        }
        // Off the diagonal: x_ic for all c ≤ j of a lower triangle, c ≥ j of an upper one.
        matrix<T> C = A;
        const index_t other = k == n - 1 ? 0 : n - 1;
        const index_t i = part == triangle::lower ? std::max(k, other) : std::min(k, other),
                      j = part == triangle::lower ? std::min(k, other) : std::max(k, other);
        C(i, j) = T(value);
        EXPECT_EQ(try_inverse(triangular_view<T>(C.view(), part), X),
                  status::at(status_kind::not_finite, part == triangle::lower ? 0 : j));
      }
    }
}

TYPED_TEST(Triangle, NormsAndCondition) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(4304);
  for (index_t m : {1, 2, 5, 64, 65, 140})
    for (index_t n : {index_t{1}, m, m + 3, index_t{70}}) {
      const matrix<T> A = random_matrix<T>(random, m, n);
      for (triangle part : parts)
        for (diagonal diag : diagonals)
          for (layout where : padded_layouts) {
            SCOPED_TRACE(testing::Message() << m << "×" << n << ", " << to_string(where));
            placed_matrix<T> stored(A, where);
            const triangular_view<T> view(stored.view(), part, diag);
            const matrix<T> dense = view.dense();
            for (norm_kind kind :
                 {norm_kind::one, norm_kind::infinity, norm_kind::max, norm_kind::frobenius}) {
              const R expected = norm(dense, kind), found = norm(view, kind);
              EXPECT_TRUE(std::abs(found - expected) <=
                          R(m + n) * std::numeric_limits<R>::epsilon() * expected);
            }
          }
    }
  for (index_t n : {1, 3, 8, 9, 60}) {
    const matrix<T> A = random_triangle<T>(random, n);
    for (triangle part : parts)
      for (diagonal diag : diagonals)
        for (norm_kind kind : {norm_kind::one, norm_kind::infinity}) {
          const triangular_view<T> view(A.view(), part, diag);
          const R exact = R(1) / norm(inverse(view), kind) / norm(view, kind),
                  found = reciprocal_condition(view, kind);
          EXPECT_GE(found, exact * R(0.9));
          EXPECT_LE(found, exact * R(10));
        }
  }
}

/// Frobenius norms and largest elements of general and Hermitian matrices; those whose squares
/// leave the range of the type, too.
TYPED_TEST(Triangle, NormsOfWholeMatrices) {
  using T = TypeParam;
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  random_source random(4305);
  for (index_t n : {1, 2, 7, 64, 65, 150}) {
    matrix<T> A = random_matrix<T>(random, n, n);
    for (index_t j = 0; j < n; ++j) A(j, j) = T(detail::real_part(A(j, j)));
    mirror_lower(A);
    long double sum = 0, most = 0;
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < n; ++i) {
        const auto size = static_cast<long double>(std::abs(A(i, j)));
        sum += size * size;
        most = std::max(most, size);
      }
    const R tolerance = R(n) * limits::epsilon();
    for (R scale : {R(1), limits::max() / R(n) / R(8), limits::min() / limits::epsilon()}) {
      matrix<T> B = A;
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i) B(i, j) = B(i, j) * scale;
      const auto check = [&](const R& found, long double expected) {
        EXPECT_TRUE(std::abs(found / scale - R(expected)) <= R(4) * tolerance * R(expected))
            << n << ": " << found << ", " << expected;
      };
      check(norm(B, norm_kind::frobenius), std::sqrt(sum));
      check(norm(B, norm_kind::max), most);
      placed_matrix<T> by_rows(B, layout::row_major_padded);
      check(norm(by_rows.view(), norm_kind::frobenius), std::sqrt(sum));
      check(norm(by_rows.view(), norm_kind::max), most);
      for (triangle part : parts) {
        placed_matrix<T> stored(B, layout::row_major_padded);
        check(norm(stored.view(), part, norm_kind::frobenius), std::sqrt(sum));
        check(norm(stored.view(), part, norm_kind::max), most);
      }
    }
    for (R bad : {limits::quiet_NaN(), limits::infinity()}) {
      matrix<T> B = A;
      B(n - 1, 0) = B(0, n - 1) = T(bad);
      for (norm_kind kind : {norm_kind::max, norm_kind::frobenius}) {
        for (R found : {norm(B, kind), norm(B, triangle::lower, kind)})
          EXPECT_TRUE(bad == bad ? found == bad : found != found);
      }
    }
  }
  const auto f = cholesky(random_spd<T>(random, 3), {.norm = true});
  EXPECT_TRUE(std::isnan(f.norm(norm_kind::frobenius)));
  EXPECT_THROW(static_cast<void>(reciprocal_condition(f, R(1), norm_kind::frobenius)),
               argument_error);
  EXPECT_EQ(norm(matrix<T>(0, 4), norm_kind::frobenius), R(0));
}

TYPED_TEST(Triangle, Arguments) {
  using T = TypeParam;
  matrix<T> A(4, 4), X(4, 4);
  for (index_t k = 0; k < 4; ++k) A(k, k) = T(1);
  const auto lower = [](auto view) { return triangular_view<T>(view, triangle::lower); };
  const auto expect = [&](const status& s, const char* argument) {
    EXPECT_EQ(s.kind(), status_kind::invalid_argument);
    EXPECT_STREQ(s.argument(), argument);
  };
  expect(try_inverse(lower(A.view().block(0, 0, 4, 3)), X), "triangle");
  expect(try_inverse(lower(A.view()), X.view().block(0, 0, 3, 4)), "X");
  expect(try_inverse(lower(A.view().block(0, 0, 3, 3)), A.view().block(1, 0, 3, 3)), "X");
  expect(try_inverse(backend::threads{.threads = -1}, lower(A.view()), X), "backend.threads");
  real_t<T> value(0);
  expect(try_reciprocal_condition(lower(A.view()), norm_kind::max, value), "kind");
  expect(try_reciprocal_condition(lower(A.view().block(0, 0, 4, 3)), norm_kind::one, value),
         "triangle");
  // The transpose shares the diagonal.
  expect(try_inverse(lower(A.view()), A.view().transposed()), "X");
  EXPECT_EQ(reciprocal_condition(lower(A.view().block(0, 0, 0, 0))), real_t<T>(1));
}

TEST(Triangle, OfOtherScalarTypes) {
  random_source random(4306);
  const index_t n = 70;
  const auto A = random_triangle<long double>(random, n);
  const triangular_view<long double> view(A.view(), triangle::upper);
  EXPECT_TRUE(inverts(view));
  EXPECT_GT(reciprocal_condition(view), 0);
}

}  // namespace
}  // namespace trifac::test
