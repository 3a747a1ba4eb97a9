// solve_mixed: which way it goes for which condition and why, the residual that is as good on each,
// matrices that float cannot hold, factors for further right-hand sides, and the arguments.

#include "trifac/solve_mixed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/solved.hpp"

namespace trifac::test {
namespace {

template <class T>
class SolveMixed : public testing::Test {};
using double_scalars = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(SolveMixed, double_scalars, scalar_names);

template <class T>
matrix<T> with_condition(random_source& random, index_t n, double condition, bool hermitian) {
  const auto values = geometric_values(n, condition, 1.0);
  return hermitian ? with_eigenvalues<T>(random, values)
                   : with_singular_values<T>(random, n, n, values);
}

/// The residual that the report promises: ‖b − A·x‖∞ ≤ √n·ε·‖A‖∞·‖x‖∞, with room for ∞-norms of
/// complex numbers and for the full solve, which promises nothing.
template <class T>
void expect_certified(const matrix<T>& A, const matrix<T>& X, const matrix<T>& B,
                      const mixed_report<double>& report) {
  const double eps = unit_roundoff<T>;
  EXPECT_LE(report.backward_error, 4 * std::sqrt(double(A.rows())) * eps);
  EXPECT_TRUE(within(solve_ratio<T>(A, X, B)));
}

TYPED_TEST(SolveMixed, RefinesWhereClassicalRefinementConverges) {
  using T = TypeParam;
  random_source random(651);
  for (bool hermitian : {false, true})
    for (index_t n : {1, 2, 50, 120})
      for (double condition : {1.0, 1e2, 1e5}) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", condition " << condition);
        const matrix<T> A = with_condition<T>(random, n, condition, hermitian);
        const matrix<T> B = random_matrix<T>(random, n, 3);
        for (triangle part : {triangle::lower, triangle::upper})
          for (layout where : {layout::padded, layout::row_major}) {
            placed_matrix<T> stored(A, where);
            if (hermitian) {  // the other triangle is not read
              placed_matrix<T> nan(n, n, layout::strided);
              for (index_t j = 0; j < n; ++j)
                for (index_t i = 0; i < n; ++i)
                  if (!in_triangle(part)(i, j)) stored.view()(i, j) = nan.view()(i, j);
            }
            matrix<T> X(n, 3);
            const auto report = solve_mixed(
                stored.view(), B, X,
                {.factor = hermitian ? factorization::cholesky : factorization::lu, .part = part});
            // At small orders the rounding of x alone may take the bound, and GMRES tries, too.
            if (n > 2) {
              EXPECT_EQ(report.way, mixed_way::refined);
            }
            EXPECT_EQ(report.full_flops, 0);
            expect_certified(A, X, B, report);
          }
      }
}

TYPED_TEST(SolveMixed, GoesOnWithGmresAndThenInDouble) {
  using T = TypeParam;
  random_source random(652);
  const index_t n = 60;
  bool some_gmres = false;
  for (bool hermitian : {false, true})
    for (double condition : {1e7, 1e8, 1e9, 1e11, 1e14}) {
      SCOPED_TRACE(testing::Message() << "condition " << condition << ", " << hermitian);
      const matrix<T> A = with_condition<T>(random, n, condition, hermitian);
      const matrix<T> B = random_matrix<T>(random, n, 2);
      for (int gmres_steps : {0, 30}) {
        matrix<T> X(n, 2);
        const auto report =
            try_solve_mixed(A, B, X,
                            {.factor = hermitian ? factorization::cholesky : factorization::lu,
                             .gmres_steps = gmres_steps});
        ASSERT_TRUE(report) << report.status().message();
        expect_certified(A, X, B, report);
        some_gmres = some_gmres || report.way == mixed_way::gmres;
        if (gmres_steps == 0) {
          EXPECT_NE(report.way, mixed_way::gmres);
        }
        EXPECT_EQ(report.full_flops > 0, report.way == mixed_way::full_precision);
        if (condition >= 1e14 && gmres_steps == 0) {
          EXPECT_EQ(report.way, mixed_way::full_precision);
        }
      }
    }
  EXPECT_TRUE(some_gmres);
}

