#pragma once
// Every public call on matrices and batches of the host, for scalar types that are not LAPACK's
// four. scalar_suite.hpp has the factorizations in every variant; here is what is done with them.

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "layouts.hpp"
#include "number_types.hpp"
#include "scalars.hpp"
#include "trifac/backend/threads.hpp"
#include "trifac/batch.hpp"
#include "trifac/equilibration.hpp"
#include "trifac/fixed_size.hpp"
#include "trifac/nests.hpp"
#include "trifac/trifac.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {

/// serial, and a team.
template <class Visit>
void on_one_thread_and_two(Visit visit) {
  visit(backend::serial{});
  visit(backend::threads{.threads = 2});
}

template <class T>
std::vector<T> vector_of(const matrix<T>& X) {
  std::vector<T> x;
  for (index_t i = 0; i < X.rows(); ++i) x.push_back(X(i, 0));
  return x;
}
template <class T>
matrix<T> as_matrix(const std::vector<T>& x) {
  matrix<T> X(static_cast<index_t>(x.size()), 1);
  for (index_t i = 0; i < X.rows(); ++i) X(i, 0) = x[static_cast<std::size_t>(i)];
  return X;
}
/// A Hermitian positive definite A, a G, right-hand sides B, and the first of them.
template <class T>
struct samples {
  random_source random{1901};
  const index_t n = 9;
  const matrix<T> A = random_spd<T>(random, n), G = random_matrix<T>(random, n, n),
                  B = random_matrix<T>(random, n, 2);
  const std::vector<T> b = vector_of(B);
};

/// |x − y| ≤ `bound`·ε·|y|.
template <class T>
testing::AssertionResult near(const T& x, const T& y, int bound) {
  using R = real_t<T>;
  const R difference = detail::absolute(T(x - y)), size = detail::absolute(y);
  if (difference <= R(bound) * std::numeric_limits<R>::epsilon() * size)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << static_cast<double>(detail::absolute(x)) << " is not " << static_cast<double>(size);
}
template <class T>
matrix<T> leading(const matrix<T>& M, index_t m) {
  return matrix<T>(M.view().block(0, 0, m, m));
}
/// A ± X·Xᴴ.
template <class T>
matrix<T> modified(matrix<T> M, const matrix<T>& X, bool plus) {
  for (index_t j = 0; j < M.cols(); ++j)
    for (index_t i = 0; i < M.rows(); ++i)
      for (index_t c = 0; c < X.cols(); ++c) {
        const T x = detail::multiply(X(i, c), detail::conjugate(X(j, c)));
        M(i, j) = plus ? M(i, j) + x : M(i, j) - x;
      }
  return M;
}

template <class T>
class EveryCall : public testing::Test {};
TYPED_TEST_SUITE_P(EveryCall);

TYPED_TEST_P(EveryCall, VariantsByName) {
  using T = TypeParam;
  const samples<T> given;
  on_one_thread_and_two([&](const auto& on) {
    for (variant v : cholesky_variants)
      for (triangle part : {triangle::lower, triangle::upper}) {
        matrix<T> L = given.A, M(given.n, given.n);
        const auto f = try_cholesky(v, on, L.view(), {.part = part, .norm = true});
        ASSERT_TRUE(f) << to_string(v) << f.status().message();
        EXPECT_TRUE(within(cholesky_ratio<T>(given.A, part, f.matrix()))) << to_string(v);
        EXPECT_TRUE(near(T(f.norm()), T(norm(given.A)), 20));
        const auto g = try_cholesky(v, on, given.A.view(), M.view(), {.part = part});
        ASSERT_TRUE(g) << to_string(v);
        EXPECT_TRUE(within(cholesky_ratio<T>(given.A, part, g.matrix()))) << to_string(v);
      }
    for (variant v : lu_variants) {
      if (never_exchanges(v)) continue;
      matrix<T> LU = given.G;
      const auto f = try_lu(v, on, LU.view(), {.growth = true, .norm = true});
      ASSERT_TRUE(f) << to_string(v) << f.status().message();
      EXPECT_TRUE(within(lu_ratio<T>(given.G, f.matrix(), f.interchanges().span())));
      EXPECT_TRUE(f.max_l() >= real_t<T>(0) && f.growth() > real_t<T>(0));
      EXPECT_TRUE(near(T(f.norm(norm_kind::infinity)), T(norm(given.G, norm_kind::infinity)), 20));
    }
  });
  EXPECT_EQ(cholesky_workspace_bytes<T>(given.n) % alignof(T), 0u);
  EXPECT_EQ(lu_workspace_bytes<T>(given.n, given.n) % alignof(T), 0u);
}

