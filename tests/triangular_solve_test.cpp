// solve with a triangle: every triangle, operation and layout, LAPACK's ratio dtrt02; what is wrong
// with triangles, and the arguments.

#include "trifac/triangular_solve.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"

namespace trifac::test {
namespace {

constexpr operation all_operations[] = {operation::none, operation::transpose, operation::adjoint};
constexpr triangle both_parts[] = {triangle::lower, triangle::upper};
constexpr diagonal both_diagonals[] = {diagonal::non_unit, diagonal::unit};

template <class T>
class TriangularSolve : public testing::Test {};
TYPED_TEST_SUITE(TriangularSolve, lapack_scalars, scalar_names);

template <class Visit>
void for_each_nest_backend(Visit visit) {
  for_each_backend([&]<class B>(const B& backend, const std::string& name) {
    if constexpr (NestBackend<B, double>) visit(backend, name);
  });
}

/// Elements whose triangles, with ones on the diagonal or not, are well conditioned.
template <class T>
matrix<T> random_triangles(random_source& random, index_t n) {
  matrix<T> A = random_matrix<T>(random, n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i)
      A(i, j) = i == j ? A(i, j) + T(2) : A(i, j) / T(static_cast<real_t<T>>(n));
  return A;
}

TYPED_TEST(TriangularSolve, EveryTriangleOperationAndLayout) {
  using T = TypeParam;
  random_source random(601);
  int turn = 0;
  for (index_t n : {0, 1, 2, 9, 64, 97}) {
    const matrix<T> A = random_triangles<T>(random, n);
    for (triangle part : both_parts)
      for (diagonal diag : both_diagonals)
        for (layout where : {layout::padded, layout::row_major_padded, layout::strided}) {
          placed_matrix<T> stored(n, n, where);
          stored.assign(A, [&](index_t i, index_t j) {  // guards, some of them NaN, elsewhere
            return in_triangle(part)(i, j) && (i != j || diag == diagonal::non_unit);
          });
          stored.remember();
          const triangular_view L(stored.view(), part, diag);
          const matrix<T> dense = L.dense();
          for (operation op : all_operations)
            for (index_t columns : {index_t(0), index_t(1), index_t(7), index_t(n < 70 ? 65 : 9)}) {
              const layout of_B =
                  all_layouts[static_cast<std::size_t>(turn++) % all_layouts.size()];
              const matrix<T> op_A = applied<T>(op, dense);
              const matrix<T> right = product<T>(op_A, random_matrix<T>(random, n, columns));
              for_each_nest_backend([&](const auto& backend, const std::string& name) {
                SCOPED_TRACE(testing::Message()
                             << name << ", n = " << n << ", " << columns << " right-hand sides, "
                             << to_string(where) << ", " << to_string(of_B));
                placed_matrix<T> X(right, of_B);
                solve(backend, L, X.view(), op);
                EXPECT_TRUE(within(solve_ratio<T>(op_A, X.view(), right)));
                EXPECT_TRUE(X.guards_untouched());
              });
            }
          EXPECT_TRUE(stored.untouched());
        }
  }
}

TYPED_TEST(TriangularSolve, BothTrianglesOfAFactorAreTheSolve) {
  using T = TypeParam;
  random_source random(602);
  const index_t n = 70;
  const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 9);
  for (triangle part : both_parts) {
    matrix<T> L = A;
    const auto f = cholesky(L, {.part = part});
    matrix<T> X = B;
    solve(f.L(), X);
    solve(f.L(), X, operation::adjoint);
    EXPECT_TRUE(within(solve_ratio<T>(A, X, B)));
    X = B;
    solve(f.U(), X, operation::adjoint);
    solve(f.U(), X);
    EXPECT_TRUE(within(solve_ratio<T>(A, X, B)));
  }
  matrix<T> LU = A;
  const auto g = lu(LU);
  matrix<T> X = B;
  apply_interchanges(g.interchanges().span(), X.view());
  solve(g.L(), X);
  solve(g.U(), X);
  EXPECT_TRUE(within(solve_ratio<T>(A, X, B)));
}

// B is unchanged where the status is `singular`, and overwritten where it is `not_finite`.
TYPED_TEST(TriangularSolve, TheKindTellsWhetherBWasOverwritten) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(603);
  const R inf = std::numeric_limits<R>::infinity(), nan = std::numeric_limits<R>::quiet_NaN();
  for (index_t n : {7, 80, 270})
    for (const R bad : {R(0), nan, inf})
      for (triangle part : both_parts)
        for (operation op : all_operations)
          for (index_t columns : {1, 9}) {
            matrix<T> A = random_triangles<T>(random, n);
            A(5, 5) = T(bad);
            const matrix<T> right = random_matrix<T>(random, n, columns);
            const status_kind kind = bad == R(0) ? status_kind::singular : status_kind::not_finite;
            for_each_nest_backend([&](const auto& backend, const std::string& name) {
              SCOPED_TRACE(testing::Message() << name << ", n = " << n << ", " << bad);
              placed_matrix<T> B(right, layout::padded);
              const triangular_view L(A.view(), part);
              EXPECT_EQ(try_solve(backend, L, B.view(), op), status::at(kind, 5));
              EXPECT_EQ(B.untouched(), kind == status_kind::singular);
              EXPECT_TRUE(B.guards_untouched());
              B.restore();
              EXPECT_THROW(solve(backend, L, B.view(), op), numerical_error);
              B.restore();
              EXPECT_TRUE(try_solve(backend, triangular_view(A.view(), part, diagonal::unit),
                                    B.view(), op));
              // A zero is found whatever else is on the diagonal.
              matrix<T> both = A;
              both(6, 6) = T(0);
              B.restore();
              EXPECT_EQ(try_solve(backend, triangular_view(both.view(), part), B.view(), op),
                        status::at(status_kind::singular, bad == 0 ? 5 : 6));
              EXPECT_TRUE(B.untouched());
            });
          }
}

