// partial_cholesky: the residual in all layouts, the bits of one call where finish() continues it,
// the two halves of a solve, loss of definiteness at each column, NaN and infinities, the
// arguments.

#include "trifac/partial_cholesky.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/nests.hpp"

namespace trifac::test {
namespace {

template <class T>
class PartialCholesky : public testing::Test {};
TYPED_TEST_SUITE(PartialCholesky, lapack_scalars, scalar_names);

/// ‖A − [L11; L21]·[L11; L21]ᴴ − diag(0, S)‖₁ / (n·‖A‖₁·ε), S Hermitian of its triangle.
template <class T>
auto partial_ratio(const matrix<T>& A, const partial_cholesky_factor<T>& f) {
  const index_t n = A.rows(), k = f.columns();
  matrix<wide_t<T>> residual = widened(A.view()), L(n, k), adjoint_of_L(k, n);
  const auto L11 = f.L11();
  const auto L21 = f.L21();
  for (index_t j = 0; j < k; ++j)
    for (index_t i = 0; i < n; ++i) {
      L(i, j) = wide_t<T>(i < k ? L11(i, j) : L21(i - k, j));
      adjoint_of_L(j, i) = detail::conjugate(L(i, j));
    }
  subtract_product(residual, L, adjoint_of_L);
  const auto S = f.schur();
  for (index_t j = k; j < n; ++j)
    for (index_t i = k; i < n; ++i) {
      const bool stored = f.part() == triangle::lower ? i >= j : i <= j;
      residual(i, j) -= wide_t<T>(stored ? S(i - k, j - k) : detail::conjugate(S(j - k, i - k)));
    }
  return ratio_of<T>(norm_1(residual.view()), norm_1(A.view()), n);
}

/// Columns to stop after: none, all, multiples of a packed panel's unit and others.
std::vector<index_t> stops(index_t n) {
  std::vector<index_t> k = {0, 1, 15, 16, 17, n / 3, n / 2 / 16 * 16, n - 17, n - 1, n};
  std::erase_if(k, [&](index_t c) { return c < 0 || c > n; });
  std::sort(k.begin(), k.end());
  k.erase(std::unique(k.begin(), k.end()), k.end());
  return k;
}

TYPED_TEST(PartialCholesky, ResidualAndBitsInAllLayouts) {
  using T = TypeParam;
  random_source random(4201);
  for (index_t n : {0, 1, 2, 7, 16, 17, 33, 96, 130, 300}) {
    const matrix<T> A = random_spd<T>(random, n);
    for (index_t k : stops(n))
      for (triangle part : {triangle::lower, triangle::upper}) {
        SCOPED_TRACE(testing::Message() << n << ", " << k << " columns");
        const auto first = partial_cholesky(matrix<T>(A), k, {.part = part});
        ASSERT_TRUE(first.ok()) << first.status().message();
        EXPECT_EQ(first.columns(), k);
        EXPECT_TRUE(n == 0 || within(partial_ratio(A, first)));
        for (layout where : n < 100 ? std::vector(all_layouts.begin(), all_layouts.end())
                                    : std::vector(padded_layouts.begin(), padded_layouts.end())) {
          placed_matrix<T> stored(A, where);
          const auto f = partial_cholesky(stored.view(), k, {.part = part});
          ASSERT_TRUE(f.ok()) << to_string(where);
          EXPECT_TRUE(same_bits(f.matrix(), first.matrix())) << to_string(where);
          EXPECT_TRUE(stored.guards_untouched()) << to_string(where);
          for (index_t j = 0; j < n; ++j)
            for (index_t i = 0; i < n; ++i)
              if (part == triangle::lower ? i < j : i > j) {
                ASSERT_TRUE(same_element(f.matrix()(i, j), A(i, j)));
              }
        }
      }
  }
}

TYPED_TEST(PartialCholesky, FinishHasTheBitsOfOneCall) {
  using T = TypeParam;
  random_source random(4202);
  for (index_t n : {1, 9, 16, 40, 130, 300, 700}) {
    if (n > 300 && sizeof(T) != 8) continue;
    const matrix<T> A = random_spd<T>(random, n);
    for (triangle part : {triangle::lower, triangle::upper}) {
      const auto whole = cholesky(matrix<T>(A), {.part = part});
      for (index_t k : stops(n)) {
        SCOPED_TRACE(testing::Message() << n << ", " << k << " columns");
        for_each_team([&](const auto& team, const std::string& name) {
          const auto f = finish(team, partial_cholesky(team, matrix<T>(A), k, {.part = part}));
          ASSERT_TRUE(f.ok()) << name;
          if (k % 16 == 0) {
            EXPECT_TRUE(same_bits(f.matrix(), whole.matrix())) << name;
          } else if (name.find("1 thread") != std::string::npos) {
            EXPECT_TRUE(within(cholesky_ratio<T>(A.view(), part, f.matrix()))) << name;
          }
        });
      }
    }
  }
}

TYPED_TEST(PartialCholesky, BitsOnTeams) {
  using T = TypeParam;
  random_source random(4203);
  for (index_t n : {60, 333}) {
    const matrix<T> A = random_spd<T>(random, n);
    for (index_t k : {n / 4, n - 20})
      for (index_t block : {0, 32}) {
        const auto first = partial_cholesky(matrix<T>(A), k, {.block = block});
        for_each_team([&](const auto& team, const std::string& name) {
          const auto f = partial_cholesky(team, matrix<T>(A), k, {.block = block});
          EXPECT_TRUE(same_bits(f.matrix(), first.matrix())) << name << ", " << n;
        });
      }
  }
}

TYPED_TEST(PartialCholesky, TwoHalvesOfASolve) {
  using T = TypeParam;
  random_source random(4204);
  for (index_t n : {1, 2, 10, 50, 300})
    for (index_t k : stops(n))
      for (index_t r : {1, 9})
        for (triangle part : {triangle::lower, triangle::upper}) {
          SCOPED_TRACE(testing::Message() << n << ", " << k << " columns, " << r);
          const matrix<T> A = random_spd<T>(random, n), B = random_matrix<T>(random, n, r);
          placed_matrix<T> X(B, layout::padded);
          const auto f = partial_cholesky(matrix<T>(A), k, {.part = part});
          const backend::threads two{.threads = 2};
          forward_solve(two, f, X.view());
          const auto S = cholesky(matrix<T>(f.schur()), {.part = part});
          if (k < n) solve(S, X.view().block(k, 0, n - k, r));
          backward_solve(two, f, X.view());
          EXPECT_TRUE(within(solve_ratio<T>(A.view(), X.view(), B.view())));
          EXPECT_TRUE(X.guards_untouched());
        }
}

/// The Schur complement may be anything: only A11 needs to be definite.
TYPED_TEST(PartialCholesky, IndefiniteAndWhereDefinitenessIsLost) {
  using T = TypeParam;
  random_source random(4205);
  const index_t n = 40;
  const matrix<T> A = random_spd<T>(random, n);
  for (triangle part : {triangle::lower, triangle::upper})
    for (index_t bad = 0; bad < n; ++bad) {
      matrix<T> B = A;
      B(bad, bad) = T(-1);
      for (index_t k : {bad, bad + 1, n}) {
        SCOPED_TRACE(testing::Message() << bad << " is bad, " << k << " columns");
        const auto f = partial_cholesky(matrix<T>(B), k, {.part = part});
        if (k <= bad) {
          ASSERT_TRUE(f.ok());
          EXPECT_TRUE(within(partial_ratio(B, f)));
          const auto whole = finish(partial_cholesky(matrix<T>(B), k, {.part = part}));
          EXPECT_EQ(whole.status(), status::at(status_kind::not_positive_definite, bad));
          continue;
        }
        EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, bad));
        // What is before the bad pivot is the factor of the leading block.
        const matrix<T> leading(A.view().block(0, 0, bad, bad)),
            done(f.matrix().block(0, 0, bad, bad));
        EXPECT_TRUE(bad == 0 || within(cholesky_ratio<T>(leading.view(), part, done.view())));
        matrix<T> X(n, 1);
        EXPECT_EQ(try_forward_solve(f, X), f.status());
        EXPECT_EQ(try_backward_solve(f, X), f.status());
      }
    }
}