TYPED_TEST(SolveMixed, WhatFloatCannotHoldIsDoubles) {
  using T = TypeParam;
  random_source random(653);
  const index_t n = 20;
  for (double scale : {1e200, 1e-200}) {
    matrix<T> A = random_spd<T>(random, n);
    const matrix<T> B = random_matrix<T>(random, n, 2);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < n; ++i) A(i, j) *= scale;
    for (factorization factor : {factorization::lu, factorization::cholesky}) {
      matrix<T> X(n, 2);
      const auto report = solve_mixed(A, B, X, {.factor = factor});
      EXPECT_EQ(report.way, mixed_way::full_precision);
      expect_certified(A, X, B, report);
    }
  }
  // Large and small right-hand sides are no difficulty.
  const matrix<T> A = random_spd<T>(random, n);
  for (double scale : {1e200, 1e-200, 0.0}) {
    matrix<T> B = random_matrix<T>(random, n, 2), X(n, 2);
    for (index_t i = 0; i < n; ++i) B(i, 0) *= scale;
    const auto report = solve_mixed(A, B, X);
    EXPECT_EQ(report.way, mixed_way::refined);
    expect_certified(A, X, B, report);
  }
}

/// Rows and columns of sizes whose products leave the range of float, the condition without them
/// small.
TYPED_TEST(SolveMixed, BadlyScaledMatricesWithEquilibration) {
  using T = TypeParam;
  random_source random(656);
  for (bool hermitian : {false, true})
    for (index_t n : {2, 40}) {
      matrix<T> A = with_condition<T>(random, n, 1e3, hermitian);
      matrix<T> B = random_matrix<T>(random, n, 2);
      for (index_t i = 0; i < n; ++i) {
        const double place = 2 * static_cast<double>(i) / static_cast<double>(n - 1) - 1;
        const double row = std::pow(10.0, hermitian ? 22 * place : 30 * place);
        const double column = hermitian ? row : std::pow(10.0, 14 * place);
        for (index_t j = 0; j < n; ++j) {
          A(i, j) *= row;
          A(j, i) *= column;
        }
        for (index_t j = 0; j < 2; ++j) B(i, j) *= row;
      }
      for (layout where : padded_layouts)
        for (triangle part : {triangle::lower, triangle::upper}) {
          SCOPED_TRACE(testing::Message() << "n = " << n << ", " << to_string(where));
          placed_matrix<T> stored(A, where);
          const auto factor = hermitian ? factorization::cholesky : factorization::lu;
          matrix<T> X(n, 2);
          auto report = solve_mixed(stored.view(), B, X, {.factor = factor, .part = part});
          EXPECT_EQ(report.way, mixed_way::full_precision);
          EXPECT_FALSE(report.equilibrated);
          expect_certified(A, X, B, report);
          report = solve_mixed(stored.view(), B, X,
                               {.factor = factor, .part = part, .equilibrate = true});
          EXPECT_EQ(report.way, mixed_way::refined);
          EXPECT_TRUE(report.equilibrated);
          expect_certified(A, X, B, report);
        }
    }
  // Without scales there is what there was: a zero row, a diagonal that is not positive.
  matrix<T> A(3, 3), X(3, 1);
  const matrix<T> B(3, 1);
  for (index_t i = 0; i < 2; ++i) A(i, i) = T(1);
  for (factorization factor : {factorization::lu, factorization::cholesky}) {
    const auto report = try_solve_mixed(A, B, X, {.factor = factor, .equilibrate = true});
    EXPECT_EQ(report.status().index(), 2);
    EXPECT_TRUE(report.status().of_the_matrix());
    EXPECT_FALSE(report.equilibrated);
  }
}

