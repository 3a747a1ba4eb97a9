// What solve() does with a factor that cannot solve: one that failed, that is empty, or whose row
// interchanges are not those of its matrix. Its status is told, and B stays as it is.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"

namespace trifac::test {
namespace {

template <class T>
class SolveContract : public testing::Test {};
TYPED_TEST_SUITE(SolveContract, lapack_scalars, scalar_names);

constexpr operation all_operations[] = {operation::none, operation::transpose, operation::adjoint};
constexpr index_t n = 9;

/// try_solve and solve on every backend, with few and many right-hand sides in every layout: both
/// say `expected`, B is untouched.
template <class T, class Factor>
void expect_refused(const Factor& f, const status& expected, const char* argument = "") {
  random_source random(521);
  for_each_backend([&](const auto& backend, const std::string& name) {
    for (operation op : all_operations)
      for (index_t columns : {1, 9})
        for (layout where : all_layouts) {
          SCOPED_TRACE(testing::Message()
                       << name << ", " << columns << " right-hand sides, " << to_string(where));
          placed_matrix<T> B(random_matrix<T>(random, n, columns), where);
          const status s = try_solve(backend, f, B.view(), op);
          EXPECT_EQ(s, expected) << s.message();
          EXPECT_STREQ(s.argument(), argument);
          try {
            solve(backend, f, B.view(), op);
            ADD_FAILURE() << "did not throw";
          } catch (const numerical_error& error) {
            EXPECT_TRUE(expected.of_the_matrix());
            EXPECT_EQ(error.reason(), expected);
          } catch (const argument_error& error) {
            EXPECT_EQ(expected.kind(), status_kind::invalid_argument);
            EXPECT_STREQ(error.argument(), argument);
          } catch (const backend_error&) {
            EXPECT_EQ(expected.kind(), status_kind::backend_failure);
          } catch (const std::bad_alloc&) {
            EXPECT_EQ(expected.kind(), status_kind::out_of_memory);
          }
          EXPECT_TRUE(B.untouched());
        }
  });
}

const status wrong_factor = status::argument("factor", "");

TYPED_TEST(SolveContract, ForwardsTheStatusOfAFactorThatFailed) {
  using T = TypeParam;
  random_source random(522);
  matrix<T> indefinite = random_spd<T>(random, n), nan = indefinite, singular(n, n), zero(n, n);
  matrix<T> infinite = random_matrix<T>(random, n, n);
  indefinite(4, 4) = T(-1);
  nan(2, 2) = T(std::numeric_limits<real_t<T>>::quiet_NaN());
  for (index_t k = 0; k < n; ++k) singular(k, k) = k == 5 ? T(0) : T(1);
  infinite(0, 0) = T(std::numeric_limits<real_t<T>>::infinity());
  for (triangle part : {triangle::lower, triangle::upper}) {
    expect_refused<T>(cholesky(matrix<T>(indefinite), {.part = part}),
                      status::at(status_kind::not_positive_definite, 4));
    expect_refused<T>(cholesky(matrix<T>(nan), {.part = part}),
                      status::at(status_kind::not_finite, 2));
  }
  expect_refused<T>(lu(singular), status::at(status_kind::singular, 5));
  expect_refused<T>(lu(infinite), status::at(status_kind::not_finite, 0));
  expect_refused<T>(lu(zero, {.pivoting = pivoting::none}), status::at(status_kind::zero_pivot, 0));
  expect_refused<T>(try_lu(zero, {.block = -1}), status::argument("options.block", ""),
                    "options.block");
  expect_refused<T>(
      cholesky_factor<T>(matrix_view<T>(), triangle::lower,
                         status::failure(status_kind::out_of_memory, "an allocation failed")),
      status::failure(status_kind::out_of_memory, ""));
}

TYPED_TEST(SolveContract, NamesAnEmptyFactor) {
  using T = TypeParam;
  random_source random(523);
  expect_refused<T>(cholesky_factor<T>(), wrong_factor, "factor");
  expect_refused<T>(lu_factor<T>(), wrong_factor, "factor");
  matrix<T> A = random_spd<T>(random, n), C = A;
  pivots p;
  auto f = cholesky(A);
  auto g = lu(C, p);
  const auto taken_f = std::move(f);
  const auto taken_g = std::move(g);
  EXPECT_TRUE(taken_f && taken_g);
  // NOLINTBEGIN(bugprone-use-after-move): documented to be empty
  expect_refused<T>(f, wrong_factor, "factor");
  expect_refused<T>(g, wrong_factor, "factor");
  // NOLINTEND(bugprone-use-after-move)
}

pivots interchanges(const std::vector<index_t>& rows) {
  pivots p(static_cast<index_t>(rows.size()));
  for (index_t k = 0; k < p.size(); ++k) p[k] = rows[static_cast<std::size_t>(k)];
  return p;
}

TYPED_TEST(SolveContract, LooksAtTheInterchanges) {
  using T = TypeParam;
  random_source random(524);
  const matrix<T> A = random_matrix<T>(random, n, n);
  matrix<T> LU = A;
  const auto good = lu(LU).interchanges();
  for (index_t steps : {0, 1, 8, 10})
    expect_refused<T>(lu_factor<T>(LU, pivots(steps), status()), wrong_factor, "factor");
  for (index_t step : {0, 4, 8})
    for (index_t row : {index_t(-1), n, std::numeric_limits<index_t>::max(),
                        std::numeric_limits<index_t>::min(), step - 1}) {
      pivots wild = good;
      wild[step] = row;
      const lu_factor<T> f(LU, &wild, status());
      expect_refused<T>(f, wrong_factor, "factor");
      EXPECT_FALSE(f.interchanges_fit());
      EXPECT_TRUE(f.permutation().empty());
    }
  const lu_factor<T> f(LU, &good, status());
  matrix<T> X = A;
  EXPECT_TRUE(try_solve(f, X));
  EXPECT_EQ(static_cast<index_t>(f.permutation().size()), n);
}

TYPED_TEST(SolveContract, SeesThatPivotsWereUsedAgain) {
  using T = TypeParam;
  random_source random(525);
  for (index_t other : {0, 3, 8, 10, 40}) {
    matrix<T> LU = random_matrix<T>(random, n, n), another = random_matrix<T>(random, other, other);
    pivots p;
    const auto f = lu(LU, p);
    EXPECT_TRUE(lu(another, p));
    expect_refused<T>(f, wrong_factor, "factor");
    EXPECT_TRUE(f.permutation().empty());
  }
}

TEST(PivotsFit, WhatIsInRangeAndOfThatNumber) {
  EXPECT_TRUE(pivots().fit(0, 0));
  EXPECT_TRUE(pivots().fit(0, 4));
  EXPECT_TRUE(pivots(3).fit(3, 3));
  EXPECT_TRUE(interchanges({2, 1, 4}).fit(3, 5));
  EXPECT_FALSE(interchanges({2, 1, 4}).fit(3, 4));
  EXPECT_FALSE(interchanges({2, 1, 4}).fit(2, 5));
  EXPECT_FALSE(interchanges({2, 1, 4}).fit(4, 5));
  EXPECT_FALSE(interchanges({0, 0}).fit(2, 5));
  EXPECT_FALSE(interchanges({-1, 1}).fit(2, 5));
}

}  // namespace
}  // namespace trifac::test