TYPED_TEST(PartialCholesky, NaNAndInfinitiesAreNoSuccess) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(4206);
  const index_t n = 21;
  const matrix<T> A = random_spd<T>(random, n);
  for (R value : {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity()})
    for (index_t j = 0; j < n; ++j)
      for (index_t i = j; i < n; ++i) {
        matrix<T> bad = A;
        bad(i, j) = bad(j, i) = T(value);
        for (index_t k : {0, 1, 5, 16, 18, 21})
          for (triangle part : {triangle::lower, triangle::upper}) {
            SCOPED_TRACE(testing::Message() << value << " at " << i << ", " << j << ", k = " << k);
            const auto f = partial_cholesky(matrix<T>(bad), k, {.part = part});
            ASSERT_FALSE(f.ok());
            // An infinite l_ij makes a_ii − |l_ij|² negative.
            if (i == j || value != value) {
              ASSERT_EQ(f.status().kind(), status_kind::not_finite);
            }
            ASSERT_EQ(f.status().index(), std::min(i, k));
          }
      }
}

/// The imaginary parts of the diagonal of a Hermitian matrix are not read.
TYPED_TEST(PartialCholesky, ImaginaryPartsOfTheDiagonal) {
  using T = TypeParam;
  if constexpr (is_complex<T>) {
    random_source random(4211);
    const index_t n = 40;
    const matrix<T> A = random_spd<T>(random, n);
    matrix<T> B = A;
    for (index_t i = 0; i < n; ++i)
      B(i, i) = T(A(i, i).real(), std::numeric_limits<real_t<T>>::quiet_NaN());
    for (const triangle part : {triangle::lower, triangle::upper})
      for (index_t k : {0, 3, 16, 21, 40}) {
        SCOPED_TRACE(k);
        auto f = partial_cholesky(matrix<T>(A), k, {.part = part}),
             g = partial_cholesky(matrix<T>(B), k, {.part = part});
        ASSERT_TRUE(f.ok() && g.ok());
        const auto expected = finish(std::move(f)), found = finish(std::move(g));
        EXPECT_TRUE(same_bits(found.matrix(), expected.matrix()));
      }
  }
}

