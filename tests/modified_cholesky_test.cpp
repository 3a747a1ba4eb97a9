// modified_cholesky: the matrices of the paper and its three random sets, the residual in all
// layouts, positive definite matrices, solves, NaN and infinities, the arguments.

#include "trifac/modified_cholesky.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/solved.hpp"

namespace trifac::test {
namespace {

template <class T>
class ModifiedCholesky : public testing::Test {};
using one_real_one_complex = testing::Types<float, std::complex<double>>;
TYPED_TEST_SUITE(ModifiedCholesky, one_real_one_complex, scalar_names);

template <class T>
matrix<T> with_E(matrix<T> A, const modified_cholesky_factor<T>& f) {
  for (index_t i = 0; i < A.rows(); ++i) A(i, i) += T(f.E()[static_cast<std::size_t>(i)]);
  return A;
}

/// ‖Pᵀ·(A + E)·P − L·Lᴴ‖₁ / (n·(‖A‖₁ + ‖E‖₁)·ε).
template <class T>
auto modified_ratio(const matrix<T>& A, const modified_cholesky_factor<T>& f) {
  const index_t n = A.rows();
  const auto order = f.permutation();
  const matrix<T> all = with_E(A, f);
  matrix<wide_t<T>> residual(n, n), L(n, n), adjoint_of_L(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) {
      const index_t row = order[static_cast<std::size_t>(i)];
      residual(i, j) = wide_t<T>(all(row, order[static_cast<std::size_t>(j)]));
      if (i >= j) L(i, j) = wide_t<T>(f.L()(i, j));
      if (i >= j) adjoint_of_L(j, i) = detail::conjugate(L(i, j));
    }
  subtract_product(residual, L, adjoint_of_L);
  return ratio_of<T>(norm_1(residual.view()), norm_1(A.view()) + f.norm_of_E(), n);
}

/// Eigenvalues uniform between the two, one of them negative.
template <class T>
matrix<T> with_spectrum(random_source& random, index_t n, double from, double to, double& least) {
  std::vector<real_t<T>> values;
  for (index_t i = 0; i < n; ++i)
    values.push_back(static_cast<real_t<T>>(from + (to - from) * (random.uniform() + 1) / 2));
  if (*std::min_element(values.begin(), values.end()) >= 0)
    values[0] = static_cast<real_t<T>>(from / 2);
  least = *std::min_element(values.begin(), values.end());
  return with_eigenvalues<T>(random, values);
}

/// ‖M‖₁·‖M⁻¹‖₁ of M = A + E.
template <class T>
double condition(const matrix<T>& M, const modified_cholesky_factor<T>& f) {
  matrix<T> inverse(M.rows(), M.rows());
  for (index_t i = 0; i < M.rows(); ++i) inverse(i, i) = T(1);
  solve(f, inverse);
  return static_cast<double>(norm_1(M.view()) * norm_1(inverse.view()));
}

TEST(ModifiedCholesky, MatricesOfThePapers) {
  const auto symmetric = [](index_t n, const std::vector<double>& rows) {
    matrix<double> A(n, n);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) A(i, j) = rows[static_cast<std::size_t>(i * n + j)];
    return A;
  };
  // Gill, Murray, Wright, Practical Optimization, 1981; its least eigenvalue is −2.2019.
  const matrix<double> A = symmetric(3, {1, 1, 2, 1, 1, 3, 2, 3, 1});
  const auto f = modified_cholesky(matrix<double>(A));
  ASSERT_TRUE(f.ok());
  EXPECT_EQ(f.phase_two(), 0);
  EXPECT_NEAR(f.E()[0], 2, 1e-12);
  EXPECT_NEAR(f.E()[1], 2.2197, 1e-4);
  EXPECT_NEAR(f.E()[2], 2.2197, 1e-4);
  EXPECT_EQ(f.norm_of_E(), f.E()[2]);
  EXPECT_TRUE(within(modified_ratio(A, f)));
  // Schnabel, Eskow 1999, on which their algorithm of 1990 adds 2.73·10³; eigenvalues −0.378,
  // −0.343, −0.248, 8.24·10³.
  const matrix<double> B = symmetric(4, {1890.3, -1705.6, -315.8, 3000.3,  //
                                         -1705.6, 1538.3, 284.9, -2706.6,  //
                                         -315.8, 284.9, 52.5, -501.2,      //
                                         3000.3, -2706.6, -501.2, 4760.8});
  const auto g = modified_cholesky(matrix<double>(B));
  ASSERT_TRUE(g.ok());
  EXPECT_EQ(g.phase_two(), 1);
  EXPECT_EQ(g.E()[3], 0);
  EXPECT_GT(g.norm_of_E(), 0.378);
  EXPECT_LT(g.norm_of_E(), 0.7);
  EXPECT_TRUE(within(modified_ratio(B, g)));
  // The same source: singular, so E is what makes a pivot safe.
  const matrix<double> C = symmetric(6, {14.8253, -6.4243, 7.8746,   -1.2498,  10.2733, 10.2733,  //
                                         -6.4243, 15.1024, -1.1155,  -0.2761,  -8.2117, -8.2117,  //
                                         7.8746,  -1.1155, 51.8519,  -23.3482, 12.5902, 12.5902,  //
                                         -1.2498, -0.2761, -23.3482, 22.7967,  -9.8958, -9.8958,  //
                                         10.2733, -8.2117, 12.5902,  -9.8958,  21.0656, 21.0656,  //
                                         10.2733, -8.2117, 12.5902,  -9.8958,  21.0656, 21.0656});
  const auto h = modified_cholesky(matrix<double>(C));
  ASSERT_TRUE(h.ok());
  EXPECT_GT(h.norm_of_E(), 0);
  EXPECT_LT(h.norm_of_E(), 1e-3);
  EXPECT_TRUE(within(modified_ratio(C, h)));
}

/// The three sets of the paper: how much larger E is than it must be, and the condition of A + E.
TYPED_TEST(ModifiedCholesky, EIsSmallAndTheConditionGood) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(2101);
  struct set {
    double from, to;
  };
  for (const set& s : {set{-1, 1}, set{-1, 1e4}, set{-1e4, -1}})
    for (index_t n : {25, 75}) {
      SCOPED_TRACE(testing::Message() << s.from << ", " << s.to << ", n = " << n);
      double least = 0;
      const matrix<T> A = with_spectrum<T>(random, n, s.from, s.to, least);
      const auto f = modified_cholesky(matrix<T>(A));
      ASSERT_TRUE(f.ok()) << f.status().message();
      EXPECT_TRUE(within(modified_ratio(A, f)));
      EXPECT_TRUE(std::all_of(f.E().begin(), f.E().end(), [](const R& e) { return e >= 0; }));
      const double E = static_cast<double>(f.norm_of_E());
      EXPECT_GE(E, -least * 0.9);  // the eigenvalues are those of A to rounding errors of 10⁴
      // The nearly definite ones have all columns but the last ones in phase one.
      EXPECT_LE(E / -least, s.to > 1 ? static_cast<double>(n) : 5.5);
      // τ̄ bounds the pivots from below.
      const double eps = static_cast<double>(std::numeric_limits<R>::epsilon());
      EXPECT_LT(condition(with_E(A, f), f), static_cast<double>(10 * n) * std::pow(eps, -2.0 / 3));
      if (f.phase_two() > 0) continue;
      // Theorem 5.1 of 1990: the Gershgorin bound, where phase one did nothing.
      double bound = 0, gamma = 0;
      for (index_t i = 0; i < n; ++i) {
        double below = static_cast<double>(-detail::real_part(A(i, i)));
        gamma = std::max(gamma, std::abs(below));
        for (index_t j = 0; j < n; ++j)
          if (j != i) below += static_cast<double>(std::abs(A(i, j)));
        bound = std::max(bound, below);
      }
      const double tau = std::cbrt(eps);
      EXPECT_LE(E, bound + 2 * tau / (1 - tau) * (bound + gamma));
    }
}