/// A = diag(r)·M·diag(c) with a good M and x = diag(c)⁻¹·y: each unknown has its digits, whatever
/// its size is.
TEST(SolveMixed, EquilibrationGivesUnknownsOfAnySizeTheirDigits) {
  random_source random(657);
  const index_t n = 100;
  struct sizes {
    double rows, columns;
  };
  for (bool hermitian : {false, true})
    for (sizes by : {sizes{0, 8}, {0, 40}, {40, 40}})
      for (int most_steps : {30, 0}) {  // by refinement, by GMRES
        SCOPED_TRACE(testing::Message()
                     << "rows 10^±" << by.rows << ", columns 10^±" << by.columns
                     << (hermitian ? ", Hermitian" : "") << ", most_steps = " << most_steps);
        matrix<double> A = with_condition<double>(random, n, 100, hermitian);
        matrix<double> exact(n, 1), X(n, 1);
        std::vector<double> rows, columns;
        for (index_t i = 0; i < n; ++i) {
          columns.push_back(std::exp2(std::round(by.columns / 0.301 * random.uniform())));
          rows.push_back(hermitian ? columns.back()
                                   : std::exp2(std::round(by.rows / 0.301 * random.uniform())));
          exact(i, 0) = (1.5 + random.uniform()) / columns.back();
        }
        for (index_t j = 0; j < n; ++j)
          for (index_t i = 0; i < n; ++i)
            A(i, j) *= rows[static_cast<std::size_t>(i)] * columns[static_cast<std::size_t>(j)];
        const matrix<double> B = product<double>(A, exact);
        const auto report =
            solve_mixed(A, B, X,
                        {.factor = hermitian ? factorization::cholesky : factorization::lu,
                         .most_steps = most_steps,
                         .equilibrate = true});
        EXPECT_EQ(report.way, most_steps > 0 ? mixed_way::refined : mixed_way::gmres);
        EXPECT_GT(report.steps, 0);
        EXPECT_EQ(report.full_flops, 0);
        EXPECT_LE(report.backward_error, 4 * std::sqrt(double(n)) * unit_roundoff<double>);
        for (index_t i = 0; i < n; ++i)
          ASSERT_LT(std::abs(X(i, 0) - exact(i, 0)), 1e-12 * exact(i, 0)) << i;
      }
}

/// Products a_ij·x_j of the odd rows underflow, those of the scaled system do not; b is 0 in odd
/// rows.
TEST(SolveMixed, EquilibrationWhereProductsUnderflow) {
  random_source random(658);
  const index_t n = 30;
  for (bool hermitian : {false, true})
    for (int most_steps : {30, 0}) {
      SCOPED_TRACE(testing::Message()
                   << (hermitian ? "Hermitian" : "general") << ", most_steps = " << most_steps);
      matrix<double> A = with_condition<double>(random, n, 100, hermitian);
      const double row = std::ldexp(1.0, hermitian ? -450 : -664),
                   size = hermitian ? 1e-180 : 1e-119;
      const auto row_of = [&](index_t i) { return i % 2 ? row : 1.0; };
      const auto column_of = [&](index_t i) { return hermitian ? row_of(i) : 1.0; };
      matrix<double> B(n, 1), X(n, 1);
      for (index_t i = 0; i < n; i += 2) B(i, 0) = size * (1.5 + random.uniform());
      const matrix<double> exact = solved(lu(matrix<double>(A)), B);  // of the scaled system
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i) A(i, j) *= row_of(i) * column_of(j);
      const auto report =
          solve_mixed(A, B, X,
                      {.factor = hermitian ? factorization::cholesky : factorization::lu,
                       .most_steps = most_steps,
                       .equilibrate = true});
      EXPECT_NE(report.way, mixed_way::full_precision);
      for (index_t i = 0; i < n; ++i)
        ASSERT_TRUE(within(std::abs(X(i, 0) * column_of(i) - exact(i, 0)) / size, 1e-11)) << i;
    }
}

/// The largest ‖b − A·x‖∞ / (‖A‖∞·‖x‖∞), summed in long double.
template <class T>
double exact_backward_error(const matrix<T>& A, const matrix<T>& X, const matrix<T>& B) {
  using wide = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;
  const auto size_of = [](const auto& r) {
    long double most = 0;
    for (const wide& z : r) most = maximum(most, detail::pivot_size(z));
    return most;
  };
  double worst = 0;
  for (index_t j = 0; j < B.cols(); ++j) {
    std::vector<wide> r, x;
    for (index_t i = 0; i < A.rows(); ++i) {
      x.push_back(wide(X(i, j)));
      wide sum(B(i, j));
      for (index_t k = 0; k < A.cols(); ++k)
        sum = detail::subtract_product(sum, wide(A(i, k)), wide(X(k, j)));
      r.push_back(sum);
    }
    const double of_A = norm(A, norm_kind::infinity);
    worst = maximum(worst, static_cast<double>(size_of(r) / size_of(x) / of_A));
  }
  return worst;
}