TYPED_TEST_P(EveryCall, Solves) {
  using T = TypeParam;
  const samples<T> given;
  on_one_thread_and_two([&](const auto& on) {
    matrix<T> L = given.A, LU = given.G;
    const auto f = cholesky(on, L);
    const auto g = lu(on, LU);
    for (operation op : {operation::none, operation::transpose, operation::adjoint}) {
      const matrix<T> of_f = applied<T>(op, given.A), of_g = applied<T>(op, given.G);
      EXPECT_TRUE(within(solve_ratio<T>(of_f, solved(on, f, given.B, op), given.B)));
      EXPECT_TRUE(within(solve_ratio<T>(of_g, solved(on, g, given.B, op), given.B)));
      matrix<T> X = given.B;
      solve(on, g, X, op);
      EXPECT_TRUE(within(solve_ratio<T>(of_g, X, given.B)));
      const auto x = as_matrix(solved(on, f, given.b, op));
      EXPECT_TRUE(within(solve_ratio<T>(of_f, x, as_matrix(given.b))));
      solve(on, f, given.B, X, op);
      EXPECT_TRUE(within(solve_ratio<T>(of_f, X, given.B)));
      double done = 0;
      solve(on, g, given.B, X, op, {.progress = [&](double d) { done = d; }});
      EXPECT_TRUE(within(solve_ratio<T>(of_g, X, given.B)));
      EXPECT_EQ(done, 1);
      solve(on, g.U(), given.B, X, op);
      EXPECT_TRUE(within(solve_ratio<T>(applied<T>(op, g.U().dense()), X, given.B)));
      X = given.B;
      solve(on, g.L(), X, op, {.progress = [&](double d) { done += d; }});
      EXPECT_TRUE(within(solve_ratio<T>(applied<T>(op, g.L().dense()), X, given.B)));
      EXPECT_EQ(done, 2);
      X = given.B;
      solve(on, f.L(), X, op);
      EXPECT_TRUE(within(solve_ratio<T>(applied<T>(op, f.L().dense()), X, given.B)));
      X = given.B;
      solve(on, g.U(), X, op);
      EXPECT_TRUE(within(solve_ratio<T>(applied<T>(op, g.U().dense()), X, given.B)));
      EXPECT_TRUE(within(
          solve_ratio<T>(applied<T>(op, g.L().dense()), solved(on, g.L(), given.B, op), given.B)));
    }
    matrix<T> M = given.A, N = given.G, X = given.B, Y = given.B;
    cholesky_solve(on, M, X);
    lu_solve(on, N, Y);
    EXPECT_TRUE(within(solve_ratio<T>(given.A, X, given.B)));
    EXPECT_TRUE(within(solve_ratio<T>(given.G, Y, given.B)));
    pivots p;
    N = given.G;
    std::vector<T> y = given.b;
    lu_solve(on, N, p, y);
    EXPECT_TRUE(within(solve_ratio<T>(given.G, as_matrix(y), as_matrix(given.b))));
  });
}

TYPED_TEST_P(EveryCall, FactorsMadeElsewhere) {
  using T = TypeParam;
  const samples<T> given;
  matrix<T> L = given.A, LU = given.G;
  ASSERT_TRUE(cholesky(L));
  const auto g = lu(LU);
  const auto ipiv = g.interchanges().template to_ipiv<int>();
  EXPECT_TRUE(within(solve_ratio<T>(given.A, solved(factored_cholesky(L), given.B), given.B)));
  EXPECT_TRUE(within(solve_ratio<T>(given.G, solved(factored_lu(LU, ipiv), given.B), given.B)));
  matrix<T> zero(2, 2);
  EXPECT_EQ(factored_lu(zero, std::vector<int>{1, 2}).status().kind(), status_kind::singular);
}

