#pragma once
// cholesky(), lu() and solve() of a batch for TRIFAC_TEST_SCALAR: residuals, bits that depend on
// nothing but the matrix, bad matrices in every lane. A program for each type, as each compiles the
// kernels for all instruction sets.

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "batches.hpp"
#include "layouts.hpp"
#include "residual.hpp"
#include "scalars.hpp"
#include "trifac/backend/threads.hpp"

namespace trifac::test {
namespace {

using batch_scalars = testing::Types<TRIFAC_TEST_SCALAR>;

template <class T>
class Batch : public testing::Test {};
TYPED_TEST_SUITE(Batch, batch_scalars, scalar_names);

const index_t orders[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 19, 33, 64, 70};

TYPED_TEST(Batch, CholeskyIsAccurateInBothTriangles) {
  using T = TypeParam;
  for (const index_t n : orders)
    for (const triangle part : {triangle::lower, triangle::upper})
      for (const auto& how : {batch_layout(), batch_layout::canonical()}) {
        const auto all = random_batch<T>(21, n, n, true);
        auto A = batch_of(all, how);
        spoil(A, other_triangle(part));
        const batch<T> before = A;
        const auto f = try_cholesky(A, {.part = part});
        ASSERT_TRUE(f) << n << " " << f.status().message();
        for (index_t b = 0; b < 21; ++b) {
          const matrix<T> L = at(A, b);
          // What was not read was not written either.
          EXPECT_TRUE(same_outside<T>(L.view(), before[b], part)) << n << " matrix " << b;
          EXPECT_TRUE(
              within(cholesky_ratio<T>(all[static_cast<std::size_t>(b)].view(), part, L.view())))
              << n << " matrix " << b;
        }
      }
}

/// The other triangle, right-hand sides that are only read, gaps, foreign lanes and what the last
/// chunk has left; with a bad matrix.
TYPED_TEST(Batch, NothingButTheResultsIsWritten) {
  using T = TypeParam;
  const index_t count = 21, bad = 6;
  const backend::threads team{.threads = 2};
  for (const index_t n : {1, 4, 9, 33, 70})
    for (int layout = 0; layout < 8; ++layout) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", layout " << layout);
      auto all = random_batch<T>(count, n, n, true);
      spoil(all[bad], damage::nan, n / 2);
      const auto sides = random_batch<T>(count, n, 3);
      const auto of_good_ones = [](index_t b, index_t, index_t) { return b != bad; };
      const auto expect_solves = [&](const auto& f, placed<T>& A) {
        A.remember();
        for (const operation op : {operation::none, operation::adjoint}) {
          auto X = place(sides, 7 - layout), B = place(sides, layout), Y = place(sides, 7 - layout);
          EXPECT_EQ(try_solve(team, f, X.view, op), f.status());
          EXPECT_EQ(try_solve(f, batch_view<const T>(B.view), Y.view, op), f.status());
          EXPECT_TRUE(A.untouched());
          EXPECT_TRUE(B.untouched());
          EXPECT_TRUE(X.untouched_except(of_good_ones));
          EXPECT_TRUE(Y.untouched_except(of_good_ones));
        }
      };
      for (const triangle part : {triangle::lower, triangle::upper})
        for (const bool numbers : {false, true}) {  // in the other triangle
          auto A = place(all, layout), C = place(all, layout), X = place(sides, 7 - layout);
          for (placed<T>* p : {&A, &C}) {
            if (!numbers) spoil(p->view, other_triangle(part));
            p->remember();
          }
          const auto f = try_cholesky(team, A.view, {.part = part});
          EXPECT_EQ(f.failed_count(), 1);
          EXPECT_TRUE(A.untouched_outside(part));
          expect_solves(f, A);
          EXPECT_EQ(try_cholesky_solve(C.view, X.view, {.part = part}).failed_count(), 1);
          EXPECT_TRUE(C.untouched_outside(part));
          EXPECT_TRUE(X.untouched_except(of_good_ones));
        }
      for (const pivoting p : {pivoting::partial, pivoting::none}) {
        auto A = place(all, layout), C = place(all, layout), X = place(sides, 7 - layout);
        const auto f = try_lu(team, A.view, {.pivoting = p});
        EXPECT_EQ(f.failed_count(), 1);
        EXPECT_TRUE(A.guards_untouched());
        expect_solves(f, A);
        EXPECT_EQ(try_lu_solve(C.view, X.view, {.pivoting = p}).failed_count(), 1);
        EXPECT_TRUE(C.guards_untouched());
        EXPECT_TRUE(X.untouched_except(of_good_ones));
        for (const index_t m : {n / 2 + 1, n + 3}) {
          auto D = place(random_batch<T>(count, m, n), layout);
          static_cast<void>(try_lu(D.view, {.pivoting = p}));
          EXPECT_TRUE(D.guards_untouched()) << m << " rows";
        }
      }
    }
}