/// Also where columns are refined one by one and measured all at once, and in exact sums. (Below
/// order 8 the rounding of x may take more than half of the bound.)
TYPED_TEST(SolveMixed, WhatFloatGivesIsWithinTheBoundOfItsLastMeasure) {
  using T = TypeParam;
  random_source random(658);
  int by_gmres = 0;
  for (int trial = 0; trial < 1200; ++trial) {
    const index_t n = 2 + random.below(10), columns = 1 + random.below(8);
    const double condition = std::pow(10.0, 3 * (random.uniform() + 1) + 3);
    const matrix<T> A = with_condition<T>(random, n, condition, trial % 2 == 0);
    const matrix<T> B = random_matrix<T>(random, n, columns);
    matrix<T> X(n, columns);
    const auto report = solve_mixed(A, B, X, {.most_steps = trial % 3 == 0 ? 0 : 30});
    if (report.way == mixed_way::full_precision) continue;
    by_gmres += report.way == mixed_way::gmres;
    const double bound = std::sqrt(double(n)) * unit_roundoff<double>;
    EXPECT_LE(report.backward_error, bound) << "n = " << n << ", trial " << trial;
    const double exact = n < 8 ? 0 : exact_backward_error(A, X, B);
    EXPECT_TRUE(exact <= bound) << exact / bound << ", n = " << n << ", trial " << trial;
  }
  EXPECT_GT(by_gmres, 50);
}

/// Where ‖A‖, sums of A·X or quotients leave the range of double, the backward error is that of the
/// definition; that of an A whose norm overflows is measured by the largest number.
TYPED_TEST(SolveMixed, BackwardErrorsOfHugeAndTinyNumbers) {
  using T = TypeParam;
  random_source random(659);
  struct powers {
    int of_A, of_B;
  };
  for (factorization factor : {factorization::lu, factorization::cholesky})
    for (powers by : {powers{1023, 1015}, {-1011, 0}, {-500, -1000}, {1000, -20}, {0, -1060}}) {
      SCOPED_TRACE(testing::Message() << "A 2^" << by.of_A << ", B 2^" << by.of_B);
      const index_t n = 30;
      matrix<T> A = with_condition<T>(random, n, by.of_A == 1023 ? 8 : 1000, true);
      matrix<T> B = random_matrix<T>(random, n, 2), X(n, 2);
      const matrix<T> A_before = A;
      const auto multiply = [](matrix<T>& M, int power) {
        for (index_t j = 0; j < M.cols(); ++j)
          for (index_t i = 0; i < M.rows(); ++i)
            M(i, j) = detail::times_power_of_two(M(i, j), power);
      };
      multiply(A, by.of_A);
      multiply(B, by.of_B);
      const auto report = try_solve_mixed(A, B, X, {.factor = factor});
      ASSERT_TRUE(report) << report.status().message();
      multiply(B, -by.of_B);  // rounded where it was subnormal
      multiply(X, by.of_A - by.of_B);
      const double expected = exact_backward_error(A_before, X, B);
      if (by.of_B > -1060) {
        EXPECT_TRUE(report.backward_error < 1e-15) << report.backward_error;
      }
      EXPECT_TRUE(report.backward_error < 8 * expected + 1e-17 &&
                  report.backward_error > expected / 4 - 1e-17)
          << report.backward_error << ", exact " << expected;
    }
}

/// |Re| + |Im| of an unknown overflows: the error is not 0 for that.
TEST(SolveMixed, BackwardErrorWhereSizesOfUnknownsOverflow) {
  using T = std::complex<double>;
  const index_t n = 20;
  matrix<T> A(n, n), B(n, 1), X(n, 1);
  for (index_t i = 0; i < n; ++i) {
    A(i, i) = T(0.61 + 0.01 * double(i));
    A(i, (i + 1) % n) = T(0.1);  // a diagonal A may have the computed residual 0
    B(i, 0) = T(1e308, -0.9e308);
  }
  const auto report = try_solve_mixed(A, B, X);
  ASSERT_TRUE(report) << report.status().message();
  for (index_t i = 0; i < n; ++i) X(i, 0) /= 16, B(i, 0) /= 16;
  const double expected = exact_backward_error(A, X, B);
  EXPECT_TRUE(report.backward_error > expected / 2 && report.backward_error < 4 * expected)
      << report.backward_error << ", exact " << expected;
}

TYPED_TEST(SolveMixed, MoreGmresStepsThanRowsAreThoseOfTheRows) {
  using T = TypeParam;
  random_source random(656);
  const matrix<T> A = with_condition<T>(random, 9, 1e9, false), B = random_matrix<T>(random, 9, 1);
  matrix<T> X(9, 1), Y(9, 1);
  const auto nine = solve_mixed(A, B, X, {.gmres_steps = 9});
  const auto most = solve_mixed(A, B, Y, {.gmres_steps = std::numeric_limits<int>::max()});
  EXPECT_EQ(most.way, nine.way);
  EXPECT_TRUE(same_bits(X.view(), Y.view()));
}