TYPED_TEST(PartialCholesky, OwnsAndIsEmptied) {
  using T = TypeParam;
  random_source random(4207);
  const index_t n = 20, k = 8;
  const matrix<T> A = random_spd<T>(random, n);
  matrix<T> B = A;
  auto f = partial_cholesky(B, k);
  EXPECT_EQ(f.matrix().data(), B.data());
  f.schur()(0, 0) = f.schur()(0, 0) + T(1);  // S may be written to
  auto copy = f;
  const auto whole = finish(std::move(f));
  EXPECT_EQ(whole.matrix().data(), B.data());
  EXPECT_EQ(f.status().kind(), status_kind::empty);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(f.rows() + f.columns(), 0);
  matrix<T> C = A;
  C(k, k) = C(k, k) + T(1);
  EXPECT_TRUE(within(cholesky_ratio<T>(C.view(), triangle::lower, whole.matrix())));
  auto owner = partial_cholesky(matrix<T>(A), k);
  const T* const elements = owner.matrix().data();
  const auto moved = finish(std::move(owner));
  EXPECT_EQ(moved.matrix().data(), elements);
  EXPECT_EQ(owner.status().kind(), status_kind::empty);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(copy.columns(), k);
}

TYPED_TEST(PartialCholesky, Arguments) {
  using T = TypeParam;
  random_source random(4208);
  placed_matrix<T> A(random_spd<T>(random, 5), layout::padded);
  const auto expect = [&](const status& s, const char* argument) {
    EXPECT_EQ(s.kind(), status_kind::invalid_argument);
    EXPECT_STREQ(s.argument(), argument);
    EXPECT_TRUE(A.untouched());
  };
  expect(try_partial_cholesky(A.view().block(0, 0, 5, 4), 2).status(), "A");
  expect(try_partial_cholesky(A.view(), -1).status(), "columns");
  expect(try_partial_cholesky(A.view(), 6).status(), "columns");
  expect(try_partial_cholesky(A.view(), 2, {.block = -1}).status(), "options.block");
  expect(try_partial_cholesky(A.view(), 2, {.norm = true}).status(), "options.norm");
  expect(try_partial_cholesky(A.view(), 2, {.jitter = {.first = 1e-9}}).status(), "options.jitter");
  expect(try_partial_cholesky(backend::threads{.threads = -1}, A.view(), 2).status(),
         "backend.threads");
  matrix<T> owned(5, 4);
  EXPECT_THROW(static_cast<void>(partial_cholesky(std::move(owned), 2)), argument_error);
  EXPECT_EQ(owned.cols(), 4);  // NOLINT(bugprone-use-after-move): remains the caller's
  matrix<T> X(5, 1);
  EXPECT_EQ(try_finish(partial_cholesky_factor<T>()).status().kind(),
            status_kind::invalid_argument);
  expect(try_forward_solve(partial_cholesky_factor<T>(), X), "factor");
  const auto f = partial_cholesky(matrix<T>(A.view()), 2);
  expect(try_backward_solve(f, X.view().block(0, 0, 4, 1)), "B");
  EXPECT_THROW(forward_solve(f, X.view().block(0, 0, 4, 1)), argument_error);
}