TYPED_TEST(Batch, LuIsAccurateForEveryShape) {
  using T = TypeParam;
  const auto check = [](index_t m, index_t n, const batch_layout& how, pivoting p) {
    random_source random(static_cast<std::uint64_t>(m * 300 + n));
    matrices<T> all;
    for (int b = 0; b < 19; ++b)
      all.push_back(p == pivoting::none ? dominant_matrix<T>(random, m, n)
                                        : random_matrix<T>(random, m, n));
    auto A = batch_of(all, how);
    const auto f = try_lu(A, {.pivoting = p});
    ASSERT_TRUE(f) << m << " " << n << " " << f.status().message();
    for (index_t b = 0; b < 19; ++b) {
      pivots rows(std::min(m, n));
      if (p == pivoting::partial) rows = pivots(f.interchanges(b));
      EXPECT_TRUE(rows.fit(std::min(m, n), m));
      EXPECT_EQ(f.interchanges(b).size(), p == pivoting::none ? 0 : std::min(m, n));
      const matrix<T> LU = at(A, b);
      EXPECT_TRUE(
          within(lu_ratio<T>(all[static_cast<std::size_t>(b)].view(), LU.view(), rows.span())))
          << m << " x " << n << " matrix " << b;
      if (p == pivoting::none) continue;
      for (index_t j = 0; j < std::min(m, n); ++j)
        for (index_t i = j + 1; i < m; ++i) EXPECT_LE(std::abs(LU(i, j)), 1.4143);
    }
  };
  for (const pivoting p : {pivoting::partial, pivoting::none}) {
    for (const index_t n : orders) check(n, n, {}, p);
    for (const auto& [m, n] : {std::pair<index_t, index_t>(5, 12),
                               {12, 5},
                               {1, 7},
                               {7, 1},
                               {9, 8},
                               {8, 9},
                               {2, 3},
                               {18, 30},
                               {30, 18}})
      check(m, n, batch_layout::canonical(), p);
  }
}

TYPED_TEST(Batch, SolvesWithEveryFactorOperationAndNumberOfColumns) {
  using T = TypeParam;
  for (const index_t n : {1, 3, 4, 9, 17, 40})
    for (const index_t r : {1, 2, 4, 7})
      for (const operation op : {operation::none, operation::transpose, operation::adjoint}) {
        const auto all = random_batch<T>(21, n, n, true), sides = random_batch<T>(21, n, r);
        const auto expect_solved = [&](const batch<T>& X, const char* what) {
          for (index_t b = 0; b < 21; ++b) {
            const auto A = applied<T>(op, all[static_cast<std::size_t>(b)].view());
            EXPECT_TRUE(
                within(solve_ratio<T>(A.view(), X[b], sides[static_cast<std::size_t>(b)].view())))
                << what << n << " " << r << " " << b;
          }
        };
        for (const triangle part : {triangle::lower, triangle::upper}) {
          auto A = batch_of(all), X = batch_of(sides, batch_layout::canonical());
          const auto f = try_cholesky(A, {.part = part});
          ASSERT_TRUE(try_solve(f, X, op));
          expect_solved(X, "cholesky ");
        }
        for (const pivoting p : {pivoting::partial, pivoting::none}) {
          auto A = batch_of(all, batch_layout::canonical()), X = batch_of(sides);
          const auto f = try_lu(A, {.pivoting = p});
          ASSERT_TRUE(try_solve(f, X, op));
          expect_solved(X, "lu ");
        }
      }
}

/// LU without pivoting goes in lanes at every order.
TYPED_TEST(Batch, WithoutPivotingEveryLayoutHasTheSameBits) {
  using T = TypeParam;
  for (const index_t n : {60, 130}) {
    const auto all = random_batch<T>(9, n, n, true);
    auto A = batch_of(all);
    ASSERT_TRUE(try_lu(A, {.pivoting = pivoting::none}));
    for (int layout = 0; layout < 8; ++layout) {
      auto B = place(all, layout);
      ASSERT_TRUE(try_lu(B.view, {.pivoting = pivoting::none}));
      for (index_t b = 0; b < 9; ++b) EXPECT_TRUE(same_bits(B.view[b], A[b])) << n << " " << layout;
      EXPECT_TRUE(B.guards_untouched()) << n << " " << layout;
    }
  }
}