TYPED_TEST(SolveMixed, ImaginaryPartsOfAHermitianDiagonalAreNotRead) {
  using T = TypeParam;
  if constexpr (is_complex<T>) {
    random_source random(657);
    const matrix<T> A = random_spd<T>(random, 40), B = random_matrix<T>(random, 40, 1);
    for (triangle part : {triangle::lower, triangle::upper}) {
      matrix<T> other = A, X(40, 1), Y(40, 1);
      for (index_t i = 0; i < 40; ++i) other(i, i) += T(0, 1e12);
      const mixed_options definite = {.factor = factorization::cholesky, .part = part};
      const auto report = solve_mixed(A, B, X, definite);
      EXPECT_EQ(solve_mixed(other, B, Y, definite).backward_error, report.backward_error);
      EXPECT_TRUE(same_bits(X.view(), Y.view()));
    }
  }
}

TYPED_TEST(SolveMixed, BadMatricesAndArgumentsLeaveXUnchanged) {
  using T = TypeParam;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  random_source random(654);
  const index_t n = 9;
  const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 2);
  placed_matrix<T> X(B, layout::padded);
  const auto expect = [&](const status& s, status_kind kind, index_t index, const char* argument) {
    EXPECT_EQ(s.kind(), kind) << s.message();
    EXPECT_EQ(s.index(), index);
    EXPECT_STREQ(s.argument(), argument);
    EXPECT_TRUE(X.untouched());
  };
  const auto wrong = [&](const status& s, const char* argument) {
    expect(s, status_kind::invalid_argument, -1, argument);
  };
  matrix<T> singular = A, with_nan = A, indefinite = A, bad_B = B;
  for (index_t i = 0; i < n; ++i) singular(i, 4) = T(0);
  with_nan(5, 5) = T(nan);
  indefinite(3, 3) = T(-1);
  bad_B(2, 1) = T(nan);
  const mixed_options definite = {.factor = factorization::cholesky};
  expect(try_solve_mixed(singular, B, X.view()).status(), status_kind::singular, 4, "");
  EXPECT_EQ(try_solve_mixed(with_nan, B, X.view()).status().kind(), status_kind::not_finite);
  expect(try_solve_mixed(with_nan, B, X.view(), definite).status(), status_kind::not_finite, 5, "");
  expect(try_solve_mixed(indefinite, B, X.view(), definite).status(),
         status_kind::not_positive_definite, 3, "");
  expect(try_solve_mixed(A, bad_B, X.view()).status(), status_kind::not_finite, 1, "");
  wrong(try_solve_mixed(matrix<T>(n, n + 1), B, X.view()).status(), "A");
  wrong(try_solve_mixed(A, matrix<T>(n + 1, 2), X.view()).status(), "B");
  wrong(try_solve_mixed(A, matrix<T>(n, 3), X.view()).status(), "X");
  wrong(try_solve_mixed(A, X.view(), X.view()).status(), "X");
  wrong(try_solve_mixed(A, B, X.view(), {.part = static_cast<triangle>(4)}).status(),
        "options.part");
  wrong(try_solve_mixed(A, B, X.view(), {.factor = static_cast<factorization>(4)}).status(),
        "options.factor");
  wrong(try_solve_mixed(A, B, X.view(), {.most_steps = -1}).status(), "options.most_steps");
  wrong(try_solve_mixed(A, B, X.view(), {.gmres_steps = -1}).status(), "options.gmres_steps");
  wrong(try_solve_mixed(backend::threads{.threads = -1}, A, B, X.view()).status(),
        "backend.threads");
  EXPECT_THROW(static_cast<void>(solve_mixed(singular, B, X.view())), numerical_error);
  matrix<T> empty;
  EXPECT_TRUE(try_solve_mixed(empty, matrix<T>(), empty));
}