TYPED_TEST(ModifiedCholesky, ResidualInAllLayouts) {
  using T = TypeParam;
  random_source random(2102);
  for (index_t n : {0, 1, 2, 3, 9, 64, 65, 66, 130})
    for (double from : {-1.0, -0.01, -100.0}) {
      double least = 0;
      const matrix<T> A = n == 0 ? matrix<T>() : with_spectrum<T>(random, n, from, 1, least);
      for (triangle part : {triangle::lower, triangle::upper})
        for (layout where : all_layouts) {
          SCOPED_TRACE(testing::Message() << "n = " << n << ", " << to_string(where));
          placed_matrix<T> placed(A, where);
          const auto f = modified_cholesky(placed.view(), {.part = part});
          ASSERT_TRUE(f.ok()) << f.status().message();
          EXPECT_TRUE(placed.untouched_except(in_triangle(part)));
          if (n > 0) {
            ASSERT_TRUE(within(modified_ratio(A, f)));
          }
          EXPECT_EQ(f.norm_of_E() > 0, f.phase_two() < n);
        }
    }
}

TYPED_TEST(ModifiedCholesky, PositiveDefiniteMatricesStayAndSolvesAreThoseOfAPlusE) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(2103);
  for (index_t n : {7, 100})
    for (bool definite : {true, false})
      for (triangle part : {triangle::lower, triangle::upper}) {
        double least = 0;
        const matrix<T> A =
            definite ? random_spd<T>(random, n) : with_spectrum<T>(random, n, -1, 1, least);
        matrix<T> stored = A;
        const auto f = modified_cholesky(stored, {.part = part});
        ASSERT_TRUE(f.ok());
        EXPECT_EQ(f.norm_of_E() == R(0), definite);
        if (definite) {
          EXPECT_EQ(f.phase_two(), n);
        }
        const matrix<T> B = random_matrix<T>(random, n, 3), M = with_E(A, f);
        matrix<T> X = B;
        solve(f, X);
        EXPECT_TRUE(within(solve_ratio<T>(M, X, B)));
        EXPECT_TRUE(same_bits(X.view(), matrix_view<const T>(solved(f, B))));
        X = B;
        solve(backend::threads{.threads = 2}, f, X, operation::transpose);
        matrix<T> transposed(M.view().transposed());
        EXPECT_TRUE(within(solve_ratio<T>(transposed, X, B)));
        placed_matrix<T> few(matrix<T>(n + 1, 1), layout::padded);
        EXPECT_STREQ(try_solve(f, few.view()).argument(), "B");
        EXPECT_TRUE(few.untouched());
      }
}

