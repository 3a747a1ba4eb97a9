// pivoted_cholesky: LAPACK's ratio dpst01 and rank, layouts, threads; indefinite matrices, NaN and
// infinities; the arguments. Kernel matrices by functions.

#include "trifac/pivoted_cholesky.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/low_rank_cholesky.hpp"

namespace trifac::test {
namespace {

template <class T>
class PivotedCholesky : public testing::Test {};
TYPED_TEST_SUITE(PivotedCholesky, lapack_scalars, scalar_names);

constexpr index_t orders[] = {0, 1, 2, 9, 63, 64, 65, 130};

/// G·Gᴴ, n×n, G: n×rank.
template <class T>
matrix<T> semidefinite(random_source& random, index_t n, index_t rank) {
  const matrix<T> G = random_matrix<T>(random, n, rank);
  matrix<T> A(n, n);
  for (index_t k = 0; k < rank; ++k)
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < n; ++i) A(i, j) += G(i, k) * detail::conjugate(G(j, k));
  mirror_lower(A);
  return A;
}

/// ‖Pᵀ·A·P − L·Lᴴ‖₁ / (n·‖A‖₁·ε). LAPACK: dpst01.
template <class T, class Factor>
auto pivoted_ratio(const matrix<T>& A, const Factor& f) {
  const index_t n = A.rows();
  const auto order = f.permutation();
  matrix<wide_t<T>> residual(n, n), L(n, f.rank()), adjoint_of_L(f.rank(), n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i)
      residual(i, j) =
          wide_t<T>(A(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]));
  for (index_t k = 0; k < f.rank(); ++k)
    for (index_t i = 0; i < n; ++i) {
      L(i, k) = wide_t<T>(f.L()(i, k));
      adjoint_of_L(k, i) = detail::conjugate(L(i, k));
    }
  subtract_product(residual, L, adjoint_of_L);
  return ratio_of<T>(norm_1(residual.view()), norm_1(A.view()), n);
}

// LAPACK: maxloc.
TYPED_TEST(PivotedCholesky, OfEqualElementsTheFirstIsThePivot) {
  using T = TypeParam;
  for (const index_t n : {2, 7, 70})
    for (const triangle part : {triangle::lower, triangle::upper}) {
      matrix<T> A(n, n);
      std::vector<double> left;
      for (index_t i = 0; i < n; ++i) {
        left.push_back(i % 3 == 2 ? 4 : 1);
        A(i, i) = number<T>(left.back());
      }
      const auto f = pivoted_cholesky(A, {.part = part});
      ASSERT_EQ(f.rank(), n);
      for (index_t k = 0; k < n; ++k) {
        const auto begin = left.begin() + k, largest = std::max_element(begin, left.end());
        EXPECT_EQ(f.interchanges()[k], largest - left.begin()) << "n = " << n << ", step " << k;
        std::iter_swap(begin, largest);
      }
    }
}

TYPED_TEST(PivotedCholesky, RankAndRatioInAllLayouts) {
  using T = TypeParam;
  random_source random(2001);
  for (index_t n : orders)
    for (index_t rank : {n, n / 2, std::min<index_t>(n, 3), index_t{0}})
      for (triangle part : {triangle::lower, triangle::upper}) {
        const matrix<T> A = rank == n ? random_spd<T>(random, n) : semidefinite<T>(random, n, rank);
        matrix<T> stored = A;
        const auto f = pivoted_cholesky(stored, {.part = part});
        ASSERT_TRUE(f.ok()) << n << ": " << f.status().message();
        ASSERT_EQ(f.rank(), rank) << n;
        ASSERT_TRUE(within(pivoted_ratio<T>(A, f)));
        for (index_t k = 1; k < f.rank(); ++k)  // the pivots do not grow, to rounding errors
          ASSERT_LT(detail::real_part(f.L()(k, k)), detail::real_part(f.L()(k - 1, k - 1)) * 1.001);
        for (layout where : all_layouts) {
          placed_matrix<T> placed(A, where);
          const auto g = pivoted_cholesky(placed.view(), {.part = part});
          EXPECT_TRUE(placed.untouched_except(in_triangle(part))) << to_string(where);
          ASSERT_EQ(g.rank(), rank);
          EXPECT_TRUE(within(pivoted_ratio<T>(A, g))) << to_string(where);
        }
      }
}

TYPED_TEST(PivotedCholesky, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  random_source random(2002);
  for (index_t rank : {250, 100}) {
    const matrix<T> A = semidefinite<T>(random, 250, rank);
    const auto f = pivoted_cholesky(matrix<T>(A));
    for_each_team([&](const auto& team, const std::string& name) {
      const auto g = pivoted_cholesky(team, matrix<T>(A));
      EXPECT_EQ(g.rank(), f.rank()) << name;
      EXPECT_TRUE(same_bits(g.matrix(), f.matrix())) << name;
    });
  }
}