/// It says 1 only when the last columns, fewer than 16, are factored, too, and may end the call
/// before them.
TEST(PartialCholesky, ProgressAndCancel) {
  random_source random(4209);
  const index_t n = 150, block = 32;
  const matrix<double> A = random_spd<double>(random, n);
  for (const triangle part : {triangle::lower, triangle::upper})
    for (index_t k : {64, 71, 96, 111, 149, 150})
      for_each_team([&](const auto& team, const std::string& name) {
        SCOPED_TRACE(testing::Message() << name << ", " << k << " columns");
        const auto factored = [&](progress_ref progress) {
          return try_partial_cholesky(team, matrix<double>(A), k,
                                      {.part = part, .block = block, .progress = progress});
        };
        std::vector<double> seen;
        const auto plain = factored({});
        const auto f = factored([&](double done) { seen.push_back(done); });
        ASSERT_TRUE(f.ok());
        EXPECT_TRUE(same_bits(f.matrix(), plain.matrix()));
        const index_t last = k % 16, panels = (k - last + block - 1) / block + (last > 0);
        ASSERT_EQ(seen.size(), panels);
        EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
        EXPECT_GT(seen.front(), 0);
        EXPECT_LT(seen[seen.size() - 2], 1);
        EXPECT_EQ(seen.back(), 1);
        index_t calls = 0;
        const auto ended = factored([&](double) { return ++calls < panels - 1; });
        EXPECT_EQ(ended.status().kind(), status_kind::cancelled);
        EXPECT_EQ(calls, panels - 1);
      });
}

TEST(PartialCholesky, OfOtherScalarTypes) {
  random_source random(4210);
  const index_t n = 30;
  const auto A = random_spd<long double>(random, n);
  for (index_t k : {0, 7, 30}) {
    const auto f = partial_cholesky(backend::threads{.threads = 2}, matrix<long double>(A), k);
    ASSERT_TRUE(f.ok());
    EXPECT_TRUE(within(partial_ratio(A, f)));
  }
}

}  // namespace
}  // namespace trifac::test