TYPED_TEST_P(EveryCall, InversesDeterminantsAndConditions) {
  using T = TypeParam;
  using R = real_t<T>;
  const samples<T> given;
  on_one_thread_and_two([&](const auto& on) {
    matrix<T> L = given.A, LU = given.G;
    const auto f = cholesky(on, L, {.norm = true});
    const auto g = lu(on, LU, {.norm = true});
    const matrix<T> X = inverse(on, f), Y = inverse(on, g);
    EXPECT_TRUE(within(inverse_ratio<T>(given.A, X)));
    EXPECT_TRUE(within(inverse_ratio<T>(given.G, Y)));
    matrix<T> in_place = LU;
    const lu_factor<T> h(in_place, pivots(g.interchanges()), status());
    ASSERT_TRUE(try_inverse(on, h, in_place));
    EXPECT_TRUE(within(inverse_ratio<T>(given.G, in_place)));

    T of_X(0), of_Y(0);
    for (index_t i = 0; i < given.n; ++i) {
      of_X = of_X + X(i, i);
      of_Y = of_Y + Y(i, i);
    }
    EXPECT_TRUE(near(T(trace_of_inverse(on, f)), of_X, 200));
    EXPECT_TRUE(near(trace_of_inverse(on, g), of_Y, 10000));
    matrix<T> one(given.n, given.n);
    for (index_t i = 0; i < given.n; ++i) one(i, i) = T(1);
    EXPECT_TRUE(near(trace_of_inverse(on, f, one), of_X, 200));
    EXPECT_TRUE(near(trace_of_inverse(on, f, one, triangle::upper), of_X, 200));
    EXPECT_TRUE(near(trace_of_inverse(on, g, one), of_Y, 10000));

    const R low_f = R(1) / (norm(given.A) * norm(X)), low_g = R(1) / (norm(given.G) * norm(Y));
    for (const R& found : {reciprocal_condition(on, f), reciprocal_condition(on, f, f.norm())})
      EXPECT_TRUE(found >= low_f * R(0.999) && found <= low_f * R(3));
    EXPECT_TRUE(reciprocal_condition(on, g) >= low_g * R(0.999) &&
                reciprocal_condition(on, g) <= low_g * R(3));

    using std::log;
    EXPECT_TRUE(near(T(log_determinant(f).log_abs), T(log(determinant(f))), 20));
    const auto of_g = log_determinant(g);
    EXPECT_TRUE(near(T(of_g.sign * T(detail::absolute(determinant(g)))), determinant(g), 20));
    EXPECT_TRUE(near(T(of_g.log_abs), T(log(detail::absolute(determinant(g)))), 1000));
  });
  EXPECT_TRUE(near(T(norm(given.A, triangle::lower)), T(norm(given.A)), 20));
}

TYPED_TEST_P(EveryCall, ChangedFactors) {
  using T = TypeParam;
  const samples<T> given;
  const index_t n = given.n, few = n - 2;
  on_one_thread_and_two([&](const auto& on) {
    for (triangle part : {triangle::lower, triangle::upper}) {
      const auto good = [&](const matrix<T>& M, const cholesky_factor<T>& f) {
        return within(cholesky_ratio<T>(M, part, f.matrix()));
      };
      auto f = cholesky(on, matrix<T>(given.A), {.part = part});
      update(on, f, given.B);
      const matrix<T> more = modified(given.A, given.B, true);
      EXPECT_TRUE(good(more, f));
      downdate(on, f, given.b);
      EXPECT_TRUE(good(modified(more, as_matrix(given.b), false), f));

      f = cholesky(on, leading(given.A, few), {.part = part});
      append(on, f, given.A.view().block(0, few, few, 2), given.A.view().block(few, few, 2, 2));
      EXPECT_TRUE(good(given.A, f));
      remove(on, f, few, 2);
      EXPECT_TRUE(good(leading(given.A, few), f));
      std::vector<T> column;
      for (index_t i = 0; i < few; ++i) column.push_back(given.A(i, few));
      append(on, f, column, given.A(few, few));
      EXPECT_TRUE(good(leading(given.A, few + 1), f));

      matrix<T> room = given.A;
      auto g = cholesky(on, room.view().block(0, 0, few, few), {.part = part});
      append_in(on, g, room.view(), matrix<T>(given.A.view().block(0, few, few, 2)),
                matrix<T>(given.A.view().block(few, few, 2, 2)));
      EXPECT_TRUE(good(given.A, g));
      remove(on, g, 0);
      EXPECT_TRUE(good(matrix<T>(given.A.view().trailing(1)), g));
    }
  });
}