/// A system for each reason to leave float.
template <class T>
struct fallback_case {
  const char* name;
  mixed_fallback reason;
  factorization factor;
  matrix<T> A;
  int gmres_steps = 0, most_steps = 30;
};
template <class T>
std::vector<fallback_case<T>> fallback_cases() {
  using why = mixed_fallback;
  random_source random(660);
  std::vector<fallback_case<T>> cases;
  for (factorization factor : {factorization::lu, factorization::cholesky}) {
    const bool hermitian = factor == factorization::cholesky;
    matrix<T> one_huge = random_spd<T>(random, 40);
    one_huge(7, 7) = T(1e39);
    cases.push_back({"an element of 1e39", why::overflow, factor, one_huge});
    matrix<T> tiny = random_spd<T>(random, 40);
    for (index_t j = 0; j < 40; ++j)
      for (index_t i = 0; i < 40; ++i) tiny(i, j) *= 1e-60;
    cases.push_back({"zeros in float", why::factorization, factor, tiny});
    matrix<T> close(2, 2);  // singular in float
    close(0, 0) = close(0, 1) = close(1, 0) = T(1);
    close(1, 1) = T(1 + 1e-10);
    cases.push_back({"equal columns in float", why::factorization, factor, close});
    cases.push_back(
        {"condition 100", why::none, factor, with_condition<T>(random, 40, 1e2, hermitian)});
  }
  const factorization lu = factorization::lu, definite = factorization::cholesky;
  cases.push_back(
      {"condition 1e11", why::no_convergence, lu, with_condition<T>(random, 40, 1e11, false)});
  cases.push_back({"condition 1e14, GMRES too", why::no_convergence, lu,
                   with_condition<T>(random, 40, 1e14, false), 5});
  cases.push_back(
      {"no step", why::no_convergence, definite, with_condition<T>(random, 40, 1e5, true), 0, 0});
  return cases;
}

TYPED_TEST(SolveMixed, TellsWhyItLeftFloat) {
  using T = TypeParam;
  random_source random(661);
  for (const fallback_case<T>& c : fallback_cases<T>()) {
    SCOPED_TRACE(testing::Message() << c.name << (c.factor == factorization::lu ? ", LU" : ""));
    const index_t n = c.A.rows();
    const matrix<T> B = random_matrix<T>(random, n, 2);
    for (layout where : padded_layouts) {
      placed_matrix<T> stored(c.A, where);
      mixed_factor<T> f;
      matrix<T> X(n, 2);
      const auto report = try_solve_mixed(
          stored.view(), B, X, f,
          {.factor = c.factor, .most_steps = c.most_steps, .gmres_steps = c.gmres_steps});
      ASSERT_TRUE(report) << report.status().message();
      EXPECT_EQ(report.fallback, c.reason);
      EXPECT_EQ(report.way == mixed_way::full_precision, c.reason != mixed_fallback::none);
      EXPECT_EQ(report.low_flops > 0, c.reason != mixed_fallback::overflow);
      EXPECT_EQ(f.fallback(), c.reason);
      EXPECT_EQ(f.is_low(), c.reason == mixed_fallback::none);
      EXPECT_EQ(f.rows(), n);
      expect_certified(c.A, X, B, report);
    }
  }
}

/// ITER of LAPACK's routine for A·X = B, which leaves X; −100 where it is another library's.
template <class T>
int iter_of_lapack([[maybe_unused]] factorization factor, [[maybe_unused]] matrix<T> A,
                   [[maybe_unused]] matrix<T> B, [[maybe_unused]] matrix<T>& X) {
#if TRIFAC_EXPECT_LAPACK
  const auto n = static_cast<lapack_int>(A.rows()), r = static_cast<lapack_int>(B.cols());
  std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
  lapack_int iter = 0, info = 0;
  if constexpr (is_complex<T>)
    info = factor == factorization::lu
               ? LAPACKE_zcgesv(LAPACK_COL_MAJOR, n, r, A.data(), n, pivots.data(), B.data(), n,
                                X.data(), n, &iter)
               : LAPACKE_zcposv(LAPACK_COL_MAJOR, 'L', n, r, A.data(), n, B.data(), n, X.data(), n,
                                &iter);
  else
    info = factor == factorization::lu
               ? LAPACKE_dsgesv(LAPACK_COL_MAJOR, n, r, A.data(), n, pivots.data(), B.data(), n,
                                X.data(), n, &iter)
               : LAPACKE_dsposv(LAPACK_COL_MAJOR, 'L', n, r, A.data(), n, B.data(), n, X.data(), n,
                                &iter);
  EXPECT_EQ(info, 0);
  return static_cast<int>(iter);
#else
  return -100;
#endif
}

TYPED_TEST(SolveMixed, ReasonsAreThoseOfLapack) {
  using T = TypeParam;
  if (!TRIFAC_EXPECT_LAPACK) GTEST_SKIP() << "built without LAPACK";
  random_source random(662);
  for (const fallback_case<T>& c : fallback_cases<T>()) {
    if (c.most_steps == 0) continue;  // LAPACK takes 30
    SCOPED_TRACE(c.name);
    const matrix<T> B = random_matrix<T>(random, c.A.rows(), 2);
    matrix<T> X(c.A.rows(), 2);
    const int iter = iter_of_lapack<T>(c.factor, c.A, B, X);
    EXPECT_EQ(iter >= 0 ? 0 : iter, static_cast<int>(c.reason));
    EXPECT_TRUE(within(solve_ratio<T>(c.A, X, B)));
  }
}

