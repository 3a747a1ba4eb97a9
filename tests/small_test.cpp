// Small matrices: factors have the bits of the packed variant; solves have the same bits for any
// number of right-hand sides (above order 80 for more than two or four), layout and, with fused
// multiply-add, instruction set; other columns stay as they are where one is bad; quotients.

#include <gtest/gtest.h>

#include <complex>
#include <iterator>
#include <limits>
#include <vector>

#include "support/instruction_sets.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/backend/threads.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/simd/core/small_solve.hpp"
#include "trifac/factor_solve.hpp"
#include "trifac/fixed_size.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"
#include "trifac/triangular_solve.hpp"

namespace trifac::test {
namespace {

constexpr operation all_operations[] = {operation::none, operation::transpose, operation::adjoint};
constexpr index_t orders[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 64};
constexpr index_t widths[] = {1, 2, 3, 4, 8, 9, 16, 17, 33, 64};

template <class T>
class SmallSolve : public testing::Test {};
TYPED_TEST_SUITE(SmallSolve, lapack_scalars, scalar_names);

/// Solves with the first columns of B in every layout: the bits of each are those of the column on
/// its own, and the residual is small.
template <class T, class Factor>
void expect_same_bits(const Factor& f, matrix_view<const T> A, operation op,
                      matrix_view<const T> B) {
  const index_t n = A.rows();
  const matrix<T> op_A = applied(op, A);
  matrix<T> expected(B);
  for (index_t j = 0; j < B.cols(); ++j) ASSERT_TRUE(try_solve(f, expected.view().col(j), op));
  EXPECT_TRUE(within(solve_ratio<T>(op_A, expected, matrix<T>(B))));
  for (const index_t r : widths)
    for (const layout where : all_layouts) {
      SCOPED_TRACE(testing::Message() << r << " right-hand sides, " << to_string(where));
      placed_matrix<T> X(B.block(0, 0, n, r), where);
      ASSERT_TRUE(try_solve(f, X.view(), op));
      EXPECT_TRUE(same_bits(X.view(), expected.view().block(0, 0, n, r)));
      EXPECT_TRUE(X.guards_untouched());
    }
}

TYPED_TEST(SmallSolve, SameBitsForAnyNumberOfRightHandSidesInAnyLayout) {
  using T = TypeParam;
  random_source random(1501);
  for (const index_t n : orders) {
    const matrix<T> S = random_spd<T>(random, n), A = random_matrix<T>(random, n, n),
                    B = random_matrix<T>(random, n, 64);
    for (const layout where : {layout::padded, layout::row_major, layout::strided}) {
      placed_matrix<T> L(S, where), U(S, where), LU(A, where);
      const auto f = try_cholesky(L.view()), g = try_cholesky(U.view(), {.part = triangle::upper});
      const auto h = try_lu(LU.view());
      ASSERT_TRUE(f && g && h);
      for (const operation op : all_operations) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", factor " << to_string(where)
                                        << ", operation " << static_cast<int>(op));
        expect_same_bits<T>(f, S, op, B.view());
        expect_same_bits<T>(g, S, op, B.view());
        expect_same_bits<T>(h, A, op, B.view());
      }
    }
  }
}

/// Above order 80 for as many right-hand sides as fill more than half of a vector of 32 bytes;
/// above 64 of them in groups.
TYPED_TEST(SmallSolve, LargerOrdersHaveTheSameBitsForManyRightHandSidesInAnyLayout) {
  using T = TypeParam;
  constexpr index_t half_a_vector = 16 / index_t{sizeof(real_t<T>)}, all = 120;
  random_source random(1505);
  int count = 0;
  for (const index_t n : {80, 81, 256}) {
    const matrix<T> S = random_spd<T>(random, n), A = random_matrix<T>(random, n, n),
                    B = random_matrix<T>(random, n, all);
    const index_t step = n <= 80 ? 1 : half_a_vector + 1;
    const auto check = [&](const auto& f, const matrix<T>& factored) {
      const operation op = all_operations[count++ % 3];
      SCOPED_TRACE(testing::Message() << "n = " << n << ", operation " << static_cast<int>(op));
      matrix<T> expected = B;
      for (index_t j = 0; j < all; j += step)
        ASSERT_TRUE(try_solve(f, expected.view().block(0, j, n, step), op));
      EXPECT_TRUE(within(solve_ratio<T>(applied<T>(op, factored.view()), expected, B)));
      for (const index_t r : {step, step + 1, index_t{20}, index_t{64}, index_t{65}, all})
        for (const layout where : {layout::padded, layout::row_major_padded, layout::strided}) {
          SCOPED_TRACE(testing::Message() << r << " right-hand sides, " << to_string(where));
          placed_matrix<T> X(B.view().block(0, 0, n, r), where),
              Y(B.view().block(0, 0, n, r), where);
          ASSERT_TRUE(try_solve(f, X.view(), op));
          ASSERT_TRUE(try_solve(backend::threads{.threads = 3}, f, Y.view(), op));
          EXPECT_TRUE(same_bits(X.view(), expected.view().block(0, 0, n, r)));
          EXPECT_TRUE(same_bits(Y.view(), X.view()));
          EXPECT_TRUE(X.guards_untouched() && Y.guards_untouched());
        }
    };
    for (const layout where : {layout::padded, layout::row_major}) {
      placed_matrix<T> L(S, where), U(S, where), LU(A, where);
      check(try_cholesky(L.view()), S);
      check(try_cholesky(U.view(), {.part = triangle::upper}), S);
      check(try_lu(LU.view()), A);
    }
  }
}

