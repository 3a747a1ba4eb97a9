// partial_cholesky of a batch, and the inverses and condition numbers of a batch's triangles: in
// every layout, with failures beside others.

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "backends.hpp"
#include "support/batches.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/batch.hpp"

namespace trifac::test {
namespace {

template <class T>
class BatchPartial : public testing::Test {};
TYPED_TEST_SUITE(BatchPartial, lapack_scalars, scalar_names);

constexpr triangle parts[] = {triangle::lower, triangle::upper};
constexpr index_t many = 19;

template <class Visit>
void on_one_thread_and_two(Visit visit) {
  visit(backend::serial{});
  visit(backend::threads{.threads = 2});
}

/// The bits of cholesky() where cholesky() of S goes on, in lanes; NaN in the other triangle is not
/// read.
TYPED_TEST(BatchPartial, ContinuesToTheBitsOfOneCall) {
  using T = TypeParam;
  for (index_t n : {1, 2, 3, 4, 5, 7, 8, 9, 13, 33, 64}) {
    const auto all = random_batch<T>(many, n, n, true);
    for (triangle part : parts) {
      batch<T> whole = batch_of(all);
      const auto expected = cholesky(whole, {.part = part});
      ASSERT_TRUE(expected.ok());
      for (index_t k : {index_t{0}, index_t{1}, index_t{2}, n / 2, index_t{16}, n - 1, n}) {
        if (k > n) continue;
        SCOPED_TRACE(testing::Message() << n << ", " << k << " columns");
        on_one_thread_and_two([&](const auto& on) {
          batch<T> A = batch_of(all);
          spoil(A, other_triangle(part));
          const batch<T> before = A;
          const auto f = partial_cholesky(on, A, k, {.part = part});
          ASSERT_TRUE(f.ok()) << f.status().message();
          EXPECT_EQ(f.columns(), k);
          auto S = f.schur();
          ASSERT_EQ(S.rows(), n - k);
          ASSERT_TRUE(n == k || cholesky(on, S, {.part = part}).ok());
          for (index_t b = 0; b < f.batch(); ++b) {
            EXPECT_TRUE(same_triangle<T>(f.matrices()[b], whole[b], part)) << b;
            EXPECT_TRUE(same_outside<T>(f.matrices()[b], before[b], part)) << b;
          }
        });
      }
    }
  }
}

TYPED_TEST(BatchPartial, LargeOnesAreThoseOfTheCallOnOne) {
  using T = TypeParam;
  const index_t n = 150, k = 37;
  const auto all = random_batch<T>(3, n, n, true);
  for (triangle part : parts)
    on_one_thread_and_two([&](const auto& on) {
      batch<T> A = batch_of(all);
      spoil(A, other_triangle(part));
      const batch<T> before = A;
      const auto f = partial_cholesky(on, A, k, {.part = part});
      ASSERT_TRUE(f.ok());
      for (index_t b = 0; b < 3; ++b) {
        const auto one =
            partial_cholesky(matrix<T>(all[static_cast<std::size_t>(b)]), k, {.part = part});
        EXPECT_TRUE(same_triangle<T>(f.matrices()[b], one.matrix(), part)) << b;
        EXPECT_TRUE(same_outside<T>(f.matrices()[b], before[b], part)) << b;
      }
    });
}

TYPED_TEST(BatchPartial, LayoutsHaveTheSameBits) {
  using T = TypeParam;
  const index_t n = 21, k = 6;
  const auto all = random_batch<T>(many, n, n, true);
  batch<T> first = batch_of(all);
  ASSERT_TRUE(partial_cholesky(first, k).ok());
  for (int where = 0; where < 8; ++where) {
    auto A = place(all, where);
    spoil(A.view, triangle::upper);
    A.remember();
    const auto f = partial_cholesky(A.view, k);
    ASSERT_TRUE(f.ok()) << where;
    EXPECT_TRUE(A.untouched_outside(triangle::lower)) << where;
    for (index_t b = 0; b < many; ++b)
      EXPECT_TRUE(same_triangle<T>(f.matrices()[b], first[b], triangle::lower)) << where;
  }
}

TYPED_TEST(BatchPartial, SolvesInTwoHalves) {
  using T = TypeParam;
  for (index_t n : {3, 9, 40})
    for (index_t k : {index_t{0}, index_t{3}, n})
      for (triangle part : parts) {
        const auto all = random_batch<T>(many, n, n, true), sides = random_batch<T>(many, n, 2);
        batch<T> A = batch_of(all), X = batch_of(sides);
        const auto f = partial_cholesky(A, k, {.part = part});
        forward_solve(backend::threads{.threads = 2}, f, X);
        for (index_t b = 0; b < many && k < n; ++b) {
          const auto S = cholesky(matrix<T>(f.schur()[b]), {.part = part});
          solve(S, X[b].block(k, 0, n - k, 2));
        }
        backward_solve(f, X);
        for (index_t b = 0; b < many; ++b) {
          const auto at_b = static_cast<std::size_t>(b);
          const matrix<T> x = at(X, b);
          EXPECT_TRUE(within(solve_ratio<T>(all[at_b].view(), x.view(), sides[at_b].view())));
        }
      }
}

/// Both halves with the factors and the right-hand sides in every layout: in lanes the same bits; a
/// failed system as it was. Orders in lanes, above them, and with more columns than lanes.
TYPED_TEST(BatchPartial, HalvesInEveryLayout) {
  using T = TypeParam;
  constexpr index_t bad = 5;
  struct shape {
    index_t n, k, r;
  };
  for (const shape& of : std::initializer_list<shape>{{1, 1, 1},
                                                      {5, 2, 1},
                                                      {9, 9, 3},
                                                      {27, 3, 1},
                                                      {27, 10, 4},
                                                      {33, 17, 5},
                                                      {20, 7, 17},
                                                      {64, 31, 2},
                                                      {66, 40, 2}})
    for (triangle part : parts) {
      // Not bindings: Clang 14 captures none in a lambda.
      const index_t n = of.n, k = of.k, r = of.r;
      const bool in_lanes = n <= detail::largest_packed_cholesky<T> &&
                            (is_complex<T> || n < 16 || r <= batch_calls<T>::lanes());
      auto all = random_batch<T>(many, n, n, true);
      all[bad](0, 0) = T(-1);
      const auto sides = random_batch<T>(many, n, r);
      const auto halves = [&](const auto& on, const batch_view<T>& A, const batch_view<T>& X,
                              const auto& between) {
        const auto f = try_partial_cholesky(A, k, {.part = part});
        EXPECT_EQ(f.failed_count(), 1);
        EXPECT_EQ(try_forward_solve(on, f, X).status(bad), f.status(bad));
        for (index_t b = 0; b < many; ++b) between(f, b, X[b].block(k, 0, n - k, r));
        EXPECT_EQ(try_backward_solve(on, f, X).failed_count(), 1);
      };
      const auto solve_kept = [&](const auto& f, index_t b, const matrix_view<T>& X2) {
        if (b == bad || X2.empty()) return;
        solve(cholesky(matrix<T>(f.schur()[b]), {.part = part}), X2);
      };
      batch<T> A = batch_of(all), X = batch_of(sides);
      halves(backend::serial{}, A, X, solve_kept);
      const auto check = [&](const batch_view<const T>& solved) {
        for (index_t b = 0; b < many; ++b) {
          const auto at_b = static_cast<std::size_t>(b);
          const matrix<T> x(solved[b]);
          if (b == bad)
            EXPECT_TRUE(same_bits(x.view(), sides[at_b].view()));
          else
            EXPECT_TRUE(within(solve_ratio<T>(all[at_b].view(), x.view(), sides[at_b].view())))
                << n << ", " << k << ", matrix " << b;
        }
      };
      check(X);
      for (int where = 0; where < 8; ++where) {
        auto A2 = place(all, where), X2 = place(sides, 7 - where);
        halves(backend::threads{.threads = 2}, A2.view, X2.view, solve_kept);
        EXPECT_TRUE(A2.untouched_outside(part)) << where;
        EXPECT_TRUE(X2.guards_untouched()) << where;
        check(batch_view<const T>(X2.view));
        for (index_t b = 0; b < many && in_lanes; ++b)
          EXPECT_TRUE(same_bits(matrix_view<const T>(X2.view[b]), std::as_const(X)[b]))
              << n << ", " << k << ", layout " << where << ", matrix " << b;
      }
    }
}

TYPED_TEST(BatchPartial, FailuresAreTheirOwn) {
  using T = TypeParam;
  using R = real_t<T>;
  for (index_t n : {5, 12, 80})
    for (index_t k : {index_t{2}, n}) {
      auto all = random_batch<T>(many, n, n, true);
      batch<T> good = batch_of(all);
      static_cast<void>(partial_cholesky(good, k));
      const R nan = std::numeric_limits<R>::quiet_NaN(), inf = std::numeric_limits<R>::infinity();
      all[1](1, 1) = T(-1);           // a bad pivot
      all[3](n - 1, n - 1) = T(-1);   // in S: no failure where k < n
      all[4](n - 1, n - 1) = T(nan);  // in S
      all[6](n - 1, 0) = T(inf);      // in L21: S is not finite
      all[8](n - 1, n - 2) = T(nan);  // in S, off the diagonal
      all[18](0, 0) = T(inf);
      batch<T> A = batch_of(all);
      const auto f = try_partial_cholesky(A, k);
      SCOPED_TRACE(testing::Message() << n << ", " << k << " columns");
      EXPECT_EQ(f.status(1), status::at(status_kind::not_positive_definite, 1));
      EXPECT_EQ(f.status(3),
                k == n ? status::at(status_kind::not_positive_definite, n - 1) : status());
      EXPECT_EQ(f.status(4), status::at(status_kind::not_finite, std::min(k, n - 1)));
      EXPECT_FALSE(f.status(6).ok());
      EXPECT_EQ(f.status(8), status::at(status_kind::not_finite, std::min(k, n - 1)));
      EXPECT_EQ(f.status(18), status::at(status_kind::not_finite, 0));
      EXPECT_EQ(f.failed_count(), k == n ? 6 : 5);
      for (index_t b : {0, 2, 5, 7, 9, 17})
        EXPECT_TRUE(same_triangle<T>(f.matrices()[b], good[b], triangle::lower)) << b;
      batch<T> X(many, n, 1);
      const auto outcome = try_forward_solve(f, X);
      EXPECT_EQ(outcome.status(1), f.status(1));
      EXPECT_EQ(outcome.failed_count(), f.failed_count());
      EXPECT_EQ(f[1].status(), f.status(1));
    }
}

TYPED_TEST(BatchPartial, Arguments) {
  using T = TypeParam;
  batch<T> A(3, 4, 4), wide(3, 4, 5), X(3, 4, 1), few(2, 4, 1);
  for (index_t b = 0; b < 3; ++b)
    for (index_t i = 0; i < 4; ++i) A(b, i, i) = T(4);
  const auto expect = [](const status& s, const char* argument) {
    EXPECT_EQ(s.kind(), status_kind::invalid_argument);
    EXPECT_STREQ(s.argument(), argument);
  };
  expect(try_partial_cholesky(wide, 1).status(), "A");
  expect(try_partial_cholesky(A, 5).status(), "columns");
  expect(try_partial_cholesky(A, -1).status(), "columns");
  std::vector<std::int32_t> info(2);
  expect(try_partial_cholesky(A, 1, {.info = info}).status(), "options.info");
  EXPECT_EQ(A(0, 0, 0), T(4));
  const auto f = partial_cholesky(A, 2);
  expect(try_forward_solve(f, few).status(), "B");
  expect(try_backward_solve(f, A).status(), "B");
  expect(try_forward_solve(batch_partial_cholesky_factor<T>(), X).status(), "factor");
  EXPECT_THROW(static_cast<void>(partial_cholesky(wide, 1)), argument_error);
}

/// inverse() and reciprocal_condition() of f.L() and f.U().
TYPED_TEST(BatchPartial, Triangles) {
  using T = TypeParam;
  using R = real_t<T>;
  for (index_t n : {1, 4, 30, 70}) {
    auto all = random_batch<T>(many, n, n, true);
    all[2](0, 0) = T(-1);
    for (triangle part : parts)
      on_one_thread_and_two([&](const auto& on) {
        batch<T> A = batch_of(all), X(many, n, n);
        const auto f = cholesky(A, {.part = part});
        for (const auto& L : {f.L(), f.U()}) {
          const batch<T> before = X;
          const auto outcome = try_inverse(on, L, X);
          std::vector<R> values(many, R(7));
          const auto of_values =
              try_reciprocal_condition(on, L, norm_kind::infinity, std::span<R>(values));
          EXPECT_EQ(outcome.failed_count(), 1);
          EXPECT_EQ(outcome.status(2), f.status(2));
          EXPECT_EQ(of_values.status(2), f.status(2));
          EXPECT_EQ(values[2], R(7));
          for (index_t b = 0; b < many; ++b) {
            EXPECT_TRUE(same_outside<T>(X[b], before[b], L.part())) << b;
            if (b == 2) {
              EXPECT_TRUE(same_triangle<T>(X[b], before[b], L.part()));
              continue;
            }
            const matrix<T> dense = L[b].dense(),
                            found =
                                triangular_view<T>(matrix_view<const T>(X[b]), L.part()).dense();
            EXPECT_TRUE(within(inverse_ratio<T>(dense.view(), found.view()))) << b;
            EXPECT_EQ(values[static_cast<std::size_t>(b)],
                      reciprocal_condition(L[b], norm_kind::infinity));
          }
        }
        EXPECT_THROW(static_cast<void>(norm(f.L())), numerical_error);  // of matrix 2
        // In place.
        const auto L = f.L();
        const auto place_of_L =
            part == triangle::lower ? batch_view<T>(A) : batch_view<T>(A).transposed();
        batch<T> expected(place_of_L);
        EXPECT_EQ(try_inverse(on, L, expected).failed_count(), 1);
        EXPECT_EQ(try_inverse(on, L, place_of_L).failed_count(), 1);
        for (index_t b = 0; b < many; ++b) EXPECT_TRUE(same_bits(place_of_L[b], expected[b])) << b;
      });
  }
  batch<T> A(2, 3, 3), X(2, 2, 2);
  for (index_t b = 0; b < 2; ++b)
    for (index_t i = 0; i < 3; ++i) A(b, i, i) = T(1);
  const auto f = lu(A);
  EXPECT_EQ(try_inverse(f.L(), X).status().kind(), status_kind::invalid_argument);
  EXPECT_THROW(static_cast<void>(reciprocal_condition(f.U(), norm_kind::frobenius)),
               argument_error);
  const auto sizes = norm(f.U(), norm_kind::frobenius);
  ASSERT_EQ(sizes.size(), 2u);
  for (index_t b = 0; b < 2; ++b)
    EXPECT_EQ(sizes[static_cast<std::size_t>(b)], norm(f.U()[b], norm_kind::frobenius));
}

}  // namespace
}  // namespace trifac::test
