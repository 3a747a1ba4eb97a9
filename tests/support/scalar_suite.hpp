#pragma once
// The suite for scalar types that are not LAPACK's four: every variant and both factorizations
// through the plain loops. Instantiated by scalar_test.cpp and multiprecision_test.cpp.

#include <gtest/gtest.h>

#include <limits>

#include "cholesky_engine.hpp"
#include "gallery.hpp"
#include "pivot_cases.hpp"
#include "residual.hpp"
#include "scalars.hpp"
#include "trifac/lu.hpp"
#include "trifac/nests.hpp"
#include "trifac/solve.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {

/// serial, and openmp with a team.
template <class Visit>
void for_each_own_backend(Visit visit) {
  visit(backend::serial{}, std::string("serial"));
  if (backend::openmp{}.available()) visit(backend::openmp{.threads = 3}, std::string("openmp"));
}

constexpr variant cholesky_list[] = {variant::best,          variant::banachiewicz,
                                     variant::crout,         variant::left_looking,
                                     variant::right_looking, variant::crout_distributed_sum,
                                     variant::top_looking,   variant::recursive};

template <class T>
class OtherScalars : public testing::Test {};
TYPED_TEST_SUITE_P(OtherScalars);

TYPED_TEST_P(OtherScalars, EveryCholeskyVariant) {
  using T = TypeParam;
  random_source random(601);
  for (index_t n : {1, 2, 19}) {
    const matrix<T> A = random_spd<T>(random, n);
    for_each_own_backend([&]<class B>(const B& backend, const std::string& name) {
      for (variant v : cholesky_list)
        for (triangle part : {triangle::lower, triangle::upper}) {
          SCOPED_TRACE(name + ", " + std::string(to_string(v)) + ", n = " + std::to_string(n));
          matrix<T> L = A;
          const cholesky_options options{.part = part, .block = 8};
          const cholesky_engine_of<B, T> engine(backend, name);
          const auto f = engine.cholesky(v, L.view(), options);
          ASSERT_TRUE(f) << f.status().message();
          EXPECT_TRUE(within(cholesky_ratio<T>(A, part, f.matrix())));
          const auto right = random_matrix<T>(random, n, 2);
          matrix<T> X = right;
          solve(backend, f, X);
          EXPECT_TRUE(within(solve_ratio<T>(A, X, right)));
        }
    });
  }
}

TYPED_TEST_P(OtherScalars, EveryLu) {
  using T = TypeParam;
  random_source random(602);
  for (auto [m, n] : {std::pair<index_t, index_t>{1, 1}, {19, 19}, {23, 9}, {9, 23}}) {
    const matrix<T> A = random_matrix<T>(random, m, n), dominant = dominant_matrix<T>(random, m, n);
    for_each_own_backend([&, m = m, n = n](const auto& backend, const std::string& name) {
      SCOPED_TRACE(name);
      const auto expect_good = [](const matrix<T>& original, const lu_factor<T>& f) {
        EXPECT_TRUE(f.ok()) << f.status().message();
        EXPECT_TRUE(within(lu_ratio<T>(original, f.matrix(), f.interchanges().span())));
      };
      const lu_options partial{.block = 4, .growth = true},
          none{.pivoting = pivoting::none, .block = 4};
      lu_options by_tournament{.pivoting = pivoting::tournament, .block = 4, .leaves = 3};
      expect_good(A, lu(backend, matrix<T>(A), partial));
      expect_good(A, lu<variant::right_looking>(backend, matrix<T>(A), partial));
      expect_good(A, lu<variant::recursive>(backend, matrix<T>(A), partial));
      expect_good(A, lu(backend, matrix<T>(A), by_tournament));
      by_tournament.selection = selection::scaled;
      expect_good(A, lu<variant::right_looking>(backend, matrix<T>(A), by_tournament));
      expect_good(dominant, lu(backend, matrix<T>(dominant), none));
      expect_good(dominant, lu<variant::unblocked>(backend, matrix<T>(dominant), none));
      expect_good(dominant, lu<variant::four_block>(backend, matrix<T>(dominant), none));
      if (m != n) return;
      for (operation op : {operation::none, operation::transpose, operation::adjoint}) {
        const matrix<T> op_A = applied<T>(op, A), right = random_matrix<T>(random, n, 2);
        matrix<T> X = right;
        solve(backend, lu(backend, matrix<T>(A), partial), X, op);
        EXPECT_TRUE(within(solve_ratio<T>(op_A, X, right)));
      }
    });
  }
}