TYPED_TEST(SmallSolve, ABadColumnLeavesTheOthersAsTheyAre) {
  using T = TypeParam;
  random_source random(1502);
  for (const index_t n : {3, 8, 20}) {
    matrix<T> LU = random_matrix<T>(random, n, n);
    const auto f = try_lu(LU);
    const matrix<T> B = random_matrix<T>(random, n, 20);
    matrix<T> expected = B;
    ASSERT_TRUE(try_solve(f, expected));
    for (index_t bad = 0; bad < 20; ++bad) {
      matrix<T> X = B;
      X(bad % n, bad) = T(std::numeric_limits<real_t<T>>::quiet_NaN());
      ASSERT_TRUE(try_solve(f, X));
      for (index_t j = 0; j < 20; ++j)
        EXPECT_TRUE(j == bad || same_bits(X.view().col(j), expected.view().col(j)));
      EXPECT_FALSE(detail::is_finite(X(0, bad)));
    }
  }
}

/// A in fixed-size types.
template <index_t N, class T>
void expect_ones_of_known_order(const matrix<T>& A, const matrix<T>& ones) {
  matrix<T, N, N> D;
  matrix<T, N, 1> x, y;
  blas::copy<T>(A.view(), D.view());
  for (index_t k = 0; k < N; ++k) x(k, 0) = y(k, 0) = A(k, k);
  EXPECT_TRUE(try_solve(triangular_view(D.view(), triangle::lower), y));
  EXPECT_TRUE(try_lu_solve(D, x));
  EXPECT_TRUE(same_bits(x.view(), ones.view()) && same_bits(y.view(), ones.view())) << N;
}

// diag(a)·x = a: x is one, not the product of a and a reciprocal.
TYPED_TEST(SmallSolve, LuAndTrianglesGiveExactQuotients) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(1505);
  for (const index_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 24, 64, 81, 200, 256, 300})
    for (const index_t r : {1, 2, 6, 40}) {
      if (n > 256 && r > 6) continue;
      matrix<T> A(n, n), B(n, r), ones(n, r);
      for (index_t k = 0; k < n; ++k) {
        A(k, k) = k == 0 ? T(R(49)) : T(R(2) + R(random.uniform()));
        for (index_t j = 0; j < r; ++j) B(k, j) = A(k, k), ones(k, j) = T(R(1));
      }
      for (const layout where : all_layouts) {
        const bool has_gaps = where == layout::strided || where == layout::reversed;
        if (n > 256 && has_gaps) continue;
        SCOPED_TRACE(testing::Message() << n << ", " << r << ", " << to_string(where));
        placed_matrix<T> LU(A.view(), where);
        const auto f = lu(LU.view());
        for (const operation op : all_operations) {
          matrix<T> X = B;
          solve(f, X, op);
          EXPECT_TRUE(same_bits(X.view(), ones.view()));
          for (const triangle part : {triangle::lower, triangle::upper}) {
            X = B;
            solve(triangular_view(LU.view(), part), X, op);
            EXPECT_TRUE(same_bits(X.view(), ones.view()));
          }
        }
      }
      if (r > 1) continue;
      if (n == 1) expect_ones_of_known_order<1>(A, ones);
      if (n == 3) expect_ones_of_known_order<3>(A, ones);
      if (n == 6) expect_ones_of_known_order<6>(A, ones);
    }
}

