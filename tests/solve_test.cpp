// solve: both factors on every backend, all operations, any number of right-hand sides in every
// layout; LAPACK's and HPL's ratios.

#include "trifac/solve.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "backends.hpp"
#include "support/gallery.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"

namespace trifac::test {
namespace {

constexpr operation all_operations[] = {operation::none, operation::transpose, operation::adjoint};

const char* describe(operation op) {
  return op == operation::none        ? "A"
         : op == operation::transpose ? "transpose of A"
                                      : "adjoint of A";
}

template <class T>
class Solve : public testing::Test {};
TYPED_TEST_SUITE(Solve, lapack_scalars, scalar_names);

/// Solves op(A)·X = B for a random X with the factor of A, in the layout, and checks dget02's ratio
/// and the guards.
template <class T, class B, class Factor>
void expect_solves(const B& backend, matrix_view<const T> A, const Factor& f, index_t columns,
                   layout where) {
  for (operation op : all_operations) {
    SCOPED_TRACE(testing::Message() << describe(op) << ", n = " << A.rows() << ", " << columns
                                    << " right-hand sides, " << to_string(where));
    random_source random(static_cast<std::uint64_t>(A.rows() + columns));
    const matrix<T> op_A = applied(op, A);
    const matrix<T> right = product<T>(op_A, random_matrix<T>(random, A.rows(), columns));
    placed_matrix<T> X(right, where);
    solve(backend, f, X.view(), op);
    EXPECT_TRUE(within(solve_ratio<T>(op_A, X.view(), right)));
    EXPECT_TRUE(X.guards_untouched());
  }
}

TYPED_TEST(Solve, CholeskyFactorsOfBothTriangles) {
  using T = TypeParam;
  random_source random(401);
  for (index_t n : {0, 1, 2, 3, 5, 10, 50, 67}) {
    const matrix<T> A = random_spd<T>(random, n);
    for (triangle part : {triangle::lower, triangle::upper})
      for (layout factor_layout : {layout::padded, layout::row_major_padded, layout::strided}) {
        placed_matrix<T> stored(n, n, factor_layout);
        stored.assign(A, in_triangle(part));  // the other triangle holds guards
        const auto f = cholesky(stored.view(), {.part = part});
        ASSERT_TRUE(f);
        for_each_backend([&](const auto& backend, const std::string& name) {
          SCOPED_TRACE(name + (part == triangle::lower ? ", lower, " : ", upper, ") +
                       std::string(to_string(factor_layout)));
          for (index_t columns : {0, 1, 2, 6, 7, 15})
            for (layout where : {layout::padded, layout::row_major, layout::reversed})
              expect_solves<T>(backend, A, f, columns, where);
        });
      }
  }
}

TYPED_TEST(Solve, LuFactors) {
  using T = TypeParam;
  random_source random(402);
  for (index_t n : {0, 1, 2, 3, 5, 10, 50, 67}) {
    const matrix<T> A = random_matrix<T>(random, n, n);
    for (pivoting how : {pivoting::partial, pivoting::tournament})
      for (layout factor_layout : {layout::padded, layout::row_major_padded, layout::strided}) {
        placed_matrix<T> stored(A, factor_layout);
        const auto f = lu(stored.view(), {.pivoting = how, .block = 8, .leaves = 2});
        ASSERT_TRUE(f);
        for_each_backend([&](const auto& backend, const std::string& name) {
          SCOPED_TRACE(name + ", pivoting " + std::string(to_string(how)) + ", " +
                       std::string(to_string(factor_layout)));
          for (index_t columns : {0, 1, 2, 6, 7, 15})
            for (layout where : {layout::padded, layout::row_major, layout::reversed})
              expect_solves<T>(backend, A, f, columns, where);
        });
      }
  }
}

TYPED_TEST(Solve, EveryLayoutOfTheRightHandSides) {
  using T = TypeParam;
  random_source random(403);
  const index_t n = 23;
  const matrix<T> A = random_spd<T>(random, n);
  matrix<T> L = A, LU = A;
  const auto f = cholesky(L);
  const auto g = lu(LU);
  for_each_backend([&](const auto& backend, const std::string& name) {
    SCOPED_TRACE(name);
    for (layout where : all_layouts) {
      expect_solves<T>(backend, A, f, 7, where);
      expect_solves<T>(backend, A, g, 7, where);
    }
  });
}

TYPED_TEST(Solve, LapacksTestMatricesPassLapacksRatios) {
  using T = TypeParam;
  for (index_t n : {5, 10, 50})
    for (int type = 1; type <= dge_types; ++type) {
      if (type >= 5 && type <= 7) continue;  // singular
      random_source random(1988);
      const auto test = dge_matrix<T>(type, random, n, n);
      matrix<T> LU = test.A;
      const auto f = lu(LU, {.block = 8});
      ASSERT_TRUE(f);
      const auto exact = random_matrix<T>(random, n, 3);
      for_each_backend([&](const auto& backend, const std::string& name) {
        SCOPED_TRACE(testing::Message() << name << ", " << test.name << ", n = " << n);
        matrix<T> inverse(n, n);
        for (index_t k = 0; k < n; ++k) inverse(k, k) = T(1);
        solve(backend, f, inverse);
        EXPECT_TRUE(within(inverse_ratio<T>(test.A, inverse)));
        for (operation op : all_operations) {
          const matrix<T> op_A = applied<T>(op, test.A);
          const matrix<T> right = product<T>(op_A, exact);
          matrix<T> X = right;
          solve(backend, f, X, op);
          EXPECT_TRUE(within(solve_ratio<T>(op_A, X, right))) << describe(op);
          const auto condition =
              norm_1(op_A.view()) *
              (op == operation::none ? norm_1(inverse.view()) : norm_inf(inverse.view()));
          EXPECT_TRUE(within(error_ratio<T>(X, exact, condition))) << describe(op);
        }
      });
    }
}

TYPED_TEST(Solve, LapacksDefiniteTestMatricesPassLapacksRatios) {
  using T = TypeParam;
  for (index_t n : {5, 10, 50})
    for (int type = 1; type <= dpo_types; ++type) {
      if (type >= 3 && type <= 5) continue;  // singular
      random_source random(1988);
      const auto test = dpo_matrix<T>(type, random, n);
      const auto exact = random_matrix<T>(random, n, 3);
      const auto right = product<T>(test.A, exact);
      for (triangle part : {triangle::lower, triangle::upper}) {
        matrix<T> L = test.A;
        const auto f = cholesky(L, {.part = part, .block = 8});
        ASSERT_TRUE(f);
        for_each_backend([&](const auto& backend, const std::string& name) {
          SCOPED_TRACE(testing::Message() << name << ", " << test.name << ", n = " << n);
          matrix<T> inverse(n, n), X = right;
          for (index_t k = 0; k < n; ++k) inverse(k, k) = T(1);
          solve(backend, f, inverse);
          solve(backend, f, X);
          EXPECT_TRUE(within(inverse_ratio<T>(test.A, inverse)));
          EXPECT_TRUE(within(solve_ratio<T>(test.A, X, right)));
          const auto condition = norm_1(test.A.view()) * norm_1(inverse.view());
          EXPECT_TRUE(within(error_ratio<T>(X, exact, condition)));
        });
      }
    }
}

TYPED_TEST(Solve, PassesTheAcceptanceTestOfHpl) {
  using T = TypeParam;
  random_source random(404);
  const index_t n = 200;
  const matrix<T> A = random_matrix<T>(random, n, n), b = random_matrix<T>(random, n, 1);
  for_each_backend([&](const auto& backend, const std::string& name) {
    for (pivoting how : {pivoting::partial, pivoting::tournament}) {
      if (how == pivoting::tournament && name == "lapack") continue;
      SCOPED_TRACE(name + ", pivoting " + std::string(to_string(how)));
      matrix<T> LU = A, x = b;
      const auto f = lu(backend, LU, {.pivoting = how, .leaves = 2});
      ASSERT_TRUE(f);
      solve(backend, f, x);
      EXPECT_TRUE(within(hpl_ratio<T>(A, x, b), hpl_threshold));
    }
  });
}

TYPED_TEST(Solve, PivotsWhosePartsAddUpToInfinity) {
  using T = TypeParam;
  if constexpr (is_complex<T>) {
    random_source random(409);
    for (index_t n : {1, 2, 9, 40}) {
      const matrix<T> A = overflowing_pivots<T>(random, n);
      const auto f = lu(matrix<T>(A));
      ASSERT_TRUE(f);
      for (index_t columns : {1, 9})
        for_each_backend([&](const auto& backend, const std::string& name) {
          if (name == "lapack") return;  // divides by a sum that overflows
          SCOPED_TRACE(testing::Message() << name << ", n = " << n << ", columns = " << columns);
          matrix<T> X(n, columns);  // A's first column, its half, its quarter, …
          for (index_t j = 0; j < columns; ++j)
            for (index_t i = 0; i < n; ++i) X(i, j) = A(i, 0) / real_t<T>(1 << j);
          solve(backend, f, X);
          for (index_t j = 0; j < columns; ++j)
            for (index_t i = 0; i < n; ++i) {
              const T expected(i == 0 ? real_t<T>(1) / real_t<T>(1 << j) : real_t<T>(0));
              EXPECT_LT(static_cast<double>(detail::absolute(X(i, j) - expected)),
                        1e3 * static_cast<double>(unit_roundoff<T>));
            }
        });
    }
  }
}

TYPED_TEST(Solve, VectorsArraysAndSpansAreOneColumn) {
  using T = TypeParam;
  matrix<T> A = wilkinson_growth<T>(4);  // solved exactly
  const auto f = lu(A);
  const std::vector<T> ones(4, T(1));
  const auto right = product<T>(wilkinson_growth<T>(4), column_major<const T>(ones.data(), 4, 1));
  std::vector<T> in_vector(right.data(), right.data() + 4), behind_span = in_vector;
  std::array<T, 4> in_array;
  std::copy_n(right.data(), 4, in_array.begin());
  solve(f, in_vector);
  solve(f, std::span<T>(behind_span));
  solve(f, in_array);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(in_vector[i], T(1));
    EXPECT_EQ(behind_span[i], T(1));
    EXPECT_EQ(in_array[i], T(1));
  }
  EXPECT_TRUE(try_solve(f, in_vector, operation::adjoint));
}

TYPED_TEST(Solve, AFactorOfOneBackendSolvesOnAnother) {
  using T = TypeParam;
  random_source random(405);
  const index_t n = 31;
  const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, 2);
  for_each_backend([&](const auto& factors, const std::string& first) {
    for (triangle part : {triangle::lower, triangle::upper}) {
      matrix<T> L = A, LU = A;
      const auto f = cholesky(factors, L, {.part = part});
      const auto g = lu(factors, LU);
      for_each_backend([&](const auto& solves, const std::string& second) {
        SCOPED_TRACE(first + " factors, " + second + " solves");
        matrix<T> X = B, Y = B;
        solve(solves, f, X);
        solve(solves, g, Y);
        EXPECT_TRUE(within(solve_ratio<T>(A, X, B)));
        EXPECT_TRUE(within(solve_ratio<T>(A, Y, B)));
      });
    }
  });
}

TYPED_TEST(Solve, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  random_source random(406);
  for (index_t n : {150, 300}) {  // in pieces, by blocks
    const matrix<T> A = random_spd<T>(random, n);
    matrix<T> L = A, LU = A;
    const auto f = cholesky(L);
    const auto g = lu(LU);
    for (index_t columns : {1, 6, 100})  // few on one thread, many on a team
      for (operation op : all_operations) {
        const matrix<T> B = random_matrix<T>(random, n, columns);
        matrix<T> X = B, Y = B;
        solve(f, X, op);
        solve(g, Y, op);
        for_each_team([&](const auto& team, const std::string& name) {
          matrix<T> V = B, W = B;
          solve(team, f, V, op);
          solve(team, g, W, op);
          EXPECT_TRUE(same_bits(X.view(), V.view())) << name << ", " << describe(op);
          EXPECT_TRUE(same_bits(Y.view(), W.view())) << name << ", " << describe(op);
        });
      }
  }
}

}  // namespace
}  // namespace trifac::test