TYPED_TEST(SolveMixed, FactorsServeFurtherRightHandSides) {
  using T = TypeParam;
  random_source random(663);
  for (bool hermitian : {false, true})
    for (double condition : {1e3, 1e15})
      for (bool equilibrate : {false, true}) {
        SCOPED_TRACE(testing::Message() << "condition " << condition << ", " << hermitian);
        const index_t n = 50;
        const matrix<T> A = with_condition<T>(random, n, condition, hermitian);
        const matrix<T> B = random_matrix<T>(random, n, 1), C = random_matrix<T>(random, n, 3);
        const mixed_options how = {
            .factor = hermitian ? factorization::cholesky : factorization::lu,
            .gmres_steps = 0,
            .equilibrate = equilibrate};
        matrix<T> X(n, 1), Y(n, 3), Z(n, 3);
        mixed_factor<T> f;
        EXPECT_TRUE(f.empty());
        const auto first = solve_mixed(A, B, X, f, how);
        EXPECT_EQ(f.is_low(), condition < 1e10);
        EXPECT_EQ(f.is_low() && equilibrate, !f.scales().rows.empty());
        mixed_factor<T> moved = std::move(f);
        EXPECT_TRUE(f.empty() && !f.is_low() && f.fallback() == mixed_fallback::none);
        matrix<T> none(n, 0);  // factors without a right-hand side
        mixed_factor<T> only;
        EXPECT_EQ(solve_mixed(A, none, none.view(), only, how).low_flops, first.low_flops);
        EXPECT_EQ(only.rows(), n);
        const auto again = solve_mixed(A, B, X, f, how);  // a factor to fill, as any empty one
        EXPECT_EQ(again.low_flops, first.low_flops);
        EXPECT_EQ(again.fallback, first.fallback);
        f = std::move(moved);
        EXPECT_TRUE(moved.empty() && f.rows() == n && f.fallback() == first.fallback);
        for_each_team([&](const auto& team, const std::string& name) {
          const auto report = solve_mixed(team, A, C, Y, f, how);
          EXPECT_EQ(report.low_flops + report.full_flops, 0) << name;
          EXPECT_EQ(report.fallback, first.fallback);
          EXPECT_EQ(report.equilibrated, f.is_low() && equilibrate);
          expect_certified(A, Y, C, report);
        });
        static_cast<void>(solve_mixed(A, C, Z, how));
        EXPECT_TRUE(same_bits(Y.view(), Z.view()));
        // The factor itself, by the calls for one: of the precision that it has.
        const bool solved = f.visit(
            [&]<class F>(const F& factor) {
              matrix<typename F::value_type> D(n, 1);
              for (index_t i = 0; i < n; ++i)
                D(i, 0) = static_cast<typename F::value_type>(B(i, 0));
              solve(factor, D);
              return factor.ok() && detail::all_finite<typename F::value_type>(D.view());
            },
            false);
        EXPECT_TRUE(solved);
      }
}

TYPED_TEST(SolveMixed, FactorsInFloatBecomeDoubleWhereTheyNoLongerSuffice) {
  using T = TypeParam;
  random_source random(664);
  const index_t n = 40;
  const matrix<T> A = with_condition<T>(random, n, 1e5, false), B = random_matrix<T>(random, n, 2);
  matrix<T> X(n, 2);
  mixed_factor<T> f;
  ASSERT_TRUE(try_solve_mixed(A, B, X, f));
  ASSERT_TRUE(f.is_low());
  // Another matrix of that order: the residuals are those of the matrix that is given.
  const matrix<T> other = with_condition<T>(random, n, 1e5, false);
  const auto report = try_solve_mixed(other, B, X, f, {.gmres_steps = 0});
  ASSERT_TRUE(report);
  EXPECT_EQ(report.fallback, mixed_fallback::no_convergence);
  EXPECT_EQ(report.low_flops, 0);
  EXPECT_GT(report.full_flops, 0);
  EXPECT_FALSE(f.is_low() || f.empty());
  expect_certified(other, X, B, report);
}