TYPED_TEST(Batch, BitsDependOnTheMatrixAlone) {
  using T = TypeParam;
  for (const index_t n : {3, 8, 13, 48}) {  // contiguous ones of order 49 go one by one
    const auto all = random_batch<T>(75, n, n, true), sides = random_batch<T>(75, n, 2);
    matrices<T> L, LU, X, Y;
    std::vector<pivots> rows;
    for (std::size_t b = 0; b < all.size(); ++b) {  // each alone, in the first lane
      auto A = batch_of<T>({all[b]}), B = A, S = batch_of<T>({sides[b]}), R = S;
      const auto f = try_cholesky(A);
      const auto g = try_lu(B);
      ASSERT_TRUE(try_solve(f, S));
      ASSERT_TRUE(try_solve(g, R));
      rows.push_back(pivots(g.interchanges(0)));
      L.push_back(at(A, 0));
      LU.push_back(at(B, 0));
      X.push_back(at(S, 0));
      Y.push_back(at(R, 0));
    }
    for (int layout = 0; layout < 8; ++layout) {
      const auto run = [&](const auto& on) {
        auto A = place(all, layout), B = place(all, 7 - layout), S = place(sides, layout),
             R = place(sides, 7 - layout);
        const auto f = try_cholesky(on, A.view);
        const auto g = try_lu(on, B.view);
        ASSERT_TRUE(try_solve(on, f, S.view));
        ASSERT_TRUE(try_solve(on, g, R.view));
        for (index_t b = 0; b < 75; ++b) {
          const auto i = static_cast<std::size_t>(b);
          EXPECT_TRUE(same_bits(A.view[b], L[i].view())) << n << " " << layout << " " << b;
          EXPECT_TRUE(same_bits(B.view[b], LU[i].view())) << n << " " << layout << " " << b;
          EXPECT_EQ(pivots(g.interchanges(b)), rows[i]);
          EXPECT_TRUE(same_bits(S.view[b], X[i].view())) << n << " " << layout << " " << b;
          EXPECT_TRUE(same_bits(R.view[b], Y[i].view())) << n << " " << layout << " " << b;
        }
        EXPECT_TRUE(A.untouched_outside(triangle::lower)) << n << " " << layout;
        for (const placed<T>* p : {&B, &S, &R})
          EXPECT_TRUE(p->guards_untouched()) << n << " " << layout;
      };
      run(backend::serial{});
      run(backend::threads{.threads = 3});
    }
  }
}

/// Cholesky and LU of larger matrices with contiguous columns or rows: those of one matrix,
/// whatever its place and the threads, with what makes some of them bad.
TYPED_TEST(Batch, LargerContiguousMatricesHaveTheBitsOfOne) {
  using T = TypeParam;
  const backend::threads team{.threads = 3};
  const auto spoiled = [](matrices<T> all) {
    spoil(all[3], damage::nan, 7);
    spoil(all[5], damage::negative, 40);
    spoil(all[8], damage::zero_row, 30);
    return all;
  };
  for (const int layout : {0, 5, 6}) {
    SCOPED_TRACE(testing::Message() << "layout " << layout);
    for (const index_t n : {detail::largest_packed_cholesky<T> + 1, index_t{150}}) {
      const auto all = spoiled(random_batch<T>(13, n, n, true));
      for (const triangle part : {triangle::lower, triangle::upper}) {
        auto A = place(all, layout), B = place(all, layout);
        const auto f = try_cholesky(team, A.view, {.part = part});
        for (index_t b = 0; b < 13; ++b) {
          const auto one = try_cholesky(B.view[b], {.part = part});
          EXPECT_EQ(f.status(b), one.status()) << n << " " << b;
          EXPECT_TRUE(!one || same_bits(A.view[b], B.view[b])) << n << " " << b;
        }
        EXPECT_EQ(f.failed_count(), 3);
        EXPECT_TRUE(A.untouched_outside(part)) << n;
      }
    }
    constexpr index_t k = detail::largest_packed_lu<T> + 1;
    if (k > simd::largest_in_lanes) continue;
    for (const auto& [m, n] : {std::pair<index_t, index_t>(k, k), {150, 150}, {90, k}, {k, 70}}) {
      const auto all = spoiled(random_batch<T>(13, m, n));
      auto A = place(all, layout), B = place(all, layout);
      const auto f = try_lu(team, A.view);
      for (index_t b = 0; b < 13; ++b) {
        const auto one = try_lu(B.view[b]);
        EXPECT_EQ(f.status(b), one.status()) << m << " x " << n << " " << b;
        if (!one.status().completed()) continue;
        EXPECT_TRUE(same_bits(A.view[b], B.view[b])) << m << " x " << n << " " << b;
        EXPECT_EQ(pivots(f.interchanges(b)), one.interchanges()) << b;
      }
      EXPECT_GT(f.failed_count(), 0);
      EXPECT_LT(f.failed_count(), 6);
      EXPECT_TRUE(A.guards_untouched()) << m << " x " << n;
    }
  }
}

