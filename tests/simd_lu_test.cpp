// The LU kernels on every instruction set that this CPU has: against the plain loops, at the edges
// of vectors, tiles and panels, in every layout, and with what a pivot search must not stumble
// over. The public calls are in lu_test.cpp.

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/gallery.hpp"
#include "support/instruction_sets.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/pivot_cases.hpp"
#include "support/random.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/backend/serial.hpp"
#include "trifac/engine/lu/blocked.hpp"
#include "trifac/engine/panel/packed_lu.hpp"
#include "trifac/lu.hpp"

namespace trifac::test {
namespace {

#if TRIFAC_SIMD

struct factored {
  status outcome;
  std::vector<index_t> interchanges;
};

/// Partial pivoting by the kernels of one instruction set, in exactly the memory that is asked for.
template <class T>
factored factor_with(simd::isa set, matrix_view<T> A, index_t block) {
  const index_t steps = std::min(A.rows(), A.cols());
  factored f;
  f.interchanges.assign(static_cast<std::size_t>(steps), -1);
  const std::size_t bytes = simd::lu_panels_bytes<T>(A.rows(), A.cols(), block);
  detail::workspace memory({}, bytes);
  const simd::packed_lu_panel<T> first(set, A, f.interchanges, block, memory.take_bytes(bytes), {});
  backend::run(backend::serial{}, f.outcome, 0, [&](auto& on) { lu_blocked(on, first); });
  return f;
}

template <class T>
std::vector<index_t> plain_interchanges(matrix<T> A) {
  std::vector<index_t> p(static_cast<std::size_t>(std::min(A.rows(), A.cols())));
  (void)blas::factor_panel<T>(A, p);
  return p;
}

void expect_in_range(const std::vector<index_t>& interchanges, index_t rows, index_t known) {
  for (index_t k = 0; k < known; ++k)
    ASSERT_TRUE(k <= interchanges[k] && interchanges[k] < rows)
        << "step " << k << " exchanges with row " << interchanges[k];
}

template <class T>
class SimdLu : public testing::Test {};
TYPED_TEST_SUITE(SimdLu, lapack_scalars, scalar_names);

// Around the edges of vectors (4, 8, 16), strips (8), registers' worth of rows (64) and tiles (24,
// 48).
TYPED_TEST(SimdLu, FactorsEveryShapeWithEveryBlock) {
  using T = TypeParam;
  random_source random(501);
  for (simd::isa set : sets_here())
    for (index_t m : {1, 2, 7, 8, 9, 17, 31, 47, 49, 64, 65, 97})
      for (index_t n : {1, 3, 8, 9, 16, 23, 40, 65})
        for (index_t block : {1, 5, 8, 24, 100}) {
          SCOPED_TRACE(testing::Message()
                       << to_string(set) << ", " << m << "×" << n << ", block " << block);
          const matrix<T> A = random_matrix<T>(random, m, n);
          matrix<T> F = A;
          const factored f = factor_with<T>(set, F, block);
          ASSERT_TRUE(f.outcome.ok()) << f.outcome.message();
          expect_in_range(f.interchanges, m, std::min(m, n));
          ASSERT_TRUE(within(lu_ratio<T>(A.view(), F.view(), f.interchanges)));
        }
}

TYPED_TEST(SimdLu, NeitherLayoutNorBlockChangesTheInterchanges) {
  using T = TypeParam;
  random_source random(502);
  for (simd::isa set : sets_here())
    // In row-major storage the last ones have several groups of columns, and rows of U in memory of
    // both kinds.
    for (const auto& size :
         {std::pair<index_t, index_t>{50, 50}, {77, 30}, {30, 77}, {45, 431}, {230, 250}}) {
      const index_t m = size.first, n = size.second;

      const matrix<T> A = random_matrix<T>(random, m, n);
      matrix<T> expected = A;
      const auto pivots_expected = factor_with<T>(set, expected, 16).interchanges;
      EXPECT_EQ(factor_with<T>(set, matrix<T>(A), 100).interchanges, pivots_expected);
      for (layout where : all_layouts) {
        SCOPED_TRACE(testing::Message() << to_string(set) << ", " << to_string(where));
        placed_matrix<T> placed(A, where);
        EXPECT_EQ(factor_with<T>(set, placed.view(), 16).interchanges, pivots_expected);
        EXPECT_TRUE(same_bits(placed.view(), expected.view())) << "the layout changes bits";
        EXPECT_TRUE(placed.guards_untouched());
      }
    }
}

// In double a tie by rounding is out of the question for these seeds.
template <class T>
class SimdLuPivots : public testing::Test {};
TYPED_TEST_SUITE(SimdLuPivots, testing::Types<double>, );

TYPED_TEST(SimdLuPivots, AreThoseOfThePlainLoops) {
  using T = TypeParam;
  random_source random(503);
  for (simd::isa set : sets_here())
    for (index_t n : {5, 8, 33, 64, 72, 130, 200})
      for (index_t m : {n, 2 * n + 3}) {
        const matrix<T> A = random_matrix<T>(random, m, n);
        matrix<T> F = A;
        EXPECT_EQ(factor_with<T>(set, F, n <= 72 ? n : 32).interchanges, plain_interchanges(A))
            << to_string(set) << ", " << m << "×" << n;
      }
}

// Among up to 64 rows, where rows keep their places while eight columns are eliminated, among more,
// and in blocks.
TYPED_TEST(SimdLu, TiesGoToTheFirstRowInThePresentOrder) {
  using T = TypeParam;
  random_source random(511);
  for (simd::isa set : sets_here())
    for (index_t m : {3, 7, 8, 9, 16, 17, 25, 40, 64, 65, 100})
      for (index_t n : {m / 2, m, m + 9})
        for (const matrix<T>& A : matrices_with_ties<T>(random, m, n)) {
          const textbook_lu<T> expected = textbook(A);
          for (index_t block : {index_t(8), n}) {
            matrix<T> F = A;
            const factored f = factor_with<T>(set, F, block);
            EXPECT_TRUE(pivots_like<T>(expected, F, f.interchanges))
                << to_string(set) << ", " << m << "×" << n << ", block " << block;
          }
        }
}

// Every candidate of every column is ±2^k.
TYPED_TEST(SimdLu, TiesOfAllCandidates) {
  using T = TypeParam;
  for (simd::isa set : sets_here())
    for (index_t n : {8, 16, 32, 64, 128}) {
      matrix<T> F = hadamard<T>(n);
      const textbook_lu<T> expected = textbook(F);
      EXPECT_TRUE(expected.exact);
      const factored f = factor_with<T>(set, F, 32);
      EXPECT_TRUE(pivots_like<T>(expected, F, f.interchanges)) << to_string(set) << ", " << n;
    }
}

TYPED_TEST(SimdLu, InstructionSetsWithFmaAgreeToTheLastBit) {
  using T = TypeParam;
  std::vector<simd::isa> with_fma;
  for (simd::isa set : sets_here())
    if (simd::with_isa(set, [](auto target) { return decltype(target)::has_fma; }))
      with_fma.push_back(set);
  if (with_fma.size() < 2) GTEST_SKIP() << "needs AVX-512 and AVX2";
  random_source random(504);
  for (const auto& [m, n] :
       {std::pair<index_t, index_t>{8, 8}, {40, 40}, {129, 70}, {70, 129}, {300, 33}})
    for (index_t block : {24, 500}) {
      const matrix<T> A = random_matrix<T>(random, m, n);
      matrix<T> F = A, G = A;
      const auto f = factor_with<T>(with_fma.back(), F, block),
                 g = factor_with<T>(with_fma.front(), G, block);
      EXPECT_EQ(f.interchanges, g.interchanges);
      EXPECT_TRUE(same_bits(F.view(), G.view())) << m << "×" << n << ", block " << block;
    }
}

TYPED_TEST(SimdLu, TallAndWide) {
  using T = TypeParam;
  random_source random(505);
  for (simd::isa set : sets_here())
    for (const auto& size :
         {std::pair<index_t, index_t>{3001, 32}, {2000, 5}, {20, 1500}, {1, 300}, {300, 1}}) {
      const index_t m = size.first, n = size.second;

      const matrix<T> A = random_matrix<T>(random, m, n);
      matrix<T> F = A;
      const factored f = factor_with<T>(set, F, 16);
      EXPECT_TRUE(f.outcome.ok());
      EXPECT_TRUE(within(lu_ratio<T>(A.view(), F.view(), f.interchanges)))
          << to_string(set) << ", " << m << "×" << n;
    }
}

// The failure has the column's index, and every interchange stays in range, whatever row the bad
// element is in and however the column came to be eliminated.
TYPED_TEST(SimdLu, ABadElementIsFoundInItsColumn) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(506);
  for (simd::isa set : sets_here())
    for (R bad : {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity()})
      for (index_t n : {7, 24, 90})
        for (index_t column : {index_t(0), index_t(3), n / 2, n - 1})
          for (index_t row : {index_t(0), n / 3, n - 1}) {
            matrix<T> A = random_matrix<T>(random, n, n);
            A(row, column) = T(bad);
            const matrix<T> before = A;
            const factored f = factor_with<T>(set, A, 16);
            SCOPED_TRACE(testing::Message() << to_string(set) << ", n = " << n << ", " << bad
                                            << " in (" << row << ", " << column << ")");
            ASSERT_EQ(f.outcome.kind(), status_kind::not_finite);
            // A pivot row that carries it hands it on; else it is a candidate of its own column.
            EXPECT_EQ(f.outcome.index(), column);
            expect_in_range(f.interchanges, n, f.outcome.index() + 1);
          }
}

TYPED_TEST(SimdLu, AllBad) {
  using T = TypeParam;
  using R = real_t<T>;
  for (simd::isa set : sets_here())
    for (R bad : {std::numeric_limits<R>::quiet_NaN(), -std::numeric_limits<R>::infinity()})
      for (index_t n : {1, 9, 64, 200}) {
        matrix<T> A(n, n);
        for (index_t j = 0; j < n; ++j)
          for (index_t i = 0; i < n; ++i) A(i, j) = T(bad);
        const factored f = factor_with<T>(set, A, 64);
        EXPECT_EQ(f.outcome, status::at(status_kind::not_finite, 0))
            << to_string(set) << ", n = " << n;
        expect_in_range(f.interchanges, n, 1);
      }
}

TYPED_TEST(SimdLu, AZeroColumnIsRecordedAndSkipped) {
  using T = TypeParam;
  random_source random(507);
  for (simd::isa set : sets_here())
    for (index_t n : {1, 6, 40, 130})
      for (index_t zero : {index_t(0), n / 2, n - 1}) {
        matrix<T> A = random_matrix<T>(random, n, n);
        for (index_t i = 0; i < n; ++i) A(i, zero) = T(0);
        matrix<T> F = A;
        const factored f = factor_with<T>(set, F, 24);
        SCOPED_TRACE(testing::Message() << to_string(set) << ", n = " << n << ", column " << zero);
        EXPECT_EQ(f.outcome, status::at(status_kind::singular, zero));
        expect_in_range(f.interchanges, n, n);
        EXPECT_TRUE(within(lu_ratio<T>(A.view(), F.view(), f.interchanges)));
        for (index_t i = zero + 1; i < n; ++i) ASSERT_EQ(F(i, zero), T(0)) << "row " << i;
      }
}

// Pivots whose reciprocal overflows or underflows. A power of two changes no bit of L, as long as
// no element of U loses digits.
TYPED_TEST(SimdLu, ExtremePivotsAreDividedExactly) {
  using T = TypeParam;
  using R = real_t<T>;
  constexpr int top = std::numeric_limits<R>::max_exponent,
                bottom = std::numeric_limits<R>::min_exponent;
  random_source random(508);
  for (simd::isa set : sets_here())
    for (index_t n : {1, 8, 50, 100})
      for (int exponent : {top - 12, bottom + 30, bottom}) {
        // Integers below 2⁸ and no growth worth mentioning: diagonally dominant.
        matrix<T> A(n, n), F(n, n);
        for (index_t j = 0; j < n; ++j)
          for (index_t i = 0; i < n; ++i) {
            A(i, j) = number<T>(i == j ? 200 : static_cast<double>(random.bits() % 3));
            F(i, j) = A(i, j) * std::ldexp(R(1), exponent - 8);
          }
        const matrix<T> scaled = F;
        const factored f = factor_with<T>(set, F, 16);
        SCOPED_TRACE(testing::Message() << to_string(set) << ", n = " << n << ", 2^" << exponent);
        ASSERT_TRUE(f.outcome.ok()) << f.outcome.message();
        for (index_t j = 0; j < n; ++j)
          for (index_t i = j + 1; i < n; ++i)
            ASSERT_LE(detail::pivot_size(F(i, j)), R(2)) << i << ", " << j;
        if (exponent > bottom) {
          matrix<T> unscaled = A;
          (void)factor_with<T>(set, unscaled, 16);
          for (index_t j = 0; j < n; ++j)
            for (index_t i = j + 1; i < n; ++i)
              ASSERT_NEAR(static_cast<double>(detail::pivot_size(T(F(i, j) - unscaled(i, j)))), 0,
                          8 * static_cast<double>(std::numeric_limits<R>::epsilon()))
                  << i << ", " << j;
        }
      }
}

TYPED_TEST(SimdLu, TheCallersWorkspaceIsUsedUpToItsEnd) {
  using T = TypeParam;
  random_source random(510);
  const matrix<T> A = random_matrix<T>(random, 530, 460);
  for (index_t block : {0, 48, 192, 460}) {
    matrix<T> expected = A, F = A;
    lu_options options{.block = block};
    const auto f = lu(expected, options);
    const std::size_t bytes = lu_workspace_bytes<T>(530, 460, options);
    ASSERT_GT(bytes, 0u);
    std::vector<std::byte> memory(bytes + 64, std::byte{0xcd});
    options.workspace = std::span(memory).first(bytes);
    EXPECT_EQ(lu(F, options).interchanges(), f.interchanges());
    EXPECT_TRUE(same_bits(F.view(), expected.view()));
    for (std::size_t k = bytes; k < memory.size(); ++k)
      ASSERT_EQ(memory[k], std::byte{0xcd}) << "wrote beyond";
  }
}

TYPED_TEST(SimdLu, FullLargerMatricesAndTournaments) {
  using T = TypeParam;
  random_source random(509);
  for (const auto& size : {std::pair<index_t, index_t>{600, 600}, {1100, 520}, {4100, 70}}) {
    const index_t m = size.first, n = size.second;

    const matrix<T> A = random_matrix<T>(random, m, n);
    for (pivoting how : {pivoting::partial, pivoting::tournament})
      for (index_t block : {0, 40, 192}) {
        matrix<T> F = A;
        const auto f = lu(F, {.pivoting = how, .block = block});
        EXPECT_TRUE(f.status().ok()) << f.status().message();
        EXPECT_TRUE(within(lu_ratio<T>(A.view(), F.view(), f.interchanges().span())));
        EXPECT_LE(f.max_l(), how == pivoting::partial ? 1.5 : 64);
      }
  }
}

#endif

}  // namespace
}  // namespace trifac::test
