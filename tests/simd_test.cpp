// The kernels behind Cholesky, products and triangular solves, on every instruction set that this
// CPU has: against the plain loops, at the edges of vectors, tiles and panels, in every layout; and
// the sets against each other, bit by bit. The public calls are in cholesky_test.cpp.

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/instruction_sets.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/random.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/backend/serial.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/cholesky/blocked.hpp"
#include "trifac/engine/panel/packed_cholesky.hpp"
#include "trifac/engine/simd/core/few_right_hand_sides.hpp"
#include "trifac/engine/simd/core/solve_triangular.hpp"

namespace trifac::test {
namespace {

TEST(InstructionSet, HasANameThatLeadsBack) {
  for (std::size_t i = 0; i < simd::isa_names.size(); ++i) {
    const auto set = simd::isa_from_string(simd::isa_names[i], simd::isa{});
    EXPECT_EQ(set, static_cast<simd::isa>(i));
    EXPECT_EQ(to_string(set), simd::isa_names[i]);
  }
  const simd::isa highest = simd::detected_isa();
  EXPECT_EQ(simd::isa_from_string("mmx", highest), highest);
  EXPECT_EQ(simd::isa_from_string("", highest), highest);
}

TEST(InstructionSet, IsNeverAboveTheCpu) {
  EXPECT_LE(simd::active_isa(), simd::detected_isa());
}

#if TRIFAC_SIMD

TEST(InstructionSet, IsTheOneAskedFor) {
  for (simd::isa set : sets_here())
    simd::with_isa(set, [&](auto target) { EXPECT_EQ(decltype(target)::set, set); });
}

// ---- products
// ----------------------------------------------------------------------------------------------

template <class T>
struct product {
  index_t m, n, k;
  layout of_a, of_b, of_c;
  bool conjugate_a = false, conjugate_b = false;
};

/// |C − C'| ≤ k·ε·(sum of |a||b|, at most k), C' from the plain loops.
template <class T>
void expect_product(simd::isa set, random_source& random, const product<T>& p) {
  SCOPED_TRACE(testing::Message() << to_string(set) << ", " << p.m << "×" << p.n << "×" << p.k
                                  << ", " << to_string(p.of_c) << " −= " << to_string(p.of_a)
                                  << (p.conjugate_a ? "*" : "") << " · " << to_string(p.of_b)
                                  << (p.conjugate_b ? "*" : ""));
  const placed_matrix<T> A(random_matrix<T>(random, p.m, p.k), p.of_a);
  const placed_matrix<T> B(random_matrix<T>(random, p.k, p.n), p.of_b);
  matrix<T> expected = random_matrix<T>(random, p.m, p.n);
  placed_matrix<T> C(expected.view(), p.of_c);
  const operand<T> a(A.view(), p.conjugate_a), b(B.view(), p.conjugate_b);
  blas::update(expected.view(), a, b);
  simd::with_isa(set, [&](auto target) { simd::update_on(target, C.view(), a, b); });
  const double bound = 8 * (static_cast<double>(p.k) + 2) *
                       std::numeric_limits<real_t<T>>::epsilon() * (static_cast<double>(p.k) + 1);
  for (index_t j = 0; j < p.n; ++j)
    for (index_t i = 0; i < p.m; ++i)
      ASSERT_LE(std::abs(C.view()(i, j) - expected(i, j)), bound) << i << ", " << j;
  EXPECT_TRUE(C.guards_untouched());
}

template <class T>
class Simd : public testing::Test {};
TYPED_TEST_SUITE(Simd, lapack_scalars, scalar_names);

TYPED_TEST(Simd, UpdateAtTheEdgesOfTiles) {
  using T = TypeParam;
  random_source random(11);
  for (simd::isa set : sets_here())
    for (index_t m : {1, 3, 8, 15, 16, 17, 24, 25, 49, 97})
      for (index_t n : {1, 4, 7, 8, 9, 17})
        for (index_t k : {1, 2, 33})
          expect_product<T>(set, random, {m, n, k, layout::padded, layout::padded, layout::padded});
}

TYPED_TEST(Simd, UpdateInEveryLayout) {
  using T = TypeParam;
  random_source random(12);
  for (simd::isa set : sets_here())
    for (layout a : all_layouts)
      for (layout b : all_layouts)
        for (layout c : all_layouts)
          for (int conjugated = 0; conjugated < (is_complex<T> ? 4 : 1); ++conjugated)
            expect_product<T>(set, random,
                              {37, 19, 21, a, b, c, (conjugated & 1) != 0, (conjugated & 2) != 0});
}

TYPED_TEST(Simd, UpdateOfSeveralBlocks) {
  using T = TypeParam;
  random_source random(13);
  for (simd::isa set : sets_here())
    for (layout c : padded_layouts)
      expect_product<T>(set, random, {530, 20, 600, layout::packed, layout::row_major, c});
}

TYPED_TEST(Simd, UpdateDoesNotDependOnHowItIsCut) {
  using T = TypeParam;
  random_source random(14);
  const matrix<T> A = random_matrix<T>(random, 70, 300), B = random_matrix<T>(random, 300, 45);
  const matrix<T> C = random_matrix<T>(random, 70, 45);
  for (simd::isa set : sets_here()) {
    matrix<T> whole = C, parts = C;
    simd::with_isa(set, [&](auto target) {
      const operand<T> a(A.view()), b(B.view());
      simd::update_on(target, whole.view(), a, b);
      for (index_t i = 0; i < 70; i += 9)
        for (index_t j = 0; j < 45; j += 13) {
          const index_t m = std::min<index_t>(9, 70 - i), n = std::min<index_t>(13, 45 - j);
          simd::update_on(target, parts.view().block(i, j, m, n), a.block(i, 0, m, 300),
                          b.block(0, j, 300, n));
        }
    });
    EXPECT_TRUE(same_bits(whole.view(), parts.view())) << to_string(set);
  }
}

TYPED_TEST(Simd, UpdateLower) {
  using T = TypeParam;
  random_source random(15);
  for (simd::isa set : sets_here())
    for (index_t n : {1, 7, 16, 17, 50, 131})
      for (index_t k : {1, 20, 270})
        for (layout c : all_layouts) {
          SCOPED_TRACE(testing::Message()
                       << to_string(set) << ", n = " << n << ", k = " << k << ", " << to_string(c));
          const placed_matrix<T> A(random_matrix<T>(random, n, k), layout::padded);
          matrix<T> expected = random_spd<T>(random, n);
          placed_matrix<T> C(n, n, c);
          C.assign(expected.view(), in_triangle(triangle::lower));
          C.remember();
          blas::update_lower<T>(expected.view(), A.view());
          simd::with_isa(set, [&](auto target) {
            simd::update_lower_on<decltype(target), T>(target, C.view(), A.view());
          });
          const double bound = 8 * (static_cast<double>(k) + 2) * static_cast<double>(k + n) *
                               std::numeric_limits<real_t<T>>::epsilon();
          for (index_t j = 0; j < n; ++j) {
            for (index_t i = j; i < n; ++i)
              ASSERT_LE(std::abs(C.view()(i, j) - expected(i, j)), bound) << i << ", " << j;
            EXPECT_EQ(std::imag(C.view()(j, j)), 0);
          }
          EXPECT_TRUE(C.untouched_except(in_triangle(triangle::lower)));
        }
}

// ---- triangular solves
// -------------------------------------------------------------------------------------

/// A well-conditioned triangle; the rest is NaN.
template <class T>
matrix<T> triangle_matrix(random_source& random, index_t n, triangle part) {
  matrix<T> A = random_matrix<T>(random, n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) {
      if (!in_triangle(part)(i, j)) A(i, j) = T(std::numeric_limits<real_t<T>>::quiet_NaN());
      if (i == j) A(i, j) = A(i, j) + T(static_cast<real_t<T>>(n + 2));
    }
  return A;
}

TYPED_TEST(Simd, SolvesWithATriangle) {
  using T = TypeParam;
  random_source random(16);
  for (simd::isa set : sets_here())
    for (index_t n : {1, 5, 8, 9, 16, 33, 100})
      for (index_t r : {4, 17, 60})
        for (triangle part : {triangle::lower, triangle::upper})
          for (diagonal diag : {diagonal::non_unit, diagonal::unit})
            for (layout where : all_layouts) {
              SCOPED_TRACE(testing::Message()
                           << to_string(set) << ", n = " << n << ", r = " << r << ", "
                           << to_string(where) << (part == triangle::lower ? " lower" : " upper")
                           << (diag == diagonal::unit ? " unit" : ""));
              matrix<T> A = triangle_matrix<T>(random, n, part);
              if (diag == diagonal::unit)  // keep its inverse small
                for (index_t j = 0; j < n; ++j)
                  for (index_t i = 0; i < n; ++i) A(i, j) = A(i, j) / T(static_cast<real_t<T>>(n));
              matrix<T> expected = random_matrix<T>(random, n, r);
              placed_matrix<T> B(expected.view(), where);
              const operand<T> a(std::as_const(A).view());
              simd::with_isa(set, [&](auto target) {
                if (part == triangle::lower)
                  simd::solve_on<simd::substitution::forward>(target, a, B.view(), diag);
                else
                  simd::solve_on<simd::substitution::backward>(target, a, B.view(), diag);
              });
              if (part == triangle::lower)
                blas::solve_lower(a, expected.view(), diag);
              else
                blas::solve_upper(a, expected.view(), diag);
              const double bound =
                  100 * (static_cast<double>(n) + 1) * std::numeric_limits<real_t<T>>::epsilon();
              for (index_t j = 0; j < r; ++j)
                for (index_t i = 0; i < n; ++i)
                  ASSERT_LE(std::abs(B.view()(i, j) - expected(i, j)), bound) << i << ", " << j;
              EXPECT_TRUE(B.guards_untouched());
            }
}

/// Solves with a few columns in place of B and compares with the plain loops.
template <class T>
void expect_solves_few(simd::isa set, triangle part, const operand<T>& A, diagonal diag,
                       const matrix<T>& B, layout where) {
  SCOPED_TRACE(testing::Message() << to_string(set) << ", n = " << B.rows() << ", r = " << B.cols()
                                  << ", " << to_string(where)
                                  << (part == triangle::lower ? ", lower" : ", upper")
                                  << (diag == diagonal::unit ? ", unit" : "")
                                  << (A.conjugated ? ", conjugated" : "")
                                  << (A.view.row_stride() == 1 ? ", by columns" : ", by rows"));
  placed_matrix<T> X(B, where);
  matrix<T> expected = B;
  simd::with_isa(set, [&](auto target) {
    if (part == triangle::lower)
      substitute_few<simd::substitution::forward>(target, A, X.view(), diag);
    else
      substitute_few<simd::substitution::backward>(target, A, X.view(), diag);
  });
  if (part == triangle::lower)
    blas::solve_lower(A, expected.view(), diag);
  else
    blas::solve_upper(A, expected.view(), diag);
  const double bound =
      100 * (static_cast<double>(B.rows()) + 1) * std::numeric_limits<real_t<T>>::epsilon();
  for (index_t j = 0; j < B.cols(); ++j)
    for (index_t i = 0; i < B.rows(); ++i)
      ASSERT_TRUE(std::abs(X.view()(i, j) - expected(i, j)) <= bound) << i << ", " << j;
  EXPECT_TRUE(X.guards_untouched());
}

TYPED_TEST(Simd, SolvesWithFewColumns) {
  using T = TypeParam;
  random_source random(18);
  for (index_t n : {1, 2, 3, 7, 8, 9, 16, 23, 64, 67, 150, 590})
    for (triangle part : {triangle::lower, triangle::upper})
      for (diagonal diag : {diagonal::non_unit, diagonal::unit}) {
        matrix<T> A = triangle_matrix<T>(random, n, part);
        if (diag == diagonal::unit)  // keep its inverse small
          for (index_t j = 0; j < n; ++j)
            for (index_t i = 0; i < n; ++i) A(i, j) = A(i, j) / T(static_cast<real_t<T>>(n));
        for (layout factor : padded_layouts) {
          const placed_matrix<T> stored(A.view(), factor);
          for (index_t r : {1, 2, 3, 6}) {
            if (n > 150 && (r != 6 || diag == diagonal::unit)) continue;  // once is enough
            const matrix<T> B = random_matrix<T>(random, n, r);
            for (bool conjugated : {false, is_complex<T>})
              for (layout where : all_layouts) {
                if (n > 67 && where != layout::padded && where != layout::strided) continue;
                for (simd::isa set : sets_here())
                  expect_solves_few<T>(set, part,
                                       operand<T>(std::as_const(stored).view(), conjugated), diag,
                                       B, where);
              }
          }
        }
      }
}

TYPED_TEST(Simd, SolvesWithFewColumnsDivideByTinyPivotsAndByZero) {
  using T = TypeParam;
  constexpr auto tiny = std::numeric_limits<real_t<T>>::denorm_min();
  for (simd::isa set : sets_here())
    for (layout factor : padded_layouts) {
      matrix<T> L(20, 20), B(20, 2);
      for (index_t k = 0; k < 20; ++k) {
        L(k, k) = T(real_t<T>(2));
        B(k, 0) = B(k, 1) = T(real_t<T>(8));
      }
      L(12, 12) = T(tiny);
      L(15, 15) = T(0);
      B(12, 0) = B(12, 1) = T(3 * tiny);
      const placed_matrix<T> stored(L.view(), factor);
      simd::with_isa(set, [&](auto target) {
        substitute_few<simd::substitution::forward>(target, operand<T>(stored.view()), B.view(),
                                                    diagonal::non_unit);
      });
      for (index_t k = 0; k < 20; ++k)
        for (index_t j = 0; j < 2; ++j) {
          SCOPED_TRACE(testing::Message() << to_string(set) << ", row " << k);
          if (k < 15)
            EXPECT_EQ(B(k, j), T(real_t<T>(k == 12 ? 3 : 4)));
          else  // 0·∞ in the rows after the zero
            EXPECT_FALSE(detail::is_finite(B(k, j)));
        }
    }
}

TYPED_TEST(Simd, SolvesDivideByZeroAndByTinyPivots) {
  using T = TypeParam;
  random_source random(17);
  for (simd::isa set : sets_here()) {
    matrix<T> A = triangle_matrix<T>(random, 20, triangle::lower);
    A(12, 12) = T(std::numeric_limits<real_t<T>>::denorm_min());
    A(15, 15) = T(0);
    matrix<T> B = random_matrix<T>(random, 20, 9);
    for (index_t k = 0; k < 12; ++k) A(12, k) = T(0);
    for (index_t j = 0; j < 9; ++j)
      B(12, j) = T(real_t<T>(3) * std::numeric_limits<real_t<T>>::denorm_min());
    const operand<T> a(std::as_const(A).view());
    simd::with_isa(set, [&](auto target) {
      simd::solve_on<simd::substitution::forward>(target, a, B.view(), diagonal::non_unit);
    });
    for (index_t j = 0; j < 9; ++j) {
      EXPECT_EQ(B(12, j), T(3)) << to_string(set);
      for (index_t i = 0; i < 15; ++i) EXPECT_TRUE(detail::is_finite(B(i, j)));
      EXPECT_FALSE(detail::is_finite(B(15, j))) << to_string(set);
    }
  }
}

// ---- Cholesky
// ----------------------------------------------------------------------------------------------

/// The lower triangle of A by packed panels of one instruction set, in exactly the memory they ask
/// for.
template <class T>
status factor_with(simd::isa set, matrix_view<T> A, index_t block) {
  using panel = simd::packed_cholesky_panel<T>;
  const index_t n = A.rows();
  const std::size_t bytes = panel::bytes(set, n, std::min(block, n));
  detail::workspace memory({}, bytes + detail::workspace_alignment);
  std::byte* const at = memory.take_bytes(bytes);
  status outcome;
  backend::run(backend::serial{}, outcome, 0,
               [&](auto& on) { cholesky_blocked(on, panel(set, A, n, block, at, at)); });
  return outcome;
}

TYPED_TEST(Simd, CholeskyOfEverySizeAndBlock) {
  using T = TypeParam;
  random_source random(21);
  for (index_t n :
       {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 24, 25, 31, 32, 33, 48, 63, 65, 130})
    for (index_t block : {16, 48, 256})
      for (layout where : all_layouts) {
        const matrix<T> A = random_spd<T>(random, n);
        for (simd::isa set : sets_here()) {
          SCOPED_TRACE(testing::Message() << to_string(set) << ", n = " << n
                                          << ", block = " << block << ", " << to_string(where));
          placed_matrix<T> L(n, n, where);
          L.assign(A.view(), in_triangle(triangle::lower));
          L.remember();
          ASSERT_TRUE(factor_with(set, L.view(), block));
          EXPECT_TRUE(
              within(cholesky_ratio<T>(A.view(), triangle::lower, std::as_const(L).view())));
          EXPECT_TRUE(L.untouched_except(in_triangle(triangle::lower)));
        }
      }
}

/// Sets whose multiply-add rounds once agree with each other, and no set's result depends on the
/// width of its panels.
TYPED_TEST(Simd, CholeskyHasTheSameBitsOnSetsWithFmaAndForAnyPanel) {
  using T = TypeParam;
  random_source random(22);
  for (index_t n : {1, 6, 8, 13, 17, 40, 100, 150})
    for (layout where : {layout::packed, layout::row_major}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", " << to_string(where));
      const matrix<T> A = random_spd<T>(random, n);
      std::vector<matrix<T>> factors;
      for (simd::isa set : sets_here()) {
        const auto factor = [&](index_t block) {
          placed_matrix<T> L(A.view(), where);
          EXPECT_TRUE(factor_with(set, L.view(), block));
          return copy_of(L.view());
        };
        const matrix<T> L = factor(1024);
        for (const index_t block : {16, 64}) {
          const matrix<T> by_block = factor(block);
          EXPECT_TRUE(same_bits(L.view(), by_block.view())) << to_string(set);
        }
        if (simd::with_isa(set, [](auto target) { return decltype(target)::has_fma; }))
          factors.push_back(L);
      }
      for (const matrix<T>& L : factors) EXPECT_TRUE(same_bits(L.view(), factors.front().view()));
    }
}

/// D·B·D with d_i a power of two: pivots over the whole range of the type, subnormal ones included,
/// each of them exact to the last bit that a subnormal number has.
TYPED_TEST(Simd, CholeskyWithTinyHugeAndSubnormalPivots) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(23);
  const int lowest = std::numeric_limits<R>::min_exponent - std::numeric_limits<R>::digits + 8;
  const int highest = std::numeric_limits<R>::max_exponent - 8;
  for (index_t n : {5, 8, 20, 33})
    for (int range = 0; range < 4; ++range) {
      // Diagonal elements 2^e, spread over the lower end, the upper end, everything, and where
      // their squares become subnormal.
      const int half = std::numeric_limits<R>::min_exponent / 2;
      const int from = range == 1 ? highest - 40 : range == 3 ? half - 20 : lowest;
      const int to = range == 0 ? lowest + 40 : range == 3 ? half + 20 : highest;
      matrix<T> A(n, n);
      for (index_t i = 0; i < n; ++i) {
        const int e = from + static_cast<int>((i * 7919) % n) * ((to - from) / static_cast<int>(n));
        A(i, i) = T(std::ldexp(R(1), e));
      }
      for (index_t j = 0; j < n; ++j)  // a_ij = sqrt(a_ii·a_jj)/(8n), zero where it underflows
        for (index_t i = j + 1; i < n; ++i) {
          const R scale =
              std::sqrt(detail::real_part(A(i, i))) * std::sqrt(detail::real_part(A(j, j)));
          A(i, j) = T(scale / static_cast<R>(8 * n));
          A(j, i) = detail::conjugate(A(i, j));
        }
      std::vector<matrix<T>> factors;
      for (simd::isa set : sets_here()) {
        SCOPED_TRACE(testing::Message() << to_string(set) << ", n = " << n << ", range " << range);
        matrix<T> L = A;
        const status s = factor_with(set, L.view(), 16);
        ASSERT_TRUE(s) << s.message();
        // Every element against the diagonal: |A − L·Lᴴ|_ij ≤ c·ε·sqrt(a_ii·a_jj), or a few units
        // of the smallest subnormal number.
        for (index_t j = 0; j < n; ++j)
          for (index_t i = j; i < n; ++i) {
            std::complex<long double> sum(0);
            for (index_t k = 0; k <= j; ++k) {
              const std::complex<long double> a(std::real(L(i, k)), std::imag(L(i, k)));
              const std::complex<long double> b(std::real(L(j, k)), std::imag(L(j, k)));
              sum += a * std::conj(b);
            }
            const std::complex<long double> a(std::real(A(i, j)), std::imag(A(i, j)));
            const long double size = std::sqrt(static_cast<long double>(std::real(A(i, i)))) *
                                     std::sqrt(static_cast<long double>(std::real(A(j, j))));
            const long double bound =
                4 * static_cast<long double>(n) *
                (std::numeric_limits<R>::epsilon() * size + std::numeric_limits<R>::denorm_min());
            ASSERT_LE(std::abs(sum - a), bound) << i << ", " << j;
          }
        if (simd::with_isa(set, [](auto target) { return decltype(target)::has_fma; }))
          factors.push_back(L);
      }
      for (const matrix<T>& L : factors)
        for (index_t j = 0; j < n; ++j)
          EXPECT_TRUE(same_bits(L.view().block(j, j, n - j, 1),
                                factors.front().view().block(j, j, n - j, 1)));
    }
}