/// Real systems with contiguous columns or rows that are solved one by one: the bits of one matrix,
/// whatever its place and the threads.
TYPED_TEST(Batch, ContiguousSystemsHaveTheBitsOfOne) {
  using T = TypeParam;
  const index_t lanes = batch_calls<T>::lanes();
  if (is_complex<T> || lanes == 0) return;  // in lanes at every order
  const backend::threads team{.threads = 3};
  const index_t count = 13, bad = 5;
  const auto expect_bits_of_one = [&](const auto& f, const auto& B, auto&& X, operation op) {
    EXPECT_EQ(try_solve(team, f, X.view, op), f.status());
    for (index_t b = 0; b < count; ++b) {
      matrix<T> one = B[static_cast<std::size_t>(b)];
      if (b != bad) {
        ASSERT_TRUE(try_solve(f[b], one, op));
      }
      EXPECT_TRUE(same_bits(X.view[b], one.view())) << one.rows() << ", matrix " << b;
    }
    EXPECT_TRUE(X.guards_untouched());
  };
  // Above order 128. Below, it goes in lanes: the bits of chunks.
  const auto expect_one_factor_for_all = [&](const auto& f, const auto& B, int layout,
                                             operation op) {
    auto X = place(B, layout);
    auto chunks = batch_of(B);
    EXPECT_TRUE(try_solve(team, f, X.view, op) && try_solve(f, chunks, op));
    for (index_t b = 0; b < count; ++b) {
      matrix<T> one = f.rows() > 128 ? B[static_cast<std::size_t>(b)] : at(chunks, b);
      if (f.rows() > 128) {
        ASSERT_TRUE(try_solve(f, one, op));
      }
      EXPECT_TRUE(same_bits(X.view[b], one.view())) << one.rows() << ", matrix " << b;
    }
    EXPECT_TRUE(X.guards_untouched());
  };
  const std::pair<index_t, index_t> sizes[] = {{16, lanes + 1}, {33, 20}, {48, lanes},
                                               {96, 1},         {129, 1}, {256, 3}};
  for (const auto& [n, r] : sizes) {
    auto all = random_batch<T>(count, n, n, true);
    spoil(all[bad], damage::nan, 7);
    const auto B = random_batch<T>(count, n, r);
    const bool interchanged_only = n == 96;
    for (const int layout : {0, 5, 6})
      for (const operation op : {operation::none, operation::transpose}) {
        SCOPED_TRACE(testing::Message() << "layout " << layout << ", r = " << r);
        for (const triangle part : {triangle::lower, triangle::upper}) {
          if (interchanged_only) continue;
          auto A = place(all, layout);
          const auto f = try_cholesky(A.view, {.part = part});
          expect_bits_of_one(f, B, place(B, layout), op);
        }
        for (const pivoting p : {pivoting::partial, pivoting::none}) {
          if (interchanged_only && p == pivoting::none) continue;
          auto A = place(all, layout);
          const auto f = try_lu(A.view, {.pivoting = p});
          expect_bits_of_one(f, B, place(B, layout), op);
          if (interchanged_only) continue;
          auto X = place(B, layout);
          EXPECT_EQ(try_solve(team, f.U(), X.view, op), f.status());
          for (index_t b = 0; b < count; ++b) {
            matrix<T> one = B[static_cast<std::size_t>(b)];
            const auto factor = f[b];
            if (b != bad) {
              ASSERT_TRUE(try_solve(factor.U(), one, op));
            }
            EXPECT_TRUE(same_bits(X.view[b], one.view())) << n << ", matrix " << b;
          }
          EXPECT_TRUE(X.guards_untouched());
          EXPECT_TRUE(A.guards_untouched());
        }
        matrix<T> A = all[0], L = all[0];
        expect_one_factor_for_all(try_lu(A), B, layout, op);
        expect_one_factor_for_all(try_cholesky(L), B, layout, op);
      }
  }
}

