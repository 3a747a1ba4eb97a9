// refine: LAPACK's ratios of dget07 and dpot05 for backward errors and forward bounds.

#include "trifac/refine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "support/dependent.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/condition.hpp"
#include "trifac/lu.hpp"
#include "trifac/solved.hpp"

namespace trifac::test {
namespace {

constexpr operation all_operations[] = {operation::none, operation::transpose, operation::adjoint};

template <class T>
class Refine : public testing::Test {};
TYPED_TEST_SUITE(Refine, lapack_scalars, scalar_names);

/// Solves for a random X, disturbs the solution, refines it: the error is within its bound, and the
/// backward error is a rounding. dget07's ratios, whose bound is 30; these are below 2. The bound
/// is about n·ε·‖A‖·‖A⁻¹‖ at most.
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
  const double condition =
      static_cast<double>(reciprocal_condition(f, norm_1(A.view()), norm_kind::one));
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
    EXPECT_TRUE(within(bound * condition / (double(n) * eps), 100)) << "too large";
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

/// Rows where |b| + |A|·|x| is 0, or has few terms: the diagonal, two blocks, a triangle.
TYPED_TEST(Refine, ExactSolutionsHaveErrorZeroAndAreLeftAlone) {
  using T = TypeParam;
  using R = real_t<T>;
  enum { diagonal, blocks, lower, shapes };
  for (index_t n : {1, 2, 9, 40, 130})
    for (int shape = 0; shape < shapes; ++shape) {
      matrix<T> A(n, n), exact(n, 4);  // the last column is 0
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i) {
          const bool same_block = (i < n / 2) == (j < n / 2);
          if (i == j)
            A(i, j) = T(4);
          else if (shape == blocks ? same_block && std::abs(i - j) == 1
                                   : shape == lower && i == j + 1)
            A(i, j) = T(1);
        }
      exact(0, 0) = T(2);
      exact(n - 1, 1) = T(R(-0.5));
      for (index_t i = 0; i < n; ++i) exact(i, 2) = T(static_cast<R>(i % 3));
      const auto expect = [&](const auto& f, const auto& stored, operation op) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", shape " << shape);
        const matrix<T> B = product<T>(applied<T>(op, A), exact);
        matrix<T> X = exact;
        const auto found = try_refine(stored, f, B, X, op);
        ASSERT_TRUE(found) << found.status().message();
        EXPECT_EQ(found.backward_errors, std::vector<R>(4));
        EXPECT_EQ(found.steps, 0);
        EXPECT_TRUE(same_bits(X.view(), exact.view()));
        const R few = 64 * static_cast<R>(n + 1) * std::numeric_limits<R>::epsilon();
        for (R bound : found.forward_bounds) EXPECT_TRUE(bound < few) << bound;
        EXPECT_EQ(found.forward_bounds[3], R(0));
      };
      for (layout where : padded_layouts)
        for (operation op : all_operations) {
          placed_matrix<T> stored(A, where);
          expect(lu(matrix<T>(A)), stored.view(), op);
          for (triangle part : {triangle::lower, triangle::upper})
            if (shape != lower) expect(cholesky(matrix<T>(A), {.part = part}), stored.view(), op);
        }
    }
}