TYPED_TEST(PivotedCholesky, ToleranceEndsIt) {
  using T = TypeParam;
  using R = real_t<T>;
  const index_t n = 100;
  matrix<T> A(n, n);
  for (index_t i = 0; i < n; ++i) A(i, i) = T(static_cast<R>((i * 37) % n));
  const auto f = pivoted_cholesky(matrix<T>(A), {.tolerance = 69.5});
  EXPECT_EQ(f.rank(), 30);
  const auto order = f.permutation();
  for (index_t k = 0; k < 30; ++k)
    EXPECT_EQ(A(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(k)]),
              T(static_cast<R>(99 - k)));
  EXPECT_EQ(pivoted_cholesky(matrix<T>(A), {.tolerance = 100}).rank(), 0);
  EXPECT_EQ(pivoted_cholesky(matrix<T>(A), {.tolerance = 1e300}).rank(), 0);
  EXPECT_EQ(pivoted_cholesky(matrix<T>(A), {.tolerance = 0, .block = 7}).rank(), n - 1);
}

TYPED_TEST(PivotedCholesky, IndefiniteAndNotFinite) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(2003);
  const index_t n = 80;
  matrix<T> A = semidefinite<T>(random, n, 70);
  A(17, 17) = T(R(-1));
  const auto f = pivoted_cholesky(matrix<T>(A));
  EXPECT_EQ(f.status().kind(), status_kind::not_positive_definite);
  EXPECT_EQ(f.status().index(), f.rank());
  for (R bad : {std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::infinity()}) {
    matrix<T> B = semidefinite<T>(random, n, n);
    B(20, 20) = T(bad);
    EXPECT_EQ(pivoted_cholesky(matrix<T>(B)).status(), status::at(status_kind::not_finite, 0));
    B(20, 20) = T(R(1));
    B(70, 20) = T(bad);
    EXPECT_EQ(pivoted_cholesky(matrix<T>(B)).status().kind(), status_kind::not_finite);
    B(70, 20) = T(R(0));
    EXPECT_NE(pivoted_cholesky(std::move(B)).status().kind(), status_kind::not_finite);
  }
}

TYPED_TEST(PivotedCholesky, TellsTheColumnThatIsNotFinite) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(2005);
  const index_t n = 21, block = 8;
  matrix<T> A = random_matrix<T>(random, n, n);
  for (index_t i = 0; i < n; ++i)  // the pivots are the diagonal in its order
    A(i, i) = T(static_cast<R>(1000 - 10 * i));
  mirror_lower(A);
  const auto check = [&](const matrix<T>& bad, index_t expected) {
    for (triangle part : {triangle::lower, triangle::upper})
      for (layout where : padded_layouts) {
        placed_matrix<T> stored(bad, where);
        const auto f = try_pivoted_cholesky(backend::threads{.threads = 2}, stored.view(),
                                            {.part = part, .block = block});
        EXPECT_EQ(f.status(), status::at(status_kind::not_finite, expected)) << to_string(where);
        EXPECT_EQ(f.rank(), expected);
        for (index_t j = 0; j < f.rank(); ++j)
          for (index_t i = j; i < n; ++i) ASSERT_TRUE(detail::is_finite(f.L()(i, j)));
      }
  };
  for (R value : {std::numeric_limits<R>::quiet_NaN(), -std::numeric_limits<R>::infinity()})
    for (index_t j : {index_t{0}, block - 1, block, n - 2, n - 1})
      for (index_t i : {j, j + 1, n - 1}) {
        if (i < j || i >= n) continue;
        SCOPED_TRACE(testing::Message() << value << " at " << i << ", " << j);
        matrix<T> bad = A;
        bad(i, j) = bad(j, i) = T(value);
        check(bad, i == j ? 0 : j);
      }
  // In what no pivot meets.
  for (index_t rank : {index_t{0}, block - 1, block, n - 3}) {
    matrix<T> bad = A;
    for (index_t i = rank; i < n; ++i)
      for (index_t j = 0; j < n; ++j) bad(i, j) = bad(j, i) = T(0);
    EXPECT_EQ(pivoted_cholesky(matrix<T>(bad), {.block = block}).rank(), rank);
    bad(n - 1, n - 2) = bad(n - 2, n - 1) = T(std::numeric_limits<R>::infinity());
    check(bad, rank);
  }
}

TYPED_TEST(PivotedCholesky, Arguments) {
  using T = TypeParam;
  random_source random(2004);
  placed_matrix<T> A(random_spd<T>(random, 5), layout::padded);
  const auto expect = [&](const status& s, const char* argument) {
    EXPECT_EQ(s.kind(), status_kind::invalid_argument);
    EXPECT_STREQ(s.argument(), argument);
    EXPECT_TRUE(A.untouched());
  };
  expect(try_pivoted_cholesky(A.view().block(0, 0, 5, 4)).status(), "A");
  expect(try_pivoted_cholesky(A.view(), {.block = -1}).status(), "options.block");
  expect(try_pivoted_cholesky(A.view(), {.tolerance = std::nan("")}).status(), "options.tolerance");
  expect(try_pivoted_cholesky(backend::threads{.threads = -1}, A.view()).status(),
         "backend.threads");
  EXPECT_THROW(static_cast<void>(pivoted_cholesky(A.view().block(0, 0, 5, 4))), argument_error);
  EXPECT_EQ((pivoted_cholesky_factor<T>().status().kind()), status_kind::empty);
}