/// A system alone in its batch has the bits that it has beside others.
TYPED_TEST(Batch, OneSystemHasTheBitsOfMany) {
  using T = TypeParam;
  const index_t lanes = batch_calls<T>::lanes();
  if (lanes == 0) return;
  const std::pair<index_t, index_t> sizes[] = {
      {16, lanes + 1}, {48, lanes}, {100, 1}, {128, 2}, {130, 1}};
  for (const auto& [n, r] : sizes) {
    const auto all = random_batch<T>(3, n, n, true), B = random_batch<T>(3, n, r);
    for (const int layout : {0, 5, 6}) {
      auto A = place(all, layout), L = place(all, layout), X = place(B, layout),
           Y = place(B, layout);
      const auto f = try_lu(A.view);
      const auto g = try_cholesky(L.view);
      ASSERT_TRUE(try_solve(f, X.view) && try_solve(g, Y.view));
      auto A0 = place(matrices<T>{all[0]}, layout), L0 = place(matrices<T>{all[0]}, layout),
           X0 = place(matrices<T>{B[0]}, layout), Y0 = place(matrices<T>{B[0]}, layout);
      const auto f0 = try_lu(A0.view);
      const auto g0 = try_cholesky(L0.view);
      ASSERT_TRUE(try_solve(f0, X0.view) && try_solve(g0, Y0.view));
      EXPECT_TRUE(same_bits(X.view[0], X0.view[0])) << "LU " << n << ", layout " << layout;
      EXPECT_TRUE(same_bits(Y.view[0], Y0.view[0])) << "Cholesky " << n << ", layout " << layout;
    }
  }
}

/// One call on A and B, two calls on copies: the same bits and outcomes, bad matrices included.
template <class T, class One, class Factor>
void expect_the_two_calls(const matrices<T>& all, const matrices<T>& sides, batch_layout how,
                          One one, Factor factor) {
  batch<T> A = batch_of(all, how), X = batch_of(sides, how), F = A, S = X;
  const batch_outcome outcome = one(A, X);
  const auto f = factor(F);
  EXPECT_EQ(outcome.status(), f.status());
  EXPECT_EQ(outcome.failed_count(), f.failed_count());
  EXPECT_EQ(try_solve(f, S), f.status());
  for (index_t b = 0; b < A.count(); ++b) {
    EXPECT_EQ(outcome.status(b), f.status(b));
    EXPECT_TRUE(same_bits(matrix_view<const T>(X[b]), matrix_view<const T>(S[b]))) << b;
    EXPECT_TRUE(!f.status(b) || same_bits(matrix_view<const T>(A[b]), matrix_view<const T>(F[b])));
  }
}

TYPED_TEST(Batch, FactorAndSolveInOneCallIsTheTwoCalls) {
  using T = TypeParam;
  for (const index_t n : {1, 4, 9, 33, 70})
    for (const auto& how : {batch_layout(), batch_layout::canonical(), batch_layout::chunked(64)}) {
      SCOPED_TRACE(testing::Message() << n << ", chunk " << how.chunk);
      auto S = random_batch<T>(150, n, n, true), A = random_batch<T>(150, n, n);
      const auto R = random_batch<T>(150, n, 2);
      for (const std::size_t bad : {0u, 37u, 149u}) {
        S[bad](n - 1, n - 1) = T(-1);
        for (index_t i = 0; i < n; ++i) A[bad](i, n / 2) = T(0);
      }
      const backend::threads team{.threads = 3};
      for (const triangle part : {triangle::lower, triangle::upper})
        expect_the_two_calls<T>(
            S, R, how,
            [&](auto& B, auto& X) { return try_cholesky_solve(team, B, X, {.part = part}); },
            [&](auto& B) { return try_cholesky(B, {.part = part}); });
      for (const pivoting p : {pivoting::partial, pivoting::none})
        expect_the_two_calls<T>(
            A, R, how, [&](auto& B, auto& X) { return try_lu_solve(B, X, {.pivoting = p}); },
            [&](auto& B) { return try_lu(B, {.pivoting = p}); });
    }
}

/// One factor for all systems, in every form in which it can be given, against a batch of its
/// copies.
template <class T, class On, class Factor>
void expect_one_factor(const On& on, const Factor& f, const matrices<T>& sides, const batch<T>& X,
                       int layout, operation op) {
  auto S = place(sides, layout);
  const auto B = place(sides, layout);
  ASSERT_TRUE(try_solve(on, f, S.view, op));
  batch<T> Y(X.count(), X.rows(), X.cols());
  ASSERT_TRUE(try_solve(on, f, batch_view<const T>(B.view), Y, op));
  EXPECT_TRUE(S.guards_untouched());
  EXPECT_TRUE(B.untouched());
  for (index_t b = 0; b < X.count(); ++b) {
    EXPECT_TRUE(same_bits(S.view[b], X[b])) << X.rows() << " " << layout << " " << b;
    EXPECT_TRUE(same_bits(Y[b], X[b])) << X.rows() << " " << layout << " " << b;
  }
}

