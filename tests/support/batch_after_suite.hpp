#pragma once
// What follows the factors of a batch, for TRIFAC_TEST_SCALAR: solves with triangles, determinants,
// inverses, condition numbers, updates; each matrix beside the calls of one, bad ones beside good
// ones.

#include "batch_suite.hpp"
#include "trifac/backend/openmp.hpp"
#include "trifac/update.hpp"

namespace trifac::test {
namespace {

template <class T>
class BatchAfter : public testing::Test {};
TYPED_TEST_SUITE(BatchAfter, batch_scalars, scalar_names);

const backend::threads three_threads{.threads = 3};
#if defined(_OPENMP)
const backend::openmp other_team{.threads = 3};  // the calls take either team by the same code
#else
const backend::threads other_team{.threads = 2};
#endif

/// f(factor, A, bad) for factors of both kinds of `count` matrices of order n, in layout how; A has
/// the matrices, of which `bad` (−1: none) cannot be factored.
template <class T, class Check>
void with_factors(index_t count, index_t n, int how, index_t bad, Check check) {
  auto all = random_batch<T>(count, n, n, true);
  if (bad >= 0) spoil(all[static_cast<std::size_t>(bad)], damage::nan, n - 1);
  for (const triangle part : {triangle::lower, triangle::upper}) {
    auto A = place(all, how);
    auto f = try_cholesky(A.view, {.part = part});
    check(f, all, A.view);
  }
  for (const pivoting p : {pivoting::partial, pivoting::none}) {
    auto A = place(all, how);
    auto f = try_lu(A.view, {.pivoting = p});
    check(f, all, A.view);
  }
}

TYPED_TEST(BatchAfter, TrianglesAreSolvedWithInEveryLayout) {
  using T = TypeParam;
  const index_t count = 37, bad = 18;
  for (const index_t n : {1, 2, 5, 17})
    for (const int how : {0, 1, 2, 6})
      for (const operation op : {operation::none, operation::transpose, operation::adjoint})
        with_factors<T>(count, n, how, bad, [&](const auto& f, const auto&, const auto&) {
          const auto sides = random_batch<T>(count, n, 3);
          const auto check = [&](const batch_triangular_view<T>& L) {
            const batch<T> X = batch_of(sides);
            batch<T> Y = X, alone = X;
            auto Z = place(sides, 7 - how);
            EXPECT_EQ(try_solve(three_threads, L, Y, op), f.status());
            EXPECT_EQ(try_solve(other_team, L, Z.view, op), f.status());
            for (index_t b = 0; b < count; ++b) {
              const auto B = X[b];
              EXPECT_TRUE(same_bits(matrix_view<const T>(Y[b]), matrix_view<const T>(Z.view[b])));
              if (b == bad) {
                EXPECT_TRUE(same_bits(matrix_view<const T>(Y[b]), B));
                EXPECT_FALSE(L[b].status());
              } else {
                const matrix<T> A = applied<T>(op, L[b].dense());
                EXPECT_TRUE(within(solve_ratio<T>(A.view(), std::as_const(Y)[b], B)))
                    << n << " layout " << how << " matrix " << b;
              }
            }
          };
          check(f.L());
          check(f.U());
        });
}

TYPED_TEST(BatchAfter, InversesInPlaceAndElsewhere) {
  using T = TypeParam;
  const index_t count = 21, bad = 9;
  const auto sides = [](index_t n) { return random_batch<T>(count, n, n); };
  for (const index_t n :
       {index_t(1), index_t(2), index_t(7), index_t(16), detail::largest_inverse_in_lanes + 1})
    for (const int how : {1, 2, 5})
      with_factors<T>(count, n, how, bad, [&](const auto& f, const auto& all, const auto& A) {
        batch<T> X = batch_of(sides(n));
        const batch<T> before = X;
        const batch_outcome outcome = try_inverse(other_team, f, X);
        EXPECT_EQ(outcome.failed_count(), 1);
        EXPECT_EQ(outcome.status(bad), f.status(bad));
        EXPECT_TRUE(same_bits(std::as_const(X)[bad], before[bad]));
        for (index_t b = 0; b < count; ++b) {
          if (b == bad) continue;
          matrix<T> whole = at(X, b);
          if constexpr (requires { f.part(); }) {
            EXPECT_TRUE(same_outside<T>(whole.view(), before[b], f.part())) << "matrix " << b;
            detail::mirror(whole.view(), f.part());
          }
          if (n > 16 && b % 10 != 0) continue;  // residuals in wider numbers take long
          const matrix<T>& given = all[static_cast<std::size_t>(b)];
          EXPECT_TRUE(within(inverse_ratio<T>(given.view(), whole.view())));
          EXPECT_TRUE(within(inverse_ratio<T>(whole.view(), given.view())));
        }
        if (n > detail::largest_inverse_in_lanes) return;
        EXPECT_EQ(try_inverse(f, A).failed_count(), 1);  // over the factors: the same bits
        const auto written = [&](index_t i, index_t j) {
          if constexpr (requires { f.part(); })
            return in_triangle(f.part())(i, j);
          else
            return true;
        };
        for (index_t b = 0; b < count; ++b)
          EXPECT_TRUE(b == bad || same_bits_where<T>(A[b], std::as_const(X)[b], written))
              << n << " layout " << how << " matrix " << b;
      });
  const auto all = random_batch<T>(4, 5, 5, true);
  auto A = batch_of(all);
  const batch<T> X = inverse(try_cholesky(A));  // both triangles
  for (index_t b = 0; b < 4; ++b)
    EXPECT_TRUE(within(inverse_ratio<T>(all[static_cast<std::size_t>(b)].view(), X[b])));
}

TYPED_TEST(BatchAfter, DeterminantsAndConditionNumbersAreThoseOfEachMatrix) {
  using T = TypeParam;
  using R = real_t<T>;
  const index_t count = 21, bad = 4;
  for (const index_t n : {1, 3, 12})
    with_factors<T>(count, n, 2, bad, [&](const auto& f, const auto& all, const auto&) {
      using F = std::remove_cvref_t<decltype(f)>;
      std::vector<determinant_t<F>> values(count, determinant_t<F>(7));
      std::vector<signed_logarithm<determinant_t<F>>> logarithms(count);
      std::vector<R> norms, conditions(count, R(7));
      for (const auto& A : all) norms.push_back(norm(A));
      EXPECT_EQ(try_determinant(three_threads, f, std::span(values)).failed_count(), 1);
      EXPECT_EQ(try_log_determinant(f, std::span(logarithms)).status(bad), f.status(bad));
      EXPECT_EQ(
          try_reciprocal_condition(other_team, f, norms, norm_kind::one, std::span(conditions))
              .first_failure(),
          bad);
      EXPECT_EQ(values[bad], determinant_t<F>(7));
      EXPECT_EQ(conditions[bad], R(7));
      for (index_t b = 0; b < count; ++b) {
        if (b == bad) continue;
        const auto i = static_cast<std::size_t>(b);
        EXPECT_EQ(values[i], determinant(f[b]));
        EXPECT_EQ(logarithms[i].log_abs, log_determinant(f[b]).log_abs);
        EXPECT_EQ(conditions[i], reciprocal_condition(f[b], norms[i]));
        EXPECT_GT(conditions[i], R(0));
      }
      norms[0] = R(-1);
      EXPECT_EQ(try_reciprocal_condition(f, norms, norm_kind::one, std::span(conditions))
                    .status()
                    .argument(),
                std::string_view("norms"));
      values.pop_back();
      EXPECT_EQ(try_determinant(f, std::span(values)).status().argument(),
                std::string_view("values"));
    });
}

TYPED_TEST(BatchAfter, ASingularMatrixHasADeterminantATooLargeOneHasNone) {
  using T = TypeParam;
  using R = real_t<T>;
  auto all = random_batch<T>(9, 4, 4, true);
  for (index_t i = 0; i < 4; ++i) all[2](i, 3) = T(0);
  for (index_t j = 0; j < 4; ++j)
    for (index_t i = 0; i < 4; ++i)
      all[5](i, j) = T(i == j ? std::numeric_limits<R>::max() / 4 : 0);
  auto A = batch_of(all);
  const auto f = try_lu(A);
  std::vector<T> values(9);
  const batch_outcome outcome = try_determinant(f, std::span(values));
  EXPECT_EQ(f.status(2).kind(), status_kind::singular);
  EXPECT_TRUE(outcome.status(2));
  EXPECT_EQ(values[2], T(0));
  EXPECT_EQ(outcome.status(5), status::at(status_kind::not_finite, 3));
  EXPECT_EQ(outcome.failed_count(), 1);
  EXPECT_THROW(static_cast<void>(determinant(f)), numerical_error);
  EXPECT_TRUE(std::isfinite(log_determinant(f)[5].log_abs));
}

TYPED_TEST(BatchAfter, UpdatesAndDowndatesHaveTheBitsOfOneMatrix) {
  using T = TypeParam;
  const index_t count = 20, bad = 6, lost = 13, infinite = 17;
  for (const index_t n : {2, 9, 20})
    for (const triangle part : {triangle::lower, triangle::upper})
      for (const int how : {0, 2}) {
        auto all = random_batch<T>(count, n, n, true);
        spoil(all[bad], damage::negative, n - 1);
        auto A = place(all, how);
        auto X = batch_of(random_batch<T>(count, n, 2));
        auto f = try_cholesky(A.view, {.part = part});
        const batch<T> before(A.view);
        EXPECT_EQ(try_update(other_team, f, X).failed_count(), 1);
        for (index_t i = 0; i < n; ++i) X(lost, i, 0) = T(1000);
        X(infinite, n - 1, 1) = T(std::numeric_limits<real_t<T>>::infinity());
        const batch_outcome outcome = try_downdate(f, X);
        EXPECT_EQ(outcome.failed_count(), 3);
        EXPECT_EQ(f.failed_count(), 2);
        EXPECT_EQ(outcome.status(infinite), status::at(status_kind::not_finite, n - 1));
        EXPECT_EQ(outcome.status(lost), f.status(lost));
        EXPECT_EQ(f.status(lost).kind(), status_kind::not_positive_definite);
        for (index_t b = 0; b < count; ++b) {
          if (b == bad || b == lost || b == infinite) continue;
          matrix<T> one = at(before, b);
          cholesky_factor<T> g(one.view(), part, status());
          update(g, std::as_const(X)[b]);
          downdate(g, std::as_const(X)[b]);
          EXPECT_TRUE(same_bits(one.view(), A.view[b])) << n << " matrix " << b;
        }
      }
}

TYPED_TEST(BatchAfter, ArgumentsAreNamedAndNothingIsTouched) {
  using T = TypeParam;
  auto A = batch_of(random_batch<T>(6, 4, 4, true)), X = A, Y = A;
  batch<T> low(6, 3, 3), few(5, 4, 4);
  auto f = try_cholesky(A);
  const auto blamed = [](const batch_outcome& o) { return std::string(o.status().argument()); };
  EXPECT_EQ(blamed(try_inverse(f, low)), "X");
  EXPECT_EQ(blamed(try_inverse(f, few)), "X");
  EXPECT_EQ(blamed(try_inverse(f, A.view().transposed())), "X");
  EXPECT_EQ(blamed(try_inverse(batch_cholesky_factor<T>(), X)), "factor");
  EXPECT_EQ(blamed(try_inverse(backend::threads{.threads = -1}, f, X)), "backend.threads");
  EXPECT_EQ(blamed(try_update(f, low)), "X");
  EXPECT_EQ(blamed(try_downdate(f, few)), "X");
  EXPECT_EQ(blamed(try_update(f, A)), "X");
  EXPECT_EQ(try_solve(f.L(), low).argument(), std::string_view("B"));
  for (index_t b = 0; b < 6; ++b) EXPECT_TRUE(same_bits(X[b], Y[b]));
  EXPECT_TRUE(f);

  // Factors of const objects, moved and empty ones.
  const auto moved = std::move(f);
  const batch<T> sides = Y;
  EXPECT_TRUE(moved);
  EXPECT_EQ(f.status().kind(), status_kind::empty);  // NOLINT: what a moved-from factor is
  EXPECT_EQ(f.batch() + f.rows() + f.failed_count(), 0);
  EXPECT_EQ(blamed(try_update(f, sides)), "factor");
  EXPECT_TRUE(same_bits(solved(moved, sides)[2], solved(other_team, moved, Y)[2]));
  auto g = try_lu(A);
  const auto h = std::move(g);
  EXPECT_EQ(g.interchanges(0).size(), 0);
  EXPECT_EQ(try_solve(g, X).argument(), std::string_view("factor"));
  EXPECT_EQ(h.interchanges(3).size(), 4);
  batch<T> taken = std::move(Y), again = taken;
  EXPECT_EQ(Y.count(), 0);  // NOLINT: what a moved-from batch is
  EXPECT_TRUE(Y.view().empty());
  Y = std::move(taken);
  EXPECT_TRUE(same_bits(Y[5], again[5]));
  batch_cholesky_factor<T> empty;
  EXPECT_EQ(try_solve(empty.L(), X).argument(), std::string_view("factor"));
  EXPECT_EQ(empty[0].status().kind(), status_kind::empty);
}

TYPED_TEST(BatchAfter, MemoryInCommonIsFoundInAnyMatrix) {
  using T = TypeParam;
  const auto all = random_batch<T>(40, 3, 3, true);
  const auto blamed = [](const status& s) { return std::string(s.argument()); };
  for (const auto layout : {batch_layout::canonical(), batch_layout::chunked(8)}) {
    batch<T> A = batch_of(all, layout), C = A;
    const batch_view<T> whole = A.view();
    auto f = try_cholesky(whole.matrices(0, 20));
    for (const index_t shift : {1, 2, 8, 19}) {
      const batch_view<T> X = whole.matrices(shift, 20);
      EXPECT_EQ(blamed(try_solve(f, X)), "B") << shift;
      EXPECT_EQ(blamed(try_inverse(f, X).status()), "X") << shift;
      EXPECT_EQ(blamed(try_update(f, X).status()), "X") << shift;
      EXPECT_EQ(blamed(try_lu_solve(whole.matrices(0, 20), X).status()), "B") << shift;
    }
    EXPECT_TRUE(try_update(f, whole.matrices(20, 20)));  // other lanes of a chunk
    const auto one = try_cholesky(C[5]);
    EXPECT_EQ(blamed(try_solve(one, C)), "B");
    EXPECT_EQ(blamed(try_solve(one, C.view().matrices(4, 30))), "B");
    EXPECT_TRUE(try_solve(one, C.view().matrices(6, 34)));
  }
  std::vector<T> v(41 * 4);
  batch<T> A = batch_of(all);
  const auto f = try_cholesky(A);
  EXPECT_EQ(
      blamed(try_solve(f, strided<const T>(v.data(), 40, 3, 1), strided(v.data() + 3, 40, 3, 1))),
      "B");
  std::vector<T*> at;
  for (index_t b = 0; b < 40; ++b) {
    at.push_back(v.data() + 4 * ((b * 7) % 40));  // in no order
    *at.back() = T(1);
  }
  const auto P = pointers(std::span(at), 2, 2, 2);
  const auto g = try_cholesky(P.block(0, 0, 1, 1));
  EXPECT_TRUE(try_solve(g, P.block(1, 0, 1, 2)));
  EXPECT_EQ(blamed(try_solve(g, P.block(0, 0, 1, 2))), "B");
  EXPECT_EQ(blamed(try_solve(g[3], P.matrices(3, 9).block(0, 0, 1, 1))), "B");
  std::vector<T*> next(at.begin() + 1, at.end());
  EXPECT_EQ(blamed(try_inverse(try_cholesky(P.matrices(0, 39).block(0, 0, 1, 1)),
                               pointers(std::span(next), 1, 1, 2))
                       .status()),
            "X");
  // Tiles of rows of one matrix: ranges of addresses that meet, elements that do not.
  std::vector<T*> tiles, others;
  for (index_t b = 0; b < 4; ++b) {
    tiles.push_back(v.data() + 3 * b);
    others.push_back(v.data() + 3 * b + 2);
    tiles.back()[0] = tiles.back()[13] = T(1);
    tiles.back()[1] = tiles.back()[12] = T(0);
  }
  const auto h = try_cholesky(pointers(std::span(tiles), 2, 2, 12));
  ASSERT_TRUE(h) << h.status().message();
  EXPECT_TRUE(try_solve(h, pointers(std::span(others), 1, 2, 12).transposed()));
  EXPECT_EQ(blamed(try_solve(h, strided(v.data() + 2, 4, 2, 1, 2, 2))), "B");
  EXPECT_EQ(blamed(try_solve(h, pointers(std::span(tiles), 2, 1, 12))), "B");
  others[2] = tiles[1] + 1;
  EXPECT_EQ(blamed(try_lu(pointers(std::span(others), 2, 2, 12)).status()), "A");
  // Of one matrix the distance to the next one means nothing.
  EXPECT_TRUE(
      try_inverse(try_cholesky(strided(v.data(), 1, 1, 1)), interleaved(v.data(), 1, 1, 1)));
  const index_t n = detail::largest_inverse_in_lanes + 1;  // one pointer, two blocks
  matrix<T> M(n + 1, n + 1);
  for (index_t i = 0; i <= n; ++i) M(i, i) = T(2);
  std::vector<T*> single{M.data()};
  const auto Q = pointers(std::span(single), n + 1, n + 1, n + 1);
  EXPECT_EQ(blamed(try_inverse(try_cholesky(Q.block(0, 0, n, n)), Q.block(1, 1, n, n)).status()),
            "X");
}

TYPED_TEST(BatchAfter, ViewsThatAreNoBatchAreNotCopied) {
  using T = TypeParam;
  batch<T> A = batch_of(random_batch<T>(5, 3, 3, true)), zeros(1, 3, 3), B(5, 3, 1), X = A;
  const auto f = try_cholesky(A);
  EXPECT_THROW(static_cast<void>(solved(f, strided<const T>(nullptr, 5, 3, 1))), argument_error);
  EXPECT_THROW(static_cast<void>(solved(f, strided<const T>(B.data(), 5, -3, 1))), argument_error);
  // One factor for all that failed: X is as it was.
  const batch<T> before = X;
  matrix<T> Z(3, 3);
  EXPECT_EQ(try_solve(try_lu(zeros), Z, X).kind(), status_kind::singular);
  EXPECT_EQ(try_solve(try_lu(Z), zeros, X).kind(), status_kind::singular);
  for (index_t b = 0; b < 5; ++b) EXPECT_TRUE(same_bits(std::as_const(X)[b], before[b]));
  ASSERT_TRUE(try_inverse(f, X));
  for (index_t b = 0; b < 5; ++b)
    for (index_t k = 0; k < 3; ++k) EXPECT_EQ(X(b, k, k), detail::conjugate(X(b, k, k)));
}

}  // namespace
}  // namespace trifac::test