/// A·2^p and B·2^q, X therefore ·2^(q−p): where |b| + |A|·|x| overflows, and where its terms, or
/// residuals, are subnormal. Errors, bounds and steps are those of A and B.
TYPED_TEST(Refine, HugeAndTinyNumbersAreMeasuredAsOthers) {
  using T = TypeParam;
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  random_source random(645);
  const int most = limits::max_exponent, least = limits::min_exponent, digits = limits::digits;
  struct powers {
    int of_A, of_B;
  };
  for (index_t n : {1, 4, 60})
    for (powers by : {powers{most - 1, most - 1},
                      {8, most - 1},
                      {most / 2, most - 1},
                      {0, least + 4},
                      {least + digits + 4, least + digits + 4},
                      {least / 2, least + 4},
                      {most - 4, 8}}) {
      const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 2);
      matrix<T> scaled = A, right = B;
      for (index_t i = 0; i < n; ++i) {  // 1/256: the diagonal, 2n, is below 1
        for (index_t j = 0; j < n; ++j) scaled(i, j) *= std::ldexp(R(1) / 256, by.of_A);
        for (index_t j = 0; j < 2; ++j) right(i, j) *= std::ldexp(R(1), by.of_B);
      }
      const auto expect = [&](const auto& f, const auto& of_scaled, operation op) {
        SCOPED_TRACE(testing::Message()
                     << "n = " << n << ", A 2^" << by.of_A << ", B 2^" << by.of_B);
        matrix<T> X = solved(f, B, op), Y = solved(of_scaled, right, op);
        for (index_t j = 0; j < 2; ++j) {
          X(0, j) *= T(R(1.0009765625));
          Y(0, j) *= T(R(1.0009765625));
        }
        const auto found = try_refine(A, f, B, X, op);
        const auto same = try_refine(scaled, of_scaled, right, Y, op);
        ASSERT_TRUE(same) << same.status().message();
        for (std::size_t j = 0; j < 2; ++j) {
          const double eps = static_cast<double>(unit_roundoff<T>);
          EXPECT_TRUE(within(static_cast<double>(same.backward_errors[j]) / eps, double(n) + 2));
          const R ratio = same.forward_bounds[j] / found.forward_bounds[j];
          EXPECT_TRUE(ratio > R(0.1) && ratio < R(10)) << ratio;
        }
      };
      for (operation op : all_operations) {
        expect(lu(matrix<T>(A)), lu(matrix<T>(scaled)), op);
        for (triangle part : {triangle::lower, triangle::upper})
          expect(cholesky(matrix<T>(A), {.part = part}),
                 cholesky(matrix<T>(scaled), {.part = part}), op);
      }
    }
}

TYPED_TEST(Refine, WrongSolutionsAtTheEndsOfTheRange) {
  using T = TypeParam;
  using R = real_t<T>;
  const R large = std::numeric_limits<R>::max() * R(0.9),
          tiny = std::numeric_limits<R>::denorm_min();
  matrix<T> I(2, 2), b(2, 1), x(2, 1);
  for (index_t k = 0; k < 2; ++k) I(k, k) = T(1);
  const auto expect = [&](const auto& f, T right, T start) {
    b(0, 0) = right;
    x(0, 0) = start;
    b(1, 0) = x(1, 0) = T(1);
    const auto found = try_refine(I, f, b, x);
    ASSERT_TRUE(found) << found.status().message();
    EXPECT_EQ(x(0, 0), right);
    EXPECT_EQ(found.steps, 1);
    EXPECT_EQ(found.backward_errors[0], R(0));
    EXPECT_TRUE(std::isfinite(found.forward_bounds[0]));
  };
  const auto f = lu(matrix<T>(I));
  const auto g = cholesky(matrix<T>(I));
  for (const auto& [right, start] : {std::pair(large, large / 2),
                                     {large / 2, large},
                                     {large, -tiny},
                                     {2 * tiny, tiny},
                                     {tiny, -tiny}}) {
    expect(f, T(right), T(start));
    expect(g, T(right), T(start));
    if constexpr (is_complex<T>) {
      expect(f, T(right, -right), T(start, -start));
      expect(g, T(right, -right), T(start, -start));
    }
  }
  // A residual that overflows itself.
  b(0, 0) = T(large);
  x(0, 0) = T(-large);
  EXPECT_EQ(try_refine(I, f, b, x).status(), status::at(status_kind::not_finite, 0));
  EXPECT_EQ(x(0, 0), T(-large));
}