TYPED_TEST(Batch, OneFactorSolvesAllRightHandSides) {
  using T = TypeParam;
  int layout = 0;
  for (const index_t n : {1, 4, 9, 33})
    for (const operation op : {operation::none, operation::transpose, operation::adjoint}) {
      const matrix<T> A = random_batch<T>(1, n, n, true)[0];
      const auto sides = random_batch<T>(50, n, 3);
      auto copies = batch_of(matrices<T>(50, A)), rotated = copies, one = batch_of<T>({A});
      matrix<T> whole = A;
      for (index_t b = 0; b < 50; ++b)  // so that LU has interchanges
        for (index_t i = 0; i < n; ++i)
          for (index_t j = 0; j < n; ++j) rotated(b, i, j) = A((i + 1) % n, j);
      batch<T> turned = batch_of<T>({at(rotated, 0)});
      const matrix<T> P = at(rotated, 0);
      matrix<T> other = P;
      const auto all_L = try_cholesky(copies), L = try_cholesky(one);
      const auto all_LU = try_lu(rotated), LU = try_lu(turned);
      auto X = batch_of(sides), Y = X;
      ASSERT_TRUE(try_solve(all_L, X, op) && try_solve(all_LU, Y, op));
      expect_one_factor(backend::serial{}, L, sides, X, layout++ % 8, op);
      expect_one_factor(backend::threads{.threads = 3}, LU, sides, Y, layout++ % 8, op);
      // The factor of one matrix: the kernels of one matrix add up in another order.
      const auto f = try_cholesky(whole);
      const auto g = try_lu(other);
      auto S = place(sides, layout++ % 8), R = place(sides, layout++ % 8);
      ASSERT_TRUE(try_solve(f, S.view, op));
      ASSERT_TRUE(try_solve(backend::threads{.threads = 3}, g, R.view, op));
      const auto right = applied<T>(op, A.view()), left = applied<T>(op, P.view());
      for (index_t b = 0; b < 50; ++b) {
        const auto B = sides[static_cast<std::size_t>(b)].view();
        EXPECT_TRUE(within(solve_ratio<T>(right.view(), S.view[b], B))) << n << " " << b;
        EXPECT_TRUE(within(solve_ratio<T>(left.view(), R.view[b], B))) << n << " " << b;
      }
      EXPECT_TRUE(S.guards_untouched());
      EXPECT_TRUE(R.guards_untouched());
    }
}

TYPED_TEST(Batch, OneRightHandSideIsSolvedWithAllFactors) {
  using T = TypeParam;
  for (const index_t n : {1, 5, 17})
    for (int layout = 0; layout < 8; ++layout) {
      auto all = random_batch<T>(50, n, n, true);
      all[13](n - 1, n - 1) = T(-1);
      auto A = batch_of(all, batch_layout::canonical());
      const auto f = try_cholesky(A);
      const matrix<T> B = random_batch<T>(1, n, 2)[0];
      auto expected = batch_of(matrices<T>(50, B));
      const status failed = try_solve(f, expected);
      EXPECT_EQ(failed, f.status());
      auto X = place(matrices<T>(50, matrix<T>(n, 2)), layout);
      EXPECT_EQ(try_solve(f, B, X.view), failed);
      const auto as_batch_of_one = batch_of<T>({B});
      batch<T> Y(50, n, 2);
      EXPECT_EQ(try_solve(backend::threads{.threads = 3}, f, as_batch_of_one, Y), failed);
      const std::vector<T> column(B.data(), B.data() + n);
      batch<T> x(50, n, 1);
      EXPECT_EQ(try_solve(f, column, x), failed);
      for (index_t b = 0; b < 50; ++b) {
        EXPECT_TRUE(same_bits(X.view[b], expected[b])) << n << " " << layout << " " << b;
        EXPECT_TRUE(same_bits(Y[b], expected[b])) << n << " " << b;
        EXPECT_TRUE(same_bits(x[b], expected[b].block(0, 0, n, 1))) << n << " " << b;
      }
      EXPECT_TRUE(X.guards_untouched()) << n << " " << layout;
    }
}

