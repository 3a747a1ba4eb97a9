// What solve() does with a factor that cannot solve: one that failed, that is empty, or whose row
// interchanges are not those of its matrix. Its status is told, and B stays as it is. A factor that
// says success has no zero on its diagonal; where it has, zeros divide.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "support/batches.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/batch.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/engine/blas/copy.hpp"
#include "trifac/fixed_size.hpp"
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

/// A triangle, or both of an LU factor, well conditioned but for `bad` at place k of the diagonal.
template <class T>
matrix<T> factor_with(random_source& random, index_t order, index_t k, T bad) {
  matrix<T> A = random_matrix<T>(random, order, order);
  for (index_t j = 0; j < order; ++j)
    for (index_t i = 0; i < order; ++i)
      A(i, j) = i == j ? T(2) : A(i, j) / T(static_cast<real_t<T>>(order));
  A(k, k) = bad;
  return A;
}

/// Row k of X is not finite, in any column.
template <class T>
void expect_divided_by_zero(const matrix_view<T>& X, index_t k) {
  for (index_t j = 0; j < X.cols(); ++j)
    EXPECT_FALSE(detail::is_finite(X(k, j))) << "row " << k << ", column " << j;
}

// Every size class: few rows, small, one block, several; few and many right-hand sides.
TYPED_TEST(SolveContract, AZeroOnTheDiagonalDivides) {
  using T = TypeParam;
  random_source random(526);
  int turn = 0;
  for (const index_t order : {1, 2, 6, 8, 9, 40, 81, 130, 270})
    for (const index_t k : {index_t(0), order / 2, order - 1})
      for (const T zero : {T(0), -T(0)}) {
        const matrix<T> A = factor_with<T>(random, order, k, zero);
        for (const layout where : {layout::padded, layout::row_major_padded, layout::strided}) {
          const placed_matrix<T> stored(A.view(), where);
          for (const index_t columns : {1, 3, 9, 70}) {
            if (order > 100 && columns > 9 && k > 0) continue;
            const layout of_B = all_layouts[static_cast<std::size_t>(turn++) % all_layouts.size()];
            const matrix<T> right = random_matrix<T>(random, order, columns);
            for_each_backend([&](const auto& backend, const std::string& name) {
              const auto expect = [&](const auto& f, operation op) {
                SCOPED_TRACE(testing::Message()
                             << name << ", order " << order << ", " << columns
                             << " right-hand sides, " << to_string(where) << ", " << to_string(of_B)
                             << ", operation " << static_cast<int>(op));
                placed_matrix<T> X(right, of_B);
                EXPECT_TRUE(try_solve(backend, f, X.view(), op));
                expect_divided_by_zero<T>(X.view(), k);
                EXPECT_TRUE(X.guards_untouched());
              };
              for (const operation op : all_operations) {
                expect(lu_factor<T>(stored.view(), pivots(order), status()), op);
                for (const triangle part : {triangle::lower, triangle::upper})
                  expect(cholesky_factor<T>(stored.view(), part, status()), op);
              }
            });
          }
        }
      }
}

template <class T, index_t... Order>
void expect_known_orders_divide(std::integer_sequence<index_t, Order...>) {
  random_source random(527);
  const auto with_order = [&]<index_t N>(std::integral_constant<index_t, N>) {
    for (index_t k = 0; k < N; ++k) {
      const matrix<T> all = factor_with<T>(random, N, k, T(0));
      matrix<T, N, N> A;
      blas::copy<T>(all.view(), A.view());
      const auto expect = [&]<index_t R>(const auto& f, matrix<T, N, R> X, operation op) {
        const matrix<T> right = random_matrix<T>(random, N, R);
        blas::copy<T>(right.view(), X.view());
        EXPECT_TRUE(try_solve(f, X, op));
        expect_divided_by_zero<T>(X.view(), k);
      };
      for (const operation op : all_operations) {
        const lu_factor<T> f(A.view(), pivots(N), status());
        expect(f, matrix<T, N, 1>(), op);
        expect(f, matrix<T, N, 5>(), op);
        for (const triangle part : {triangle::lower, triangle::upper}) {
          const cholesky_factor<T> g(A.view(), part, status());
          expect(g, matrix<T, N, 1>(), op);
          expect(g, matrix<T, N, 5>(), op);
        }
      }
    }
  };
  (with_order(std::integral_constant<index_t, Order + 1>()), ...);
}