TYPED_TEST_P(EveryCall, Refinement) {
  using T = TypeParam;
  using R = real_t<T>;
  const samples<T> given;
  on_one_thread_and_two([&](const auto& on) {
    matrix<T> L = given.A, LU = given.G;
    const auto f = cholesky(on, L);
    const auto g = lu(on, LU);
    matrix<T> X(given.n, 2), Y(given.n, 2);  // zeros: the first correction is the solution
    const auto of_f = refine(on, given.A, f, given.B, X);
    const auto of_g = refine(on, given.G, g, given.B, Y, operation::transpose);
    EXPECT_TRUE(within(solve_ratio<T>(given.A, X, given.B)));
    EXPECT_TRUE(within(solve_ratio<T>(applied<T>(operation::transpose, given.G), Y, given.B)));
    for (const auto& found : {of_f, of_g})
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_TRUE(found.backward_errors[j] <= R(2) * std::numeric_limits<R>::epsilon());
        EXPECT_TRUE(found.forward_bounds[j] > R(0) && found.forward_bounds[j] < R(1e-6));
      }
  });
}

TYPED_TEST_P(EveryCall, SemidefiniteMatrices) {
  using T = TypeParam;
  using R = real_t<T>;
  const samples<T> given;
  const index_t n = given.n;
  const matrix<T> low = modified(matrix<T>(n, n), given.B, true);  // of rank 2
  on_one_thread_and_two([&](const auto& on) {
    matrix<T> L = low;
    const auto f = pivoted_cholesky(on, L);
    EXPECT_EQ(f.rank(), 2) << f.status().message();
    const auto g = low_rank_cholesky<T>(
        on, n, [&](index_t i) { return detail::real_part(low(i, i)); },
        [&](index_t j, std::span<T> a) {
          for (index_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i)] = low(i, j);
        },
        {.rank = n});
    ASSERT_TRUE(g) << g.status().message();
    EXPECT_EQ(g.rank(), 2);
    EXPECT_TRUE(g.trace() >= R(0) && g.trace() <= R(1000) * std::numeric_limits<R>::epsilon());
    matrix<T> rest = modified(low, matrix<T>(g.L()), false);
    EXPECT_TRUE(norm(rest) <= R(1000) * std::numeric_limits<R>::epsilon());

    matrix<T> M = low;
    const auto shifted = cholesky(on, M, {.jitter = {.first = 1e-3}});
    ASSERT_TRUE(shifted) << shifted.status().message();
    EXPECT_TRUE(shifted.shift() > R(0));
    matrix<T> sum = low;
    for (index_t i = 0; i < n; ++i) sum(i, i) = sum(i, i) + T(shifted.shift());
    EXPECT_TRUE(within(cholesky_ratio<T>(sum, triangle::lower, shifted.matrix())));

    matrix<T> half = given.B;
    const auto p = partial_cholesky(on, matrix<T>(given.A), 4);
    ASSERT_TRUE(p) << p.status().message();
    forward_solve(on, p, half);
    const auto kept = cholesky(on, matrix<T>(p.schur()));
    solve(on, kept, half.view().block(4, 0, n - 4, 2));
    backward_solve(on, p, half);
    EXPECT_TRUE(within(solve_ratio<T>(given.A, half, given.B), 300));
    const auto finished = finish(on, partial_cholesky(on, matrix<T>(given.A), 4));
    EXPECT_TRUE(within(cholesky_ratio<T>(given.A, triangle::lower, finished.matrix())));

    const auto triangle_of_A = finished.L();
    const matrix<T> of_L = triangle_of_A.dense(), inverse_of_L = inverse(on, triangle_of_A);
    EXPECT_TRUE(within(inverse_ratio<T>(of_L, inverse_of_L)));
    EXPECT_TRUE(reciprocal_condition(on, triangle_of_A) > R(0));
    EXPECT_TRUE(norm(triangle_of_A, norm_kind::max) > R(0));
    for (norm_kind kind : {norm_kind::one, norm_kind::frobenius})
      EXPECT_TRUE(near(norm(triangle_of_A, kind), norm(of_L, kind), 100));

    if constexpr (std::floating_point<R>) {
      matrix<T> indefinite = given.A;
      for (index_t i = 0; i < n; ++i) indefinite(i, i) = indefinite(i, i) - T(R(2 * n));
      matrix<T> plus = indefinite;
      const auto h = modified_cholesky(on, indefinite);
      for (index_t i = 0; i < n; ++i)
        plus(i, i) = plus(i, i) + T(h.E()[static_cast<std::size_t>(i)]);
      EXPECT_TRUE(within(solve_ratio<T>(plus, solved(on, h, given.B), given.B), 300));
    }
  });
}