TYPED_TEST(ModifiedCholesky, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  random_source random(2104);
  // Phase one takes the definite block, and phase two begins within a panel.
  const index_t definite = 60, n = 200;
  double least = 0;
  matrix<T> A(n, n);
  const matrix<T> first = random_spd<T>(random, definite),
                  second = with_spectrum<T>(random, n - definite, -1, 1, least);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) {
      if (i < definite && j < definite) A(i, j) = first(i, j);
      if (i >= definite && j >= definite) A(i, j) = second(i - definite, j - definite);
    }
  const auto f = modified_cholesky(matrix<T>(A), {.block = 24});
  EXPECT_EQ(f.phase_two(), definite);
  for_each_team([&](const auto& team, const std::string& name) {
    const auto g = modified_cholesky(team, matrix<T>(A), {.block = 24});
    EXPECT_EQ(g.E(), f.E()) << name;
    EXPECT_TRUE(same_bits(g.matrix(), f.matrix())) << name;
  });
}

TYPED_TEST(ModifiedCholesky, SpecialMatrices) {
  using T = TypeParam;
  using R = real_t<T>;
  for (index_t n : {1, 2, 3, 70})
    for (R value : {R(0), R(-1), R(1e-20), R(1e20)})
      for (R off : {R(0), value, R(1)}) {
        SCOPED_TRACE(testing::Message() << n << ": " << value << ", " << off);
        matrix<T> A(n, n);
        for (index_t j = 0; j < n; ++j)
          for (index_t i = 0; i < n; ++i) A(i, j) = T(i == j ? value : off);
        const auto f = modified_cholesky(matrix<T>(A));
        ASSERT_TRUE(f.ok()) << f.status().message();
        for (index_t i = 0; i < n; ++i) ASSERT_GT(detail::real_part(f.L()(i, i)), R(0)) << i;
        EXPECT_TRUE(within(modified_ratio(A, f)));
      }
}

