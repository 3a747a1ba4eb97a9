// solve(f, B, X) out of place, with every factor, triangle, operation and layout; solves in pieces
// of columns that report progress: what is done, what a cancelled one leaves, the bits of one call.

#include "trifac/solved.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/batch.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/modified_cholesky.hpp"

namespace trifac::test {
namespace {

constexpr operation all_operations[] = {operation::none, operation::transpose, operation::adjoint};

template <class T>
class Solved : public testing::Test {};
TYPED_TEST_SUITE(Solved, lapack_scalars, scalar_names);

/// call(f, A) with what solves with A: factors and triangles.
template <class T, class Call>
void for_each_solvable(const matrix<T>& A, Call call) {
  for (const triangle part : {triangle::lower, triangle::upper}) {
    matrix<T> L = A;
    const auto f = cholesky(L, {.part = part});
    call(f, A);
    call(f.L(), f.L().dense());
    call(f.U(), f.U().dense());
  }
  matrix<T> LU = A;
  const auto g = lu(LU);
  call(g, A);
  call(g.L(), g.L().dense());
  call(g.U(), g.U().dense());
}

TYPED_TEST(Solved, OutOfPlaceInEveryLayout) {
  using T = TypeParam;
  random_source random(641);
  int turn = 0;
  for (index_t n : {0, 1, 2, 9, 64, 97, 257}) {
    const matrix<T> A = random_spd<T>(random, n);
    for_each_solvable(A, [&](const auto& f, const matrix<T>& dense) {
      for (operation op : all_operations)
        for (index_t columns : {0, 1, 7}) {
          if (n > 256 && (columns < 7 || op != operation::adjoint)) continue;  // one on teams
          const matrix<T> op_A = applied<T>(op, dense);
          const matrix<T> right = product<T>(op_A, random_matrix<T>(random, n, columns));
          const auto next = [&] {
            return all_layouts[static_cast<std::size_t>(turn++) % all_layouts.size()];
          };
          placed_matrix<T> B(right, next()), X(n, columns, next());
          if (turn % 11 == 0) next();  // all pairs
          X.remember();
          for_each_team([&](const auto& backend, const std::string& name) {
            SCOPED_TRACE(testing::Message() << name << ", n = " << n << ", " << columns);
            X.restore();
            solve(backend, f, B.view(), X.view(), op);
            EXPECT_TRUE(within(solve_ratio<T>(op_A, X.view(), right)));
            EXPECT_TRUE(X.guards_untouched());
            EXPECT_TRUE(B.untouched());
          });
          matrix<T> in_place = right;
          solve(f, in_place, op);
          EXPECT_TRUE(same_bits(in_place.view(), X.view()));
          ASSERT_TRUE(try_solve(f, B.view(), B.view(), op));  // the same view
          EXPECT_TRUE(same_bits(in_place.view(), B.view()));
        }
    });
  }
}

TYPED_TEST(Solved, TakesVectorsFixedSizesAndModifiedFactors) {
  using T = TypeParam;
  random_source random(642);
  const index_t n = 3;
  const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 1);
  matrix<T> L = A, M = A;
  const auto f = cholesky(L);
  const auto h = modified_cholesky(M);
  const std::vector<T> b(B.data(), B.data() + n);
  std::vector<T> x(b.size());
  solve(f, b, x);
  EXPECT_TRUE(within(solve_ratio<T>(A, column_major<const T>(x.data(), n, 1), B)));
  const matrix<T, 3, 1> fixed(B.view());
  matrix<T, 3, 1> y;
  solve(f, fixed, y);
  EXPECT_TRUE(within(solve_ratio<T>(A, matrix<T>(y.view()), B)));
  matrix<T> X(n, 1);
  solve(h, b, X.view().col(0), operation::adjoint);
  EXPECT_TRUE(within(solve_ratio<T>(A, X, B), 100));
  // With batch.hpp: one factor for all is another call.
  batch<T> many(4, n, 1);
  solve(f, B, many);
  EXPECT_TRUE(within(solve_ratio<T>(A, matrix<T>(many.view()[3]), B)));
}

TYPED_TEST(Solved, LeavesXWhereSomethingIsWrong) {
  using T = TypeParam;
  random_source random(643);
  const index_t n = 12;
  const matrix<T> A = random_spd<T>(random, n), right = random_matrix<T>(random, n, 6);
  matrix<T> LU = A, zero = A;
  zero(5, 5) = T(0);
  const auto f = lu(LU);
  placed_matrix<T> X(right, layout::padded);
  const auto refuses = [&](const status& s, const char* argument) {
    EXPECT_STREQ(s.argument(), argument) << s.message();
    EXPECT_TRUE(X.untouched());
  };
  const matrix_view<T> all = X.view();
  refuses(try_solve(f, right.view().block(0, 0, n - 1, 6), all), "B");
  refuses(try_solve(f, right.view().block(0, 0, n, 5), all), "B");
  refuses(try_solve(f, right.view().block(0, 0, n - 1, 6), all.block(0, 0, n - 1, 6)), "X");
  refuses(try_solve(f, all.block(0, 0, n, 5), all.block(0, 1, n, 5)), "B");
  refuses(try_solve(f, matrix_view<const T>(nullptr, n, 6, n), all), "B");
  refuses(try_solve(f, right, all, static_cast<operation>(7)), "op");
  refuses(try_solve(f.U(), right, all, static_cast<operation>(7)), "op");
  EXPECT_STREQ(try_solve(f, right, LU.view().block(0, 0, n, 6)).argument(), "X");
  EXPECT_STREQ(try_solve(f.L(), right, LU.view().block(0, 0, n, 6)).argument(), "X");
  EXPECT_STREQ(try_solve(lu_factor<T>(), right, all).argument(), "factor");
  const triangular_view L(zero.view(), triangle::lower);
  EXPECT_EQ(try_solve(L, right, all), status::at(status_kind::singular, 5));
  EXPECT_TRUE(X.untouched());
  EXPECT_THROW(solve(L, right, all), numerical_error);
  EXPECT_THROW(solve(f, all.block(0, 0, n, 5), all.block(0, 1, n, 5)), argument_error);
  EXPECT_TRUE(X.untouched());

  // Rows of one row-major matrix share no element; a row and its transpose with other strides do.
  matrix<T> two = right;
  const matrix_view<T> rows = two.view();
  matrix<T> of_one(1, 1);
  of_one(0, 0) = T(2);
  const auto g = lu(of_one);
  EXPECT_TRUE(try_solve(g, rows.row(0), rows.row(1)));
  EXPECT_TRUE(same_bits(right.view().row(0), rows.row(0)));
  EXPECT_EQ(rows(1, 3), right(0, 3) / T(2));
  EXPECT_STREQ(try_solve(g, matrix_view<T>(rows.data(), 1, 6, 1, 2), rows.row(0)).argument(), "B");
}

// ---- progress

/// A with right-hand sides for several pieces.
template <class T>
struct many_sides {
  random_source random{644};
  const index_t n = 130, r = 1000;
  const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, r);
};