TYPED_TEST_P(EveryCall, RowsAndScales) {
  using T = TypeParam;
  using R = real_t<T>;
  const samples<T> given;
  matrix<T> M = given.G;
  const std::vector<R> fours(static_cast<std::size_t>(given.n), R(4));
  scale_rows(M, fours);
  for (index_t i = 0; i < given.n; ++i) EXPECT_TRUE(M(i, 1) == given.G(i, 1) * T(4));
  pivots p(3);
  p[0] = 2;
  apply_interchanges(p, M);
  EXPECT_TRUE(M(0, 0) == given.G(2, 0) * T(4));
  undo_interchanges(p, M);
  EXPECT_TRUE(M(2, 0) == given.G(2, 0) * T(4));
  if constexpr (std::floating_point<R>) {
    const auto scales = equilibration(given.G), definite = equilibration_of_definite(given.A);
    ASSERT_TRUE(scales && definite);
    M = given.G;
    equilibrate(M, scales);
    EXPECT_TRUE(norm(M) <= R(2 * given.n));
    M = given.A;
    equilibrate(M, definite, triangle::lower);
    EXPECT_TRUE(detail::absolute(M(2, 2)) >= R(1) && detail::absolute(M(2, 2)) < R(4));
  }
}

TYPED_TEST_P(EveryCall, FixedSizes) {
  using T = TypeParam;
  const samples<T> given;
  constexpr index_t n = 4;
  matrix<T, n> M, N;
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) {
      M(i, j) = given.A(i, j);
      N(i, j) = given.G(i, j);
    }
  matrix<T, n, 2> X, Y;
  for (index_t j = 0; j < 2; ++j)
    for (index_t i = 0; i < n; ++i) X(i, j) = Y(i, j) = given.B(i, j);
  const matrix<T> original(leading(given.A, n)), general(leading(given.G, n)), right(X.view());
  auto f = cholesky(M);
  const auto g = lu(N);
  solve(f, X);
  solve(g, Y);
  EXPECT_TRUE(within(solve_ratio<T>(original, matrix<T>(X.view()), right)));
  EXPECT_TRUE(within(solve_ratio<T>(general, matrix<T>(Y.view()), right)));
  EXPECT_TRUE(within(inverse_ratio<T>(general, inverse(g))));
  matrix<T, n, 1> x;
  for (index_t i = 0; i < n; ++i) x(i, 0) = given.B(i, 0);
  update(f, x);
  EXPECT_TRUE(within(cholesky_ratio<T>(modified(original, matrix<T>(x.view()), true),
                                       triangle::lower, f.matrix())));
  std::array<T, n> y = {};
  for (T& element : y) element = T(1);
  cholesky_solve(M, y);  // the factor is factored, which does not matter
}