TYPED_TEST(ModifiedCholesky, PivotsOfDenormalMatricesAreNormal) {
  using T = TypeParam;
  using R = real_t<T>;
  const R size = 8 * std::numeric_limits<R>::denorm_min();
  for (const std::vector<R>& signs : {std::vector<R>{1}, {-1}, {1, -1}, {1, -1, 1}, {1, 1, 1, -1}})
    for (R off : {R(0), size, 4 * size}) {
      const auto n = static_cast<index_t>(signs.size());
      SCOPED_TRACE(testing::Message() << n << ": " << signs.back() << ", " << off);
      matrix<T> A(n, n), X(n, 1);
      for (index_t j = 0; j < n; ++j) {
        X(j, 0) = T(1);
        for (index_t i = 0; i < n; ++i)
          A(i, j) = T(i == j ? size * signs[static_cast<std::size_t>(i)] : off);
      }
      const auto f = modified_cholesky(matrix<T>(A));
      ASSERT_TRUE(f.ok()) << f.status().message();
      for (index_t i = 0; i < n; ++i) ASSERT_GT(detail::real_part(f.L()(i, i)), R(0)) << i;
      EXPECT_TRUE(within(modified_ratio(A, f)));
      ASSERT_TRUE(try_solve(f, X));
      for (index_t i = 0; i < n; ++i) EXPECT_TRUE(detail::is_finite(X(i, 0))) << i;
    }
}

// Of which the sum of two diagonal elements overflows: as the same matrix of ordinary size.
TYPED_TEST(ModifiedCholesky, LastColumnsNearTheLargestNumber) {
  using T = TypeParam;
  using R = real_t<T>;
  for (const R corner : {R(0.9), R(0.6)})
    for (const R off : {R(0.9), R(0.1)}) {
      const auto modified = [&](const R& size) {
        matrix<T> A(2, 2);
        A(0, 0) = T(R(0.95) * size);
        A(1, 0) = A(0, 1) = T(off * size);
        A(1, 1) = T(corner * size);
        return modified_cholesky(std::move(A));
      };
      const int huge = std::numeric_limits<R>::max_exponent - 1;
      const auto f = modified(std::ldexp(R(1.5), huge)), ordinary = modified(R(1.5));
      ASSERT_TRUE(f.ok() && ordinary.ok());
      for (std::size_t k = 0; k < 2; ++k)
        EXPECT_NEAR(std::ldexp(f.E()[k], -huge), ordinary.E()[k],
                    8 * std::numeric_limits<R>::epsilon());
      EXPECT_EQ(f.norm_of_E() > R(0), off * off > R(0.95) * corner);
    }
}

TYPED_TEST(ModifiedCholesky, NotFinite) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(2105);
  const index_t n = 19, block = 8;
  for (double from : {-1.0, 0.5, -100.0})
    for (R value : {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity(),
                    -std::numeric_limits<R>::infinity()})
      for (index_t j : {index_t{0}, block - 1, block, n - 2, n - 1})
        for (index_t i : {j, j + 1, n - 1}) {
          if (i < j || i >= n) continue;
          double least = 0;
          matrix<T> A = with_spectrum<T>(random, n, from, 1, least);
          A(i, j) = A(j, i) = T(value);
          const auto f = modified_cholesky(std::move(A), {.block = block});
          EXPECT_EQ(f.status().kind(), status_kind::not_finite) << value << i << j;
          EXPECT_EQ(f.rank(), 0);
          EXPECT_TRUE(f.E().empty());
        }
}

TYPED_TEST(ModifiedCholesky, Arguments) {
  using T = TypeParam;
  random_source random(2106);
  placed_matrix<T> A(random_spd<T>(random, 5), layout::padded);
  const auto expect = [&](const status& s, const char* argument) {
    EXPECT_EQ(s.kind(), status_kind::invalid_argument);
    EXPECT_STREQ(s.argument(), argument);
    EXPECT_TRUE(A.untouched());
  };
  expect(try_modified_cholesky(A.view().block(0, 0, 5, 4)).status(), "A");
  expect(try_modified_cholesky(A.view(), {.part = static_cast<triangle>(7)}).status(),
         "options.part");
  expect(try_modified_cholesky(A.view(), {.block = -1}).status(), "options.block");
  expect(try_modified_cholesky(backend::threads{.threads = -1}, A.view()).status(),
         "backend.threads");
  expect(try_solve(modified_cholesky_factor<T>(), A.view()), "factor");
  EXPECT_THROW(static_cast<void>(modified_cholesky(A.view().block(0, 0, 5, 4))), argument_error);
  auto f = modified_cholesky(random_spd<T>(random, 5));
  const auto g = std::move(f);
  EXPECT_EQ(g.rank(), 5);
  EXPECT_EQ(f.status().kind(), status_kind::empty);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(f.E().empty() && f.phase_two() == 0);
}

}  // namespace
}  // namespace trifac::test