TYPED_TEST(SolveMixed, NothingThatIsNotFiniteIsASuccess) {
  using T = TypeParam;
  random_source random(665);
  const index_t n = 30;
  const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 2);
  for (double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()})
    for (factorization factor : {factorization::lu, factorization::cholesky})
      for (bool equilibrate : {false, true})
        for (index_t at : {index_t{0}, index_t{13}, n - 1}) {
          const mixed_options how = {.factor = factor, .equilibrate = equilibrate};
          placed_matrix<T> X(B, layout::padded);
          matrix<T> bad_A = A, bad_B = B;
          bad_A(at, at) = T(bad);
          bad_B(at, 1) = T(bad);
          mixed_factor<T> f;
          auto report = try_solve_mixed(bad_A, B, X.view(), f, how);
          EXPECT_TRUE(report.status().of_the_matrix()) << report.status().message();
          EXPECT_EQ(report.fallback, mixed_fallback::overflow);
          EXPECT_TRUE(f.empty());
          EXPECT_EQ(f.fallback(), mixed_fallback::none);
          report = try_solve_mixed(A, bad_B, X.view(), f, how);
          EXPECT_EQ(report.status().kind(), status_kind::not_finite);
          EXPECT_EQ(report.status().index(), 1);
          EXPECT_TRUE(f.is_low());  // nothing is wrong with A
          EXPECT_TRUE(X.untouched());
        }
}

TYPED_TEST(SolveMixed, AMatrixThatIsNoLongerFiniteIsNotFinite) {
  using T = TypeParam;
  random_source random(667);
  for (const bool hermitian : {false, true})
    for (const double size : {1.0, 1e39})  // the second does not fit float
      for (const index_t n : {1, 20})
        for (const double bad :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
          for (const index_t at : {index_t{0}, n - 1}) {
            const mixed_options how = {.factor =
                                           hermitian ? factorization::cholesky : factorization::lu};
            matrix<T> A = random_spd<T>(random, n);
            for (index_t j = 0; j < n; ++j)
              for (index_t i = 0; i < n; ++i) A(i, j) *= size;
            const matrix<T> B = random_matrix<T>(random, n, 2);
            placed_matrix<T> X(B, layout::padded);
            matrix<T> Y(n, 2);
            mixed_factor<T> f;
            ASSERT_TRUE(try_solve_mixed(A, B, Y, f, how));
            if (n > 1) {  // a quotient in float may miss the bound by its last bit
              EXPECT_EQ(f.is_low(), size == 1);
            }
            A(at, at) = T(bad);
            const auto report = try_solve_mixed(A, B, X.view(), f, how);
            EXPECT_EQ(report.status().kind(), status_kind::not_finite) << n << ' ' << bad;
            EXPECT_TRUE(X.untouched());
          }
}

TYPED_TEST(SolveMixed, FactorsOfAnotherKindAreRefused) {
  using T = TypeParam;
  random_source random(666);
  const matrix<T> A = random_spd<T>(random, 9), B = random_matrix<T>(random, 9, 1);
  matrix<T> X(9, 1);
  mixed_factor<T> f;
  ASSERT_TRUE(try_solve_mixed(A, B, X, f));
  const auto wrong = [&](const mixed_report<double>& report) {
    EXPECT_EQ(report.status().kind(), status_kind::invalid_argument);
    EXPECT_STREQ(report.status().argument(), "f");
    EXPECT_TRUE(f.is_low());
  };
  wrong(try_solve_mixed(A, B, X, f, {.factor = factorization::cholesky}));
  matrix<T> smaller(8, 1);
  wrong(try_solve_mixed(random_spd<T>(random, 8), smaller, X.view().block(0, 0, 8, 1), f));
  EXPECT_THROW(static_cast<void>(solve_mixed(A, B, X, f, {.factor = factorization::cholesky})),
               argument_error);
}

TYPED_TEST(SolveMixed, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  random_source random(655);
  const index_t n = 300;
  const matrix<T> A = random_matrix<T>(random, n, n), B = random_matrix<T>(random, n, 2);
  matrix<T> X(n, 2);
  const auto report = solve_mixed(A, B, X);
  for_each_team([&](const auto& team, const std::string& name) {
    matrix<T> Y(n, 2);
    EXPECT_EQ(solve_mixed(team, A, B, Y).steps, report.steps) << name;
    EXPECT_TRUE(same_bits(X.view(), Y.view())) << name;
  });
}

}  // namespace
}  // namespace trifac::test