TYPED_TEST(Batch, ABadMatrixIsItsOwnAffairInEveryLane) {
  using T = TypeParam;
  for (const index_t n : {3, 8, 14}) {
    const auto good = random_batch<T>(40, n, n, true), sides = random_batch<T>(40, n, 3);
    auto L = batch_of(good), LU = L, X = batch_of(sides), Y = X;
    ASSERT_TRUE(try_solve(try_cholesky(L), X));
    ASSERT_TRUE(try_solve(try_lu(LU), Y));
    for (const auto& how : {batch_layout(), batch_layout::canonical()})
      for (const damage what : {damage::negative, damage::nan, damage::infinite, damage::zero_row})
        for (index_t bad = 0; bad < 40; ++bad) {
          auto all = good;
          auto& victim = all[static_cast<std::size_t>(bad)];
          spoil(victim, what, bad % n);
          auto A = batch_of(all, how), B = A, S = batch_of(sides, how), R = S;
          const auto f = try_cholesky(A);
          const auto g = try_lu(B);
          matrix<T> one(victim), other(victim);
          const auto f1 = try_cholesky(one);
          const auto g1 = try_lu(other);
          EXPECT_EQ(f.status(bad), f1.status()) << n << " " << bad << f1.status().message();
          EXPECT_EQ(g.status(bad), g1.status()) << n << " " << bad << g1.status().message();
          EXPECT_EQ(f.failed_count(), 1);
          EXPECT_EQ(f.first_failure(), bad);
          EXPECT_EQ(f.status(), f1.status());
          EXPECT_FALSE(f);
          EXPECT_EQ(try_solve(f, S), f1.status());
          EXPECT_EQ(try_solve(g, R), g1.status());
          EXPECT_TRUE(same_bits(S[bad], sides[static_cast<std::size_t>(bad)].view()));
          if (!g1) {
            EXPECT_TRUE(same_bits(R[bad], sides[static_cast<std::size_t>(bad)].view()));
          }
          for (index_t b = 0; b < 40; ++b) {
            if (b == bad) continue;
            EXPECT_EQ(f.info()[static_cast<std::size_t>(b)], 0);
            EXPECT_TRUE(same_bits(A[b].block(1, 0, n - 1, 1), L[b].block(1, 0, n - 1, 1)));
            EXPECT_TRUE(same_bits(B[b], LU[b])) << n << " " << bad << " " << b;
            EXPECT_TRUE(same_bits(S[b], X[b]));
            EXPECT_TRUE(same_bits(R[b], Y[b]));
          }
        }
  }
}

TYPED_TEST(Batch, TheCallersInfoIsWrittenForEachMatrix) {
  for (const index_t n : {0, 1, 5, 16, 70, 260})
    for (const auto& how :
         {batch_layout(), batch_layout::canonical(), batch_layout::interleaved()}) {
      expect_info_written<TypeParam>(backend::serial{}, n, how);
      expect_info_written<TypeParam>(backend::threads{.threads = 2}, n, how);
    }
}

/// √d in A(0, 0) and 1/√d in A(1, 0) of a batch, one matrix for each d.
template <class T>
batch<T> with_roots_of(const std::vector<real_t<T>>& all, index_t n) {
  batch<T> A(static_cast<index_t>(all.size()), n, n);
  for (index_t b = 0; b < A.count(); ++b) {
    for (index_t i = 0; i < n; ++i) A(b, i, i) = T(std::numeric_limits<real_t<T>>::max());
    A(b, 0, 0) = T(all[static_cast<std::size_t>(b)]);
    if (n > 1) A(b, 1, 0) = T(1);
  }
  return A;
}

TYPED_TEST(Batch, FastRootsAreWithinTwoUnits) {
  using T = TypeParam;
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  std::vector<R> all = {limits::denorm_min(),
                        limits::min() / 3,
                        limits::min(),
                        limits::max(),
                        R(1),
                        R(2),
                        R(3),
                        R(4)};
  random_source random(5);
  while (all.size() < 2000) all.push_back(static_cast<R>(1 + 3 * std::abs(random.uniform())));
  for (const index_t n : {1, 2, 4, 8, 11}) {
    auto A = with_roots_of<T>(all, n);
    for (index_t b = 0; b < 4 && n > 1; ++b) A(b, 1, 0) = T(0);
    ASSERT_TRUE(try_cholesky(A, {.floats = float_model::fast})) << n;
    for (index_t b = 0; b < A.count(); ++b) {
      const auto root = std::sqrt(static_cast<long double>(all[static_cast<std::size_t>(b)]));
      EXPECT_LE(std::abs(std::real(A(b, 0, 0)) - root), 2 * limits::epsilon() * root) << n;
      if (n == 1 || b < 4) continue;
      EXPECT_LE(std::abs(std::real(A(b, 1, 0)) * root - 1), 2 * limits::epsilon()) << n;
    }
  }
}