TYPED_TEST(SolveContract, AZeroOnTheDiagonalDividesAtOrdersKnownAtCompileTime) {
  expect_known_orders_divide<TypeParam>(std::make_integer_sequence<index_t, 9>());
}

// The same in a matrix that was written to after it was factored.
TYPED_TEST(SolveContract, AZeroThatIsWrittenIntoAFactorDivides) {
  using T = TypeParam;
  random_source random(528);
  for (const index_t order : {3, 30, 100}) {
    matrix<T> A = random_spd<T>(random, order), C = A;
    const auto f = lu(A);
    const auto g = cholesky(C);
    A(1, 1) = C(1, 1) = T(0);
    for (const index_t columns : {1, 12}) {
      matrix<T> X = random_matrix<T>(random, order, columns), Y = X;
      EXPECT_TRUE(try_solve(f, X));
      EXPECT_TRUE(try_solve(g, Y));
      expect_divided_by_zero<T>(X.view(), 1);
      expect_divided_by_zero<T>(Y.view(), 1);
    }
  }
}

/// Matrix 5 of a batch of factors has a zero on its diagonal: X of it is not finite, in the row of
/// the zero, and all others are what they were.
template <class T, class Factor, class M>
void expect_one_to_divide_by_zero(const Factor& f, M A, const batch<T>& right, index_t k) {
  const auto backends = [](const auto& visit) {
    visit(backend::serial{});
    visit(backend::threads{.threads = 2});
  };
  const auto expect = [&](const auto& solvable, const operation op, const T& zero) {
    const T kept = A(5, k, k);
    backends([&](const auto& backend) {
      batch<T> good = right, X = right;
      EXPECT_TRUE(try_solve(backend, solvable, good, op));
      A(5, k, k) = zero;
      EXPECT_TRUE(try_solve(backend, solvable, X, op));
      A(5, k, k) = kept;
      for (index_t b = 0; b < X.count(); ++b)
        if (b == 5)
          expect_divided_by_zero<T>(X[b], k);
        else
          EXPECT_TRUE(same_bits(std::as_const(X)[b], std::as_const(good)[b])) << b;
    });
  };
  for (const operation op : all_operations)
    for (const T zero : {T(0), T(std::numeric_limits<real_t<T>>::quiet_NaN())}) {
      SCOPED_TRACE(testing::Message() << "order " << f.rows() << ", " << right.cols()
                                      << " right-hand sides, operation " << static_cast<int>(op));
      expect(f, op, zero);
      expect(f.U(), op, zero);
      if constexpr (requires { f.part(); }) expect(f.L(), op, zero);
    }
}

TYPED_TEST(SolveContract, AZeroInAFactorOfABatchDivides) {
  using T = TypeParam;
  const index_t count = 21;
  for (const index_t order : {1, 3, 8, 17, 40, 130})
    for (const batch_layout how : {batch_layout(), batch_layout::canonical()})
      for (const index_t columns : {1, 3, 9}) {
        const batch<T> A = batch_of(random_batch<T>(count, order, order, true), how);
        const batch<T> right = batch_of(random_batch<T>(count, order, columns), how);
        for (const index_t k : {index_t(0), order - 1}) {
          batch<T> LU = A, U = A;
          expect_one_to_divide_by_zero<T>(lu(LU, {.pivoting = pivoting::none}), LU.view(), right,
                                          k);
          const triangle part = k == 0 ? triangle::lower : triangle::upper;
          expect_one_to_divide_by_zero<T>(cholesky(U, {.part = part}), U.view(), right, k);
        }
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