TYPED_TEST_P(OtherScalars, TiesGoToTheFirstRowInThePresentOrder) {
  using T = TypeParam;
  random_source random(605);
  for (auto [m, n] : {std::pair<index_t, index_t>{3, 3}, {19, 19}, {23, 9}, {9, 23}})
    for (const matrix<T>& A : matrices_with_ties<T>(random, m, n)) {
      const textbook_lu<T> expected = textbook(A);
      for_each_own_backend([&](const auto& backend, const std::string& name) {
        SCOPED_TRACE(name);
        const auto expect_first = [&](const lu_factor<T>& f) {
          EXPECT_TRUE(pivots_like<T>(expected, f.matrix(), f.interchanges()));
        };
        const lu_options partial{.block = 4};
        expect_first(lu(backend, matrix<T>(A), partial));
        expect_first(lu<variant::right_looking>(backend, matrix<T>(A), partial));
        expect_first(lu<variant::recursive>(backend, matrix<T>(A), partial));
        expect_first(
            lu(backend, matrix<T>(A), {.pivoting = pivoting::tournament, .block = 4, .leaves = 1}));
      });
    }
}

TYPED_TEST_P(OtherScalars, HaveThePrecisionOfTheirType) {
  using T = TypeParam;
  // A Hilbert matrix of order 12: condition 1.7e16, which leaves no digit to double and 33 to 50
  // decimals.
  const index_t n = 12;
  const matrix<T> A = hilbert<T>(n);
  matrix<T> exact(n, 1), L = A, LU = A;
  for (index_t i = 0; i < n; ++i) exact(i, 0) = number<T>(static_cast<double>(i + 1));
  const auto right = product<T>(A, exact);
  matrix<T> X = right, Y = right;
  solve(cholesky(L).or_throw(), X);
  solve(lu(LU).or_throw(), Y);
  const auto bound = real_t<T>(1e17) * unit_roundoff<T>;
  for (index_t i = 0; i < n; ++i) {
    EXPECT_LT(detail::absolute(T(X(i, 0) - exact(i, 0))), bound * real_t<T>(12));
    EXPECT_LT(detail::absolute(T(Y(i, 0) - exact(i, 0))), bound * real_t<T>(12));
  }
}

TYPED_TEST_P(OtherScalars, FailuresAreReported) {
  using T = TypeParam;
  random_source random(603);
  matrix<T> A = random_spd<T>(random, 9), zero(5, 5), dominant = dominant_matrix<T>(random, 6, 6);
  A(4, 4) = T(-1);
  dominant(3, 3) = T(std::numeric_limits<real_t<T>>::quiet_NaN());
  EXPECT_EQ(cholesky(A, {.block = 2}).status(), status::at(status_kind::not_positive_definite, 4));
  EXPECT_EQ(lu(zero).status(), status::at(status_kind::singular, 0));
  EXPECT_EQ(lu(dominant).status(), status::at(status_kind::not_finite, 3));
}

TYPED_TEST_P(OtherScalars, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  random_source random(604);
  const index_t n = 25;
  const matrix<T> A = random_spd<T>(random, n);
  matrix<T> L = A, LU = A;
  const auto f = cholesky<variant::crout>(L);
  const auto g =
      lu<variant::right_looking>(LU, {.pivoting = pivoting::tournament, .block = 4, .leaves = 3});
  ASSERT_TRUE(f && g);
  for_each_team([&](const auto& team, const std::string& name) {
    matrix<T> L_of_team = A, LU_of_team = A;
    EXPECT_TRUE(cholesky<variant::crout>(team, L_of_team));
    EXPECT_TRUE(lu<variant::right_looking>(
        team, LU_of_team, {.pivoting = pivoting::tournament, .block = 4, .leaves = 3}));
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < n; ++i) {
        EXPECT_EQ(L_of_team(i, j), L(i, j)) << name;
        EXPECT_EQ(LU_of_team(i, j), LU(i, j)) << name;
      }
  });
}

REGISTER_TYPED_TEST_SUITE_P(OtherScalars, EveryCholeskyVariant, EveryLu,
                            TiesGoToTheFirstRowInThePresentOrder, HaveThePrecisionOfTheirType,
                            FailuresAreReported, SameBitsForAnyNumberOfThreads);

}  // namespace trifac::test