TYPED_TEST_P(EveryCall, Batches) {
  using T = TypeParam;
  using R = real_t<T>;
  const samples<T> given;
  const index_t n = given.n, count = 5;
  random_source random(1902);
  std::vector<matrix<T>> definite, general, right;
  for (index_t k = 0; k < count; ++k) {
    definite.push_back(random_spd<T>(random, n));
    general.push_back(random_matrix<T>(random, n, n));
    right.push_back(random_matrix<T>(random, n, 2));
  }
  const auto batch_of = [&](const std::vector<matrix<T>>& all, const batch_layout& layout) {
    batch<T> M(count, all[0].rows(), all[0].cols(), layout);
    for (index_t k = 0; k < count; ++k)
      for (index_t j = 0; j < all[0].cols(); ++j)
        for (index_t i = 0; i < n; ++i) M.view()(k, i, j) = all[static_cast<std::size_t>(k)](i, j);
    return M;
  };
  const auto solves = [&](const std::vector<matrix<T>>& all, const batch<T>& X) {
    for (std::size_t k = 0; k < all.size(); ++k)
      if (const auto found = within(
              solve_ratio<T>(all[k], matrix<T>(X.view()[static_cast<index_t>(k)]), right[k]));
          !found)
        return found;
    return testing::AssertionSuccess();
  };
  on_one_thread_and_two([&](const auto& on) {
    for (const auto& layout :
         {batch_layout::canonical(), batch_layout::interleaved(), batch_layout::chunked()}) {
      batch<T> M = batch_of(definite, layout), N = batch_of(general, layout),
               B = batch_of(right, layout), X = B, Y(count, n, 2, layout);
      auto f = cholesky(on, M);
      const auto g = lu(on, N);
      ASSERT_TRUE(f && g);
      solve(on, f, X);
      EXPECT_TRUE(solves(definite, X));
      solve(on, g, B, Y);
      EXPECT_TRUE(solves(general, Y));
      EXPECT_TRUE(solves(definite, solved(on, f, B)));
      batch<T> P = batch_of(definite, layout), Q = batch_of(general, layout), Z = B;
      EXPECT_TRUE(cholesky_solve(on, P, B, X).ok());
      EXPECT_TRUE(solves(definite, X));
      EXPECT_TRUE(lu_solve(on, Q, Z).ok());
      EXPECT_TRUE(solves(general, Z));
      X = B;
      solve(on, f.L(), X);
      solve(on, f.L(), X, operation::adjoint);
      EXPECT_TRUE(solves(definite, X));
      solve(on, f, right[0], X);  // one right-hand side for all
      EXPECT_TRUE(within(solve_ratio<T>(definite[1], matrix<T>(X.view()[1]), right[0])));
      X = B;
      solve(on, f[2], X);  // one factor for all
      EXPECT_TRUE(within(solve_ratio<T>(definite[2], matrix<T>(X.view()[3]), right[3])));

      const batch<T> inverses = inverse(on, g);
      const auto of_f = determinant(on, f);
      const auto of_g = log_determinant(on, g);
      std::vector<R> norms;
      for (const auto& A : general) norms.push_back(norm(A));
      const auto conditions = reciprocal_condition(on, g, norms);
      for (index_t k = 0; k < count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        EXPECT_TRUE(within(inverse_ratio<T>(general[at], matrix<T>(inverses.view()[k]))));
        EXPECT_TRUE(near(T(of_f[at]), T(determinant(f[k])), 0));
        EXPECT_TRUE(near(T(of_g[at].log_abs), T(log_determinant(g[k]).log_abs), 0));
        EXPECT_TRUE(conditions[at] > R(0) && conditions[at] <= R(1));
      }
      update(on, f, B);
      downdate(on, f, B);
      for (index_t k = 0; k < count; ++k)
        EXPECT_TRUE(within(cholesky_ratio<T>(definite[static_cast<std::size_t>(k)], triangle::lower,
                                             f.matrices()[k]),
                           100));
      inverse(on, f, M);  // in place of the factors
      matrix<T> first(M.view()[0]);
      mirror_lower(first);
      EXPECT_TRUE(within(inverse_ratio<T>(definite[0], first)));
      copy<T>(X.view(), Y.view());
      EXPECT_TRUE(Y.view()(4, 8, 1) == X.view()(4, 8, 1));
    }
  });
  EXPECT_EQ(batch_workspace_bytes<T>(n, n) % alignof(T), 0u);
}

REGISTER_TYPED_TEST_SUITE_P(EveryCall, VariantsByName, Solves, FactorsMadeElsewhere,
                            InversesDeterminantsAndConditions, ChangedFactors, Refinement,
                            SemidefiniteMatrices, RowsAndScales, FixedSizes, Batches);

}  // namespace trifac::test