TYPED_TEST(Solved, ProgressGrowsToOneAndChangesNoBit) {
  using T = TypeParam;
  for (const index_t n : {100, 260}) {  // small solves, and blocks
    random_source random(645);
    const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 770);
    int turn = 0;
    for_each_solvable(A, [&](const auto& f, const matrix<T>&) {
      if (turn++ % 4 != 0 && n > 256) return;  // L·Lᴴ, L of Uᴴ·U, U of P·A = L·U
      matrix<T> plain = B;
      solve(f, plain);
      std::vector<double> done;
      const auto told = [&](double fraction) { done.push_back(fraction); };
      const auto on = [&](const auto& backend, layout where) {
        SCOPED_TRACE(testing::Message() << backend.name << ", n = " << n << to_string(where));
        placed_matrix<T> X(B, where), Y(n, B.cols(), where);
        done.clear();
        solve(backend, f, X.view(), operation::none, {.progress = told});
        EXPECT_TRUE(same_bits(plain.view(), X.view()));
        ASSERT_EQ(done.size(), 3u);
        EXPECT_GT(done[0], 0);
        EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
        EXPECT_LT(done[1], 1);
        EXPECT_EQ(done[2], 1);
        Y.remember();
        solve(backend, f, B, Y.view(), operation::none, {.progress = told});
        EXPECT_TRUE(same_bits(plain.view(), Y.view()));
        EXPECT_TRUE(Y.guards_untouched());
        EXPECT_EQ(done.size(), 6u);
      };
      on(backend::serial{}, layout::padded);
      on(backend::threads{.threads = 2}, layout::row_major_padded);
    });
  }
}