// dpot05 and dget07 for matrices that hide what makes them ill-conditioned, beside solutions in
// long double.
TYPED_TEST(Refine, BoundsHoldWhereAFewVariablesDependOnEachOther) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(646);
  for (dependence of : all_dependences)
    for (int trial = 0; trial < 12; ++trial) {
      const double small = std::exp2(std::is_same_v<R, float> ? -4 - trial / 2 : -18 - trial);
      const matrix<T> A = dependent_matrix<T>(of, random, small);
      const matrix<T> b = product<T>(A, random_matrix<T>(random, A.rows(), 1));
      const auto exact = long_solution(A, b);
      SCOPED_TRACE(testing::Message()
                   << "kind " << int(of) << ", n = " << A.rows() << ", " << small);
      const auto expect = [&](const auto& f) {
        ASSERT_TRUE(f) << f.status().message();
        matrix<T> x = solved(f, b);
        const auto found = refine(A, f, b, x);
        double error = 0, size = 0;
        for (index_t i = 0; i < A.rows(); ++i) {
          error = maximum(error, double(detail::pivot_size(long_t<T>(x(i, 0)) - exact(i, 0))));
          size = maximum(size, double(detail::pivot_size(x(i, 0))));
        }
        EXPECT_TRUE(within(error / size / double(found.forward_bounds[0]), 2));
      };
      matrix<T> stored = A;
      is_definite(of) ? expect(cholesky(stored)) : expect(lu(stored));
    }
}

/// Aᵀ = conj(A)ᴴ: both bounds are those of one system. The estimator finds the largest row of
/// |A⁻ᵀ|·diag(w) by products with conj(A)⁻¹, not by those with A⁻ᵀ.
TYPED_TEST(Refine, BoundsOfTransposedSystems) {
  using T = TypeParam;
  using R = real_t<T>;
  const index_t n = 24;
  const R large(1000), small(50);
  matrix<T> A(n, n), C(n, n), b(n, 1);
  for (index_t i = 0; i < n; ++i) A(i, i) = T(R(1));
  for (index_t i = 4; i < n; ++i) {
    T unit(R(1));
    if constexpr (is_complex<T>)
      if (i % 2) unit = T(R(0), R(1));
    A(i, 0) = -large * unit;
    A(i, 1) = A(i, 2) = i == 4 ? T(-small * R(n - 4)) : T(R(-0.001) * small * unit);
    A(3, i) = T(R(i % 4 < 2 ? 1 : -1));
    b(i, 0) = T(large) * A(3, i) + T(R(0.37) * R((i * 7) % 5 - 2));
  }
  b(3, 0) = T(large);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) C(i, j) = detail::conjugate(A(i, j));
  const auto bound_of = [&](const matrix<T>& M, operation op) {
    matrix<T> stored = M;
    const auto f = lu(stored);
    matrix<T> x = solved(f, b, op);
    return double(refine(M, f, b, x, op).forward_bounds[0]);
  };
  const double one = bound_of(A, operation::transpose), other = bound_of(C, operation::adjoint);
  EXPECT_TRUE(within(one / other, 1.01));
  EXPECT_TRUE(within(other / one, 1.01));
}

TYPED_TEST(Refine, WithoutRowsEachRightHandSideHasItsNumbers) {
  using T = TypeParam;
  using R = real_t<T>;
  matrix<T> A, X(0, 3);
  const auto found = try_refine(A, lu(matrix<T>()), matrix<T>(0, 3), X);
  EXPECT_TRUE(found) << found.status().message();
  EXPECT_EQ(found.backward_errors, std::vector<R>(3));
  EXPECT_EQ(found.forward_bounds, std::vector<R>(3));
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
  const auto half = try_refine(A, f, B, Y);
  EXPECT_EQ(half.status(), status::at(status_kind::not_finite, 1));
  EXPECT_LE(half.backward_errors[0], unit_roundoff<T>);
  EXPECT_NE(half.backward_errors[1], half.backward_errors[1]) << "NaN: not measured";
  EXPECT_NE(half.forward_bounds[1], half.forward_bounds[1]);
  EXPECT_THROW(static_cast<void>(refine(copy, f, B, Y)), numerical_error);
}

}  // namespace
}  // namespace trifac::test