TYPED_TEST(Batch, FastArithmeticKeepsResidualsStatusesAndBits) {
  using T = TypeParam;
  for (const index_t n : {1, 3, 4, 6, 8, 13, 33}) {
    const auto good = random_batch<T>(40, n, n, true), sides = random_batch<T>(40, n, 1);
    const auto expected = [&] {
      auto A = batch_of(good);
      EXPECT_TRUE(try_cholesky(A, {.floats = float_model::fast}));
      return A;
    }();
    for (index_t b = 0; b < 40; ++b) {
      const matrix<T> L = at(expected, b);
      EXPECT_TRUE(within(
          cholesky_ratio<T>(good[static_cast<std::size_t>(b)].view(), triangle::lower, L.view())));
    }
    for (int layout = 0; layout < 8; ++layout)
      for (const damage what :
           {damage::negative, damage::nan, damage::infinite, damage::zero_row}) {
        auto all = good;
        const index_t bad = (7 * n + 5 * layout + static_cast<index_t>(what)) % 40;
        auto& victim = all[static_cast<std::size_t>(bad)];
        spoil(victim, what, bad % n);
        auto A = place(all, layout), X = place(sides, layout);
        auto B = batch_of(all);
        const auto f = try_cholesky_solve(backend::threads{.threads = 2}, A.view, X.view,
                                          {.floats = float_model::fast});
        EXPECT_EQ(f.status(bad), try_cholesky(B).status(bad)) << n << " " << layout << " " << bad;
        EXPECT_EQ(f.failed_count(), 1);
        EXPECT_TRUE(A.untouched_outside(triangle::lower)) << n << " " << layout;
        EXPECT_TRUE(X.guards_untouched()) << n << " " << layout;
        for (index_t b = 0; b < 40; ++b) {
          if (b == bad) continue;
          const auto i = static_cast<std::size_t>(b);
          for (index_t j = 0; j < n; ++j)
            EXPECT_TRUE(same_bits(matrix_view<const T>(A.view[b].block(j, j, n - j, 1)),
                                  expected[b].block(j, j, n - j, 1)))
                << n << " " << layout << " " << b;
          EXPECT_TRUE(within(solve_ratio<T>(good[i].view(), X.view[b], sides[i].view())));
        }
      }
  }
}

TYPED_TEST(Batch, ExtremePivotsAreDividedBy) {
  using T = TypeParam;
  using limits = std::numeric_limits<real_t<T>>;
  for (const index_t n : {3, 6, 14})
    for (const pivoting p : {pivoting::partial, pivoting::none}) {
      const auto all = random_batch<T>(20, n, n, true);
      auto A = batch_of(all), sides = batch_of(random_batch<T>(20, n, 1)), X = sides;
      for (index_t j = 0; j < n; ++j)  // denormal pivots in one lane, huge ones in another
        for (index_t i = 0; i < n; ++i) {
          A(3, i, j) = i == j ? T(limits::min() / 8) : T(0);
          A(11, i, j) = i == j ? T(limits::max()) : T(0);
          sides(3, i, 0) = X(3, i, 0) = T(limits::min());
          sides(11, i, 0) = X(11, i, 0) = T(limits::max());
        }
      auto expected = batch_of(all), Y = sides;
      ASSERT_TRUE(try_solve(try_lu(expected, {.pivoting = p}), Y));
      const auto f = try_lu(A, {.pivoting = p});
      ASSERT_TRUE(f) << f.status().message();
      ASSERT_TRUE(try_solve(f, X));
      for (index_t b = 0; b < 20; ++b)
        for (index_t i = 0; i < n; ++i) {
          if (b == 3 || b == 11)
            EXPECT_EQ(X(b, i, 0), T(b == 3 ? 8 : 1));
          else
            EXPECT_EQ(X(b, i, 0), Y(b, i, 0));
        }
    }
}

TYPED_TEST(Batch, AColumnHasTheSameBitsAloneAndBesideOthers) {
  using T = TypeParam;
  for (index_t n = 2; n <= 9; ++n) {
    auto S = batch_of(random_batch<T>(20, n, n, true)), A = batch_of(random_batch<T>(20, n, n)),
         N = S;
    const auto f = try_cholesky(S);
    const auto g = try_lu(A), h = try_lu(N, {.pivoting = pivoting::none});
    const auto check = [&](const auto& factor) {
      auto B = batch_of(random_batch<T>(20, n, 2));
      batch<T> b(20, n, 1);
      for (index_t k = 0; k < 20; ++k)
        for (index_t i = 0; i < n; ++i) b(k, i, 0) = B(k, i, 1);
      ASSERT_TRUE(try_solve(factor, B) && try_solve(factor, b));
      for (index_t k = 0; k < 20; ++k)
        EXPECT_TRUE(same_bits(b[k], B[k].block(0, 1, n, 1))) << n << " " << k;
    };
    check(f);
    check(g);
    check(h);
  }
}

}  // namespace
}  // namespace trifac::test