TYPED_TEST(Solved, ACancelledSolveLeavesSolutionsAndRightHandSides) {
  using T = TypeParam;
  const many_sides<T> given;
  const index_t n = given.n, r = given.r;
  for_each_solvable(given.A, [&](const auto& f, const matrix<T>&) {
    matrix<T> plain = given.B, X = given.B, Y(n, r);
    solve(f, plain);
    double last = 0;
    const auto stop = [&](double done) { return last = done, false; };
    EXPECT_EQ(try_solve(f, X, operation::none, {.progress = stop}).kind(), status_kind::cancelled);
    EXPECT_EQ(try_solve(f, given.B, Y, operation::none, {.progress = stop}).kind(),
              status_kind::cancelled);
    const auto done = static_cast<index_t>(last * static_cast<double>(r) + 0.5);
    ASSERT_TRUE(done > 0 && done < r);
    for (const matrix<T>* got : {&X, &Y}) {
      EXPECT_TRUE(same_bits(plain.view().block(0, 0, n, done), got->view().block(0, 0, n, done)));
      EXPECT_TRUE(same_bits(given.B.view().block(0, done, n, r - done),
                            got->view().block(0, done, n, r - done)));
    }
    EXPECT_THROW(solve(f, X, operation::none, {.progress = stop}), cancelled_error);
  });
}

TYPED_TEST(Solved, OnePieceIsToldOnceAndNothingNever) {
  using T = TypeParam;
  const many_sides<T> given;
  matrix<T> LU = given.A;
  const auto f = lu(LU);
  for (const index_t columns : {1, 511}) {
    matrix<T> X(given.B.view().block(0, 0, given.n, columns));
    std::vector<double> done;
    EXPECT_TRUE(try_solve(f, X, operation::adjoint,
                          {.progress = [&](double d) { return done.push_back(d), false; }}));
    EXPECT_EQ(done, std::vector<double>{1});
  }
  const auto never = [](double) { return ADD_FAILURE(), false; };
  matrix<T> none(given.n, 0), few(3, 1);
  EXPECT_TRUE(try_solve(f, none, operation::none, {.progress = never}));
  EXPECT_EQ(try_solve(f, few, operation::none, {.progress = never}).kind(),
            status_kind::invalid_argument);
  EXPECT_EQ(try_solve(lu_factor<T>(), none, operation::none, {.progress = never}).kind(),
            status_kind::invalid_argument);
}

// As one call: a zero leaves all columns, and of those that are not finite the first row counts.
TYPED_TEST(Solved, PiecesHaveTheStatusOfTheWhole) {
  using T = TypeParam;
  using R = real_t<T>;
  const many_sides<T> given;
  const R nan = std::numeric_limits<R>::quiet_NaN();
  matrix<T> L = given.A;
  ASSERT_TRUE(cholesky(L));
  int calls = 0;
  const auto told = [&](double) { ++calls; };
  placed_matrix<T> X(given.B, layout::padded);
  X.view()(90, 10) = X.view()(40, 600) = X.view()(70, 990) = T(nan);
  const status s = try_solve(triangular_view(L.view(), triangle::lower), X.view(), operation::none,
                             {.progress = told});
  EXPECT_EQ(s, status::at(status_kind::not_finite, 40));
  EXPECT_EQ(calls, 3);
  matrix<T> zero = L;
  zero(3, 3) = T(0);
  X.restore();
  EXPECT_EQ(try_solve(triangular_view(zero.view(), triangle::lower), X.view(), operation::none,
                      {.progress = told}),
            status::at(status_kind::singular, 3));
  EXPECT_TRUE(X.untouched());
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace trifac::test