// Their inverses are infinite: such triangles are divided by, as ones of any order are.
TYPED_TEST(SmallSolve, TinyPivotsAreDividedBy) {
  using T = TypeParam;
  constexpr auto tiny = std::numeric_limits<real_t<T>>::denorm_min();
  for (const index_t n : {9, 100})
    for (const index_t r : {1, 5, 12, 70}) {
      matrix<T> LU(n, n), B(n, r);
      for (index_t k = 0; k < n; ++k) {
        LU(k, k) = k == 4 ? T(tiny) : T(2);
        for (index_t j = 0; j < r; ++j) B(k, j) = k == 4 ? T(3 * tiny) : T(8);
      }
      const lu_factor<T> f(LU.view(), pivots(n), status());
      ASSERT_TRUE(try_solve(f, B));
      for (index_t k = 0; k < n; ++k)
        for (index_t j = 0; j < r; ++j)
          EXPECT_EQ(B(k, j), T(k == 4 ? real_t<T>(3) : real_t<T>(4))) << n << " " << r;
    }
  // L = diag(…, l, …) with 1/l = ∞, and b/l² a power of two again.
  const real_t<T> l = std::numeric_limits<real_t<T>>::min() / 16, x = tiny / l / l;
  for (const index_t n : {1, 5, 9, 100})
    for (const index_t r : {1, 5, 12, 70}) {
      matrix<T> L(n, n), B(n, r);
      for (index_t k = 0; k < n; ++k) {
        L(k, k) = k == n / 2 ? T(l) : T(2);
        for (index_t j = 0; j < r; ++j) B(k, j) = T(k == n / 2 ? tiny : real_t<T>(8));
      }
      const cholesky_factor<T> f(L.view(), triangle::lower, status());
      ASSERT_TRUE(try_solve(f, B));
      for (index_t k = 0; k < n; ++k)
        for (index_t j = 0; j < r; ++j)
          EXPECT_EQ(B(k, j), T(k == n / 2 ? x : real_t<T>(2))) << n << " " << r;
    }
}

template <class T>
class SmallFactor : public testing::Test {};
TYPED_TEST_SUITE(SmallFactor, lapack_scalars, scalar_names);

/// Both ways through the same matrix: the same status, and where it is one of success the same
/// bits.
template <class T, class Small, class Packed>
void expect_same_factor(matrix_view<const T> A, layout where, Small small, Packed packed) {
  placed_matrix<T> X(A, where), Y(A, where);
  const auto f = small(X.view());
  const auto g = packed(Y.view());
  EXPECT_EQ(f.status(), g.status()) << f.status().message() << ", " << g.status().message();
  EXPECT_TRUE(!g.status().completed() || same_bits(X.view(), Y.view()));
  EXPECT_TRUE(X.guards_untouched());
  if constexpr (requires { f.interchanges(); }) {
    EXPECT_TRUE(!g.status().completed() || f.interchanges() == g.interchanges());
  }
}
template <class T>
void expect_same_factors(matrix_view<const T> A, matrix_view<const T> S) {
  for (const layout where : {layout::padded, layout::row_major_padded, layout::strided}) {
    SCOPED_TRACE(testing::Message() << "n = " << A.rows() << ", " << to_string(where));
    expect_same_factor<T>(
        A, where, [](matrix_view<T> X) { return try_lu(X); },
        [](matrix_view<T> Y) { return try_lu<variant::packed>(Y); });
    for (const triangle part : {triangle::lower, triangle::upper})
      expect_same_factor<T>(
          S, where, [&](matrix_view<T> X) { return try_cholesky(X, {.part = part}); },
          [&](matrix_view<T> Y) { return try_cholesky<variant::packed>(Y, {.part = part}); });
  }
}