// Where the diagonal is good the index is that of a row of the solution.
TYPED_TEST(TriangularSolve, ASolutionThatOverflowsIsNotFinite) {
  using T = TypeParam;
  using R = real_t<T>;
  for (index_t n : {4, 90})
    for (triangle part : both_parts)
      for (index_t columns : {1, 8}) {
        matrix<T> A(n, n), B(n, columns);
        for (index_t k = 0; k < n; ++k) {
          A(k, k) = T(R(k == 2 ? 0.25 : 1));
          for (index_t j = 0; j < columns; ++j) B(k, j) = T(std::numeric_limits<R>::max() / 2);
        }
        EXPECT_EQ(try_solve(triangular_view(A.view(), part), B),
                  status::at(status_kind::not_finite, part == triangle::lower ? 2 : 0));
        EXPECT_FALSE(detail::is_finite(B(2, columns - 1)));
      }
}

TYPED_TEST(TriangularSolve, NanAndInfinityAreNoSuccess) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(604);
  for (index_t n : {2, 9, 66, 130})
    for (R bad : {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity()})
      for (triangle part : both_parts)
        for (index_t columns : {1, 3, 9, 70}) {
          matrix<T> A = random_triangles<T>(random, n), B = random_matrix<T>(random, n, columns);
          matrix<T> X = B;
          X(n / 2, columns / 2) = T(bad);
          const status of_B = try_solve(triangular_view(A.view(), part), X);
          EXPECT_EQ(of_B.kind(), status_kind::not_finite) << n << ", " << columns;
          EXPECT_EQ(of_B.index(), part == triangle::lower ? n / 2 : 0);
          const index_t i = n - 1, j = n / 2 - 1;
          (part == triangle::lower ? A(i, j) : A(j, i)) = T(bad);
          X = B;
          EXPECT_EQ(try_solve(triangular_view(A.view(), part), X).kind(), status_kind::not_finite);
        }
}

TYPED_TEST(TriangularSolve, WrongArgumentsAreNamed) {
  using T = TypeParam;
  random_source random(605);
  const index_t n = 6;
  matrix<T> A = random_spd<T>(random, n), wide = random_matrix<T>(random, n, n + 2);
  const auto expect = [](const status& s, const char* argument) {
    EXPECT_EQ(s.kind(), status_kind::invalid_argument);
    EXPECT_STREQ(s.argument(), argument) << s.message();
  };
  placed_matrix<T> B(random_matrix<T>(random, n, 2), layout::padded);
  const triangular_view L(A.view(), triangle::lower);
  expect(try_solve(triangular_view(wide.view(), triangle::lower), B.view()), "triangle");
  expect(try_solve(triangular_view(matrix_view<T>(nullptr, n, n, n), triangle::lower), B.view()),
         "triangle");
  expect(try_solve(triangular_view(A.view(), static_cast<triangle>(7)), B.view()), "triangle.part");
  expect(try_solve(triangular_view(A.view(), triangle::lower, static_cast<diagonal>(7)), B.view()),
         "triangle.diag");
  expect(try_solve(L, B.view(), static_cast<operation>(7)), "op");
  expect(try_solve(L, B.view().block(0, 0, n - 1, 2)), "B");
  expect(try_solve(L, A.view().block(0, 0, n, 2)), "B");
  expect(try_solve(backend::threads{.threads = -1}, L, B.view()), "backend.threads");
  EXPECT_TRUE(B.untouched());
  matrix<T> empty;
  EXPECT_TRUE(try_solve(triangular_view(empty.view(), triangle::lower), empty));
}

TYPED_TEST(TriangularSolve, TrianglesOfFailedFactorsTellWhy) {
  using T = TypeParam;
  matrix<T> A(3, 3), B(3, 1), singular(3, 3);
  A(0, 0) = T(1);
  A(1, 1) = T(-1);
  const auto f = cholesky(A);
  EXPECT_EQ(try_solve(f.L(), B), status::at(status_kind::not_positive_definite, 1));
  EXPECT_EQ(try_solve(f.U(), B), status::at(status_kind::not_positive_definite, 1));
  const auto g = lu(singular);  // completed: L is good, U is singular
  EXPECT_TRUE(try_solve(g.L(), B));
  EXPECT_EQ(try_solve(g.U(), B), status::at(status_kind::singular, 0));
  const cholesky_factor<T> none;
  EXPECT_STREQ(try_solve(none.L(), B).argument(), "triangle");
  const lu_factor<T> nothing;
  EXPECT_STREQ(try_solve(nothing.U(), B).argument(), "triangle");
}

TYPED_TEST(TriangularSolve, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  random_source random(606);
  for (index_t n : {40, 150, 300})  // in pieces, by blocks
    for (index_t columns : {1, 6, 300}) {
      const matrix<T> A = random_triangles<T>(random, n);
      const matrix<T> B = random_matrix<T>(random, n, columns);
      for (triangle part : both_parts) {
        const triangular_view L(A.view(), part);
        matrix<T> X = B;
        solve(L, X);
        for_each_team([&](const auto& team, const std::string& name) {
          matrix<T> V = B;
          solve(team, L, V);
          EXPECT_TRUE(same_bits(X.view(), V.view())) << name << ", " << columns;
        });
      }
    }
}

}  // namespace
}  // namespace trifac::test