/// exp(−|x_i − x_j|²) over points of the unit interval.
struct kernel {
  index_t n;

  double point(index_t i) const {
    return static_cast<double>((i * 617) % n) / static_cast<double>(n);
  }
  template <class T>
  void column(index_t j, std::span<T> a) const {
    for (index_t i = 0; i < n; ++i) {
      const double distance = 4 * (point(i) - point(j));
      a[static_cast<std::size_t>(i)] = number<T>(std::exp(-distance * distance));
    }
  }
};

TYPED_TEST(PivotedCholesky, KernelMatricesByFunctions) {
  using T = TypeParam;
  using R = real_t<T>;
  const index_t n = 300;
  const kernel k = {n};
  const auto diagonal = [](index_t) { return R(1); };
  const auto column = [&](index_t j, std::span<T> a) { k.column(j, a); };
  matrix<T> A(n, n);
  for (index_t j = 0; j < n; ++j) k.column(j, std::span<T>(&A(0, j), static_cast<std::size_t>(n)));
  const auto check = [&](const low_rank_factor<T>& f, double tolerance) {
    ASSERT_TRUE(f.ok()) << f.status().message();
    R trace(0);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < n; ++i) {
        T rest = A(i, j);
        for (index_t c = 0; c < f.rank(); ++c) rest -= f.L()(i, c) * detail::conjugate(f.L()(j, c));
        ASSERT_LT(std::abs(rest), tolerance);
        if (i == j) trace += detail::real_part(rest);
      }
    EXPECT_NEAR(f.trace(), trace, 1e-3);
  };
  const auto f = low_rank_cholesky<T>(n, diagonal, column, {.rank = n, .tolerance = 1e-3});
  EXPECT_LT(f.rank(), 30);
  check(f, 2e-3);
  const auto g = low_rank_cholesky<T>(n, diagonal, column, {.rank = 5});
  EXPECT_EQ(g.rank(), 5);
  EXPECT_GT(g.trace(), R(0.1));
  // Where nothing is left of A the trace is rounding errors, of which none is negative.
  for (int seed = 0; seed < 20; ++seed) {
    random_source other(seed);
    const matrix<T> low = semidefinite<T>(other, 20, 3);
    const auto h = low_rank_cholesky<T>(
        20, [&](index_t i) { return detail::real_part(low(i, i)); },
        [&](index_t j, std::span<T> a) {
          for (index_t i = 0; i < 20; ++i) a[static_cast<std::size_t>(i)] = low(i, j);
        },
        {.rank = 3});
    EXPECT_EQ(h.rank(), 3);
    EXPECT_TRUE(h.trace() >= R(0) && h.trace() < R(1000) * std::numeric_limits<R>::epsilon());
  }
  for_each_team([&](const auto& team, const std::string& name) {
    const auto h = low_rank_cholesky<T>(team, n, diagonal, column, {.rank = n, .tolerance = 1e-3});
    EXPECT_TRUE(same_bits(h.L(), f.L())) << name;
    EXPECT_EQ(h.pivots(), f.pivots());
  });
  // The pivots are those of the whole matrix.
  const auto whole = pivoted_cholesky(std::move(A), {.tolerance = 1e-3});
  EXPECT_EQ(whole.rank(), f.rank());
  EXPECT_EQ(whole.permutation()[0], f.pivots()[0]);

  // What was moved from is empty.
  auto h = g;
  const auto taken = std::move(h);
  EXPECT_EQ(taken.rank(), 5);
  EXPECT_EQ(h.status().kind(), status_kind::empty);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(h.rank() + h.L().cols(), 0);
  matrix<T> identity(3, 3);
  for (index_t i = 0; i < 3; ++i) identity(i, i) = T(1);
  auto p = pivoted_cholesky(std::move(identity));
  const auto q = std::move(p);
  EXPECT_EQ(q.rank(), 3);
  EXPECT_EQ(p.rank() + p.L().cols(), 0);  // NOLINT(bugprone-use-after-move)

  const auto bad = [](index_t, std::span<T> a) {
    for (T& x : a) x = T(std::numeric_limits<R>::quiet_NaN());
  };
  EXPECT_EQ(try_low_rank_cholesky<T>(n, diagonal, bad, {.rank = 3}).status(),
            status::at(status_kind::not_finite, 0));
  EXPECT_EQ(try_low_rank_cholesky<T>(n, diagonal, bad, {.rank = 1}).rank(), 0);
  EXPECT_STREQ(try_low_rank_cholesky<T>(-1, diagonal, column, {.rank = 3}).status().argument(),
               "n");
  EXPECT_STREQ(try_low_rank_cholesky<T>(n, diagonal, column, {.rank = -1}).status().argument(),
               "options.rank");
  EXPECT_EQ(try_low_rank_cholesky<T>(0, diagonal, column, {.rank = 3}).rank(), 0);
}

}  // namespace
}  // namespace trifac::test