TYPED_TEST(SmallFactor, HasTheBitsOfThePackedVariant) {
  using T = TypeParam;
  using limits = std::numeric_limits<real_t<T>>;
  random_source random(1505);
  // By scalars, in registers of one packet of rows to three, and above.
  for (const index_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 17, 23, 24, 25, 40, 48, 49})
    for (int turn = 0; turn < (n <= 10 ? 4 : 2); ++turn) {
      const matrix<T> A = random_matrix<T>(random, n, n), S = random_spd<T>(random, n);
      expect_same_factors<T>(A.view(), S.view());
      matrix<T> ties(n, n), bad = A, bad_S = S;  // rows of equal size, and pivots of zero
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i)
          ties(i, j) = T(static_cast<real_t<T>>(static_cast<int>(random.below(3)) - 1));
      expect_same_factors<T>(ties.view(), ties.view());
      const index_t i = random.below(n);
      for (const real_t<T> x : {limits::quiet_NaN(), limits::infinity(), limits::denorm_min(),
                                limits::max(), real_t<T>(0), real_t<T>(-1)}) {
        bad(i, random.below(n)) = T(x);
        bad_S(i, i) = T(x);
        expect_same_factors<T>(bad.view(), bad_S.view());
      }
    }
}

// The packed variant subtracts 0·u from rows of U, which turns −0 to 0; scalars leave them alone.
TYPED_TEST(SmallFactor, ZerosOfEitherSignAreEqual) {
  using T = TypeParam;
  random_source random(1506);
  for (index_t n = 2; n <= 8; ++n)
    for (int turn = 0; turn < 20; ++turn) {
      matrix<T> A(n, n);
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i)
          A(i, j) = random.below(3) == 0 ? T(static_cast<real_t<T>>(random.below(5)) - 2) : T(-0.0);
      matrix<T> B = A;
      pivots p, q;
      EXPECT_EQ(try_lu(A, p).status(), try_lu<variant::packed>(B, q).status());
      EXPECT_EQ(p, q);
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i) EXPECT_EQ(A(i, j), B(i, j)) << n;
    }
}

// Ranges that meet are looked at element by element, as ever.
TEST(SmallSolveArguments, BlocksOfOneArrayAreNoOverlap) {
  random_source random(1503);
  matrix<double> both = random_spd<double>(random, 8);
  matrix<double> stored(20, 8);
  for (index_t j = 0; j < 8; ++j)
    for (index_t i = 0; i < 8; ++i) stored(i, j) = both(i, j);
  for (index_t j = 0; j < 8; ++j) stored(8, j) = 1;
  const auto f = try_cholesky(stored.view().block(0, 0, 8, 8));
  EXPECT_TRUE(try_solve(f, stored.view().block(8, 0, 8, 3)));
  EXPECT_EQ(try_solve(f, stored.view().block(4, 0, 8, 3)).argument(), "B");
  EXPECT_EQ(try_solve(f, stored.view().block(0, 0, 8, 1), static_cast<operation>(7)).kind(),
            status_kind::invalid_argument);
}

#if TRIFAC_SIMD
/// X := U⁻ᴴ·L⁻¹·P·B on one instruction set, for triangles of no matrix in particular.
template <class T>
matrix<T> solved_on(simd::isa set, const matrix<T>& A, const pivots& p, const matrix<T>& B) {
  matrix<T> X = B;
  const operand<T> below(A.view()), above = adjoint(A.view());
  simd::small_solve<T> solve = {X.view(), simd::forward_triangle(below, simd::division::exact),
                                simd::backward_triangle(above, simd::division::by_reciprocal)};
  solve.before = p.data();
  solve.after = p.data();
  simd::with_isa(set, [&](auto target) { substitute_small(target, solve); });
  return X;
}

template <class T>
void expect_same_bits_on_all_sets() {
  random_source random(1504);
  const auto sets = sets_here();
  std::vector<index_t> all_orders(std::begin(orders), std::end(orders));
  all_orders.insert(all_orders.end(), {80, 81, simd::small_solve_rows});
  for (const index_t n : all_orders) {
    const matrix<T> A = random_spd<T>(random, n);
    pivots p(n);
    for (index_t k = 0; k < n; ++k) p[k] = k + random.below(n - k);
    for (const index_t r : {1, 5, 20}) {
      const matrix<T> B = random_matrix<T>(random, n, r);
      const matrix<T> expected = solved_on<T>(sets.back(), A, p, B);
      for (const simd::isa set : sets) {
        if (to_string(set) == "baseline") continue;
        const matrix<T> X = solved_on<T>(set, A, p, B);
        EXPECT_TRUE(same_bits(X.view(), expected.view()))
            << simd::to_string(set) << ", n = " << n << ", r = " << r;
      }
    }
  }
}

TEST(SmallSolveKernel, SameBitsOnAllSetsWithFusedMultiplyAdd) {
  expect_same_bits_on_all_sets<double>();
  expect_same_bits_on_all_sets<std::complex<float>>();
}
#endif

}  // namespace
}  // namespace trifac::test