TYPED_TEST(Simd, CholeskyNamesTheFirstBadPivotAndLeavesTheFactorBeforeIt) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(24);
  const index_t n = 50;
  const R bad_values[] = {R(0), R(-1), std::numeric_limits<R>::quiet_NaN(),
                          std::numeric_limits<R>::infinity(), -std::numeric_limits<R>::infinity()};
  for (index_t k = 0; k < n; ++k)
    for (R value : {bad_values[k % 5], bad_values[(k + 2) % 5]})
      for (index_t block : {16, 64})
        for (layout where : {layout::padded, layout::row_major_padded, layout::strided}) {
          matrix<T> A = random_spd<T>(random, n);
          A(k, k) = T(value);
          if (value == 0)  // pivot k shall be exactly zero
            for (index_t j = 0; j < k; ++j) A(k, j) = T(0);
          for (simd::isa set : sets_here()) {
            SCOPED_TRACE(testing::Message() << to_string(set) << ", k = " << k << ", " << value
                                            << ", block = " << block << ", " << to_string(where));
            placed_matrix<T> L(A.view(), where);
            const status s = factor_with(set, L.view(), block);
            ASSERT_EQ(s.index(), k);
            ASSERT_EQ(s.kind(), std::isfinite(value) ? status_kind::not_positive_definite
                                                     : status_kind::not_finite);
            if (k > 0) {
              ASSERT_TRUE(within(cholesky_ratio<T>(std::as_const(A).view().block(0, 0, k, k),
                                                   triangle::lower,
                                                   std::as_const(L).view().block(0, 0, k, k))));
            }
          }
        }
}

#endif

}  // namespace
}  // namespace trifac::test
