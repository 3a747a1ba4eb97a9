// LU: every variant and sort of pivoting on every backend, for each shape and layout; LAPACK's test
// matrices and the gallery; growth; what a failure reports and leaves behind; the same bits for any
// number of threads. What only a tournament does is in tournament_test.cpp.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "support/gallery.hpp"
#include "support/layouts.hpp"
#include "support/lu_engine.hpp"
#include "support/pivot_cases.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"

namespace trifac::test {
namespace {

/// What every completed factorization must satisfy.
template <class T>
void expect_good(matrix_view<const T> A, const lu_factor<T>& f, pivoting how) {
  const index_t k = std::min(A.rows(), A.cols());
  ASSERT_EQ(f.interchanges().size(), k);
  for (index_t step = 0; step < k; ++step) {
    const index_t row = f.interchanges()[step];
    ASSERT_TRUE(step <= row && row < A.rows()) << "step " << step << " exchanges with row " << row;
    ASSERT_TRUE(how != pivoting::none || row == step);
  }
  EXPECT_TRUE(within(lu_ratio<T>(A, f.matrix(), f.interchanges().span())));
  if (how == pivoting::partial) {
    const double most =
        (is_complex<T> ? std::sqrt(2.0) : 1.0) * (1 + 8 * static_cast<double>(unit_roundoff<T>));
    EXPECT_LE(f.max_l(), most);
  }
}

/// A matrix that this sort of pivoting is made for.
template <class T>
matrix<T> suitable_matrix(random_source& random, index_t m, index_t n, pivoting how) {
  return how == pivoting::none ? dominant_matrix<T>(random, m, n) : random_matrix<T>(random, m, n);
}

template <class T>
class Lu : public testing::Test {};
TYPED_TEST_SUITE(Lu, lapack_scalars, scalar_names);

TYPED_TEST(Lu, FactorsEveryShapeInEveryLayout) {
  using T = TypeParam;
  random_source random(201);
  for (index_t m : {0, 1, 2, 3, 5, 10, 23})
    for (index_t n : {0, 1, 2, 3, 5, 10, 23})
      for_each_lu_way<T>([&](const lu_way<T>& way) {
        const matrix<T> A = suitable_matrix<T>(random, m, n, way.how);
        for (layout where : layouts_for(way.on)) {
          SCOPED_TRACE(testing::Message() << m << "×" << n << ", " << to_string(where));
          placed_matrix<T> placed(A, where);
          const auto f = way.on.lu(way.v, placed.view(), {.pivoting = way.how, .block = 4});
          EXPECT_TRUE(f.ok()) << f.status().message();
          expect_good<T>(A, f, way.how);
          EXPECT_TRUE(placed.guards_untouched());
        }
      });
}

TYPED_TEST(Lu, EveryBlockSizeAroundEverySize) {
  using T = TypeParam;
  random_source random(202);
  for (const auto& size : {std::pair<index_t, index_t>{15, 15},
                           {16, 16},
                           {17, 17},
                           {70, 70},
                           {70, 33},
                           {33, 70},
                           {200, 7}})
    for_each_lu_way<T>([&](const lu_way<T>& way) {
      const index_t m = size.first,
                    n = size.second;  // lambdas of C++20 capture no bindings in Clang 14
      const matrix<T> A = suitable_matrix<T>(random, m, n, way.how);
      for (index_t block : {0, 1, 2, 8, 16, 31, 100}) {
        SCOPED_TRACE(testing::Message() << m << "×" << n << ", block = " << block);
        matrix<T> LU = A;
        const auto f = way.on.lu(way.v, LU.view(), {.pivoting = way.how, .block = block});
        EXPECT_TRUE(f.ok()) << f.status().message();
        expect_good<T>(A, f, way.how);
      }
    });
}

TYPED_TEST(Lu, LapacksTestMatrices) {
  using T = TypeParam;
  for (auto [m, n] : {std::pair<index_t, index_t>{1, 1},
                      {2, 2},
                      {3, 3},
                      {5, 5},
                      {10, 10},
                      {50, 50},
                      {50, 10},
                      {10, 50},
                      {5, 3},
                      {2, 5}})
    for (int type = 1; type <= dge_types; ++type) {
      if (dge_skips(type, n)) continue;
      random_source random(1988);
      const auto test = dge_matrix<T>(type, random, m, n);
      for_each_lu_way<T>([&, m = m, n = n](const lu_way<T>& way) {
        if (way.how == pivoting::none) return;
        SCOPED_TRACE(testing::Message() << test.name << ", " << m << "×" << n);
        matrix<T> LU = test.A;
        const auto f = way.on.lu(way.v, LU.view(), {.pivoting = way.how, .block = 8, .leaves = 4});
        if (test.first_zero >= 0) {
          EXPECT_EQ(f.status(), status::at(status_kind::singular, test.first_zero));
          EXPECT_TRUE(f.status().completed());
        } else {
          EXPECT_TRUE(f.ok()) << f.status().message();
        }
        expect_good<T>(test.A, f, way.how);
      });
    }
}

TYPED_TEST(Lu, GalleryHasSmallResidualsWhateverTheGrowth) {
  using T = TypeParam;
  for (index_t n : {4, 16, 50})
    for (const auto& entry : general_gallery<T>()) {
      const matrix<T> A = rotated(entry.make(n));
      for_each_lu_way<T>([&](const lu_way<T>& way) {
        if (way.how == pivoting::none) return;
        SCOPED_TRACE(testing::Message() << entry.name << ", n = " << n);
        matrix<T> LU = A;
        const auto f = way.on.lu(way.v, LU.view(), {.pivoting = way.how, .block = 8, .leaves = 2});
        EXPECT_TRUE(f.status().completed()) << f.status().message();
        EXPECT_TRUE(within(lu_growth_free_ratio<T>(A, LU, f.interchanges().span())));
      });
    }
}

TYPED_TEST(Lu, GrowthIsThatOfTheLiterature) {
  using T = TypeParam;
  const index_t n = 20;
  const auto is_partial = [](const lu_way<T>& way) { return way.how == pivoting::partial; };
  for_each_lu_way<T>(is_partial, [&](const lu_way<T>& way) {
    for (bool wilkinson : {true, false}) {
      SCOPED_TRACE(wilkinson ? "Wilkinson" : "Foster");
      matrix<T> A = wilkinson ? wilkinson_growth<T>(n) : foster<T>(n);
      const auto f = way.on.lu(way.v, A.view(), {.pivoting = way.how, .block = 8, .growth = true});
      ASSERT_TRUE(f);
      EXPECT_EQ(f.interchanges(), pivots(n)) << "of equal candidates the first is kept";
      const double expected =
          wilkinson ? std::ldexp(1.0, n - 1) : (std::ldexp(1.0, n - 1) - 1) * 2 / 3;
      EXPECT_NEAR(static_cast<double>(f.growth()) / expected, 1, 1e-4);
      EXPECT_NEAR(static_cast<double>(f.max_l()), 1, 1e-6);
    }
  });
}

// As LAPACK: the first of equal candidates in the order that the interchanges have made. A
// tournament of one group is partial pivoting.
TYPED_TEST(Lu, TiesGoToTheFirstRowInThePresentOrder) {
  using T = TypeParam;
  random_source random(212);
  std::vector<std::pair<index_t, index_t>> sizes = {{40, 17}, {17, 40}, {100, 30}, {30, 100}};
  for (index_t n : {3, 4, 5, 6, 7, 8, 9, 12, 17, 24, 25, 32, 33, 64, 65, 100})
    sizes.push_back({n, n});
  for (const auto& [m, n] : sizes)
    for (const matrix<T>& A : matrices_with_ties<T>(random, m, n)) {
      const textbook_lu<T> expected = textbook(A);
      for_each_lu_way<T>([&, m = m, n = n](const lu_way<T>& way) {
        if (way.how == pivoting::none) return;
        for (layout where : layouts_for(way.on))
          for (index_t block : {0, 8}) {
            placed_matrix<T> placed(A, where);
            const auto f =
                way.on.lu(way.v, placed.view(), {.pivoting = way.how, .block = block, .leaves = 1});
            EXPECT_TRUE(pivots_like<T>(expected, f.matrix(), f.interchanges()))
                << m << "×" << n << ", " << to_string(where) << ", block " << block;
          }
      });
    }
}

TYPED_TEST(Lu, WorkedExampleOfATie) {
  using T = TypeParam;
  const matrix<T, 3> A({{1, 2, 3}, {1, 2, 3}, {2, 5, 6}});
  for_each_lu_way<T>([&](const lu_way<T>& way) {
    if (way.how == pivoting::none) return;
    matrix<T> LU(A);
    const auto f = way.on.lu(way.v, LU.view(), {.pivoting = way.how});
    EXPECT_EQ(f.interchanges().to_ipiv(), (std::vector<std::int32_t>{3, 2, 3}));
    EXPECT_EQ(f.status(), status::at(status_kind::singular, 2));
  });
}

TYPED_TEST(Lu, GrowthIsMeasuredOnlyOnRequest) {
  using T = TypeParam;
  random_source random(203);
  for (auto [m, n] : {std::pair<index_t, index_t>{12, 12}, {20, 7}, {7, 20}})
    for_each_lu_way<T>([&, m = m, n = n](const lu_way<T>& way) {
      const matrix<T> A = suitable_matrix<T>(random, m, n, way.how);
      matrix<T> LU = A;
      EXPECT_TRUE(
          std::isnan(way.on.lu(way.v, LU.view(), {.pivoting = way.how, .block = 4}).growth()));
      LU = A;
      const auto f = way.on.lu(way.v, LU.view(), {.pivoting = way.how, .block = 4, .growth = true});
      const auto U = upper(f.matrix());
      const auto expected = max_abs(U.view()) / max_abs(A.view());
      EXPECT_NEAR(static_cast<double>(f.growth()), static_cast<double>(expected),
                  1e-5 * static_cast<double>(expected));
    });
}

TYPED_TEST(Lu, WithoutPivotingOnDominantMatrices) {
  using T = TypeParam;
  random_source random(204);
  for (index_t n : {1, 2, 30, 64, 130}) {
    const matrix<T> A = dominant_matrix<T>(random, n, n);
    for (index_t block : {0, 16})
      for_each_lu_way<T>([&](const lu_way<T>& way) {
        if (way.how != pivoting::none) return;
        matrix<T> LU = A;
        const auto f =
            way.on.lu(way.v, LU.view(), {.pivoting = way.how, .block = block, .growth = true});
        EXPECT_TRUE(f.ok());
        expect_good<T>(A, f, way.how);
        EXPECT_LE(f.growth(), 2) << "the bound for diagonally dominant matrices";
      });
  }
}

TYPED_TEST(Lu, WithoutPivotingStopsAtAZeroPivot) {
  using T = TypeParam;
  std::vector<std::array<index_t, 3>> cases = {{75, 7, 16}, {75, 33, 16}, {75, 64, 0}, {75, 74, 0}};
  for (index_t k = 0; k < 11; ++k)
    for (index_t block : {0, 4}) cases.push_back({11, k, block});
  for (auto [n, k, block] : cases) {
    matrix<T> A = minij<T>(n);  // L and U are all ones, so u_kk = a_kk − k exactly
    A(k, k) = number<T>(static_cast<double>(k));
    for_each_lu_way<T>([&, k = k, block = block](const lu_way<T>& way) {
      if (way.how != pivoting::none) return;
      matrix<T> LU = A;
      const auto f = way.on.lu(way.v, LU.view(), {.pivoting = way.how, .block = block});
      EXPECT_FALSE(f);
      EXPECT_FALSE(f.status().completed());
      EXPECT_EQ(f.status(), status::at(status_kind::zero_pivot, k));
      const pivots none(k);
      EXPECT_EQ((lu_ratio<T>(A.view().block(0, 0, k, k), std::as_const(LU).view().block(0, 0, k, k),
                             none.span())),
                0);
    });
  }
}

TYPED_TEST(Lu, ExactlySingularMatricesAreFactoredToTheEnd) {
  using T = TypeParam;
  const index_t n = 13;
  for (index_t rank : {0, 1, 4, 5, 12})
    for_each_lu_way<T>([&](const lu_way<T>& way) {
      if (way.how == pivoting::none) return;
      // min(i, j, rank): ones in L and U, then zeros.
      const matrix<T> A = from_formula<T>(n, [rank](index_t i, index_t j) {
        return real_number<T>(std::min({i, j, rank}));
      });
      matrix<T> LU = A;
      const auto f = way.on.lu(way.v, LU.view(), {.pivoting = way.how, .block = 4, .leaves = 2});
      EXPECT_EQ(f.status(), status::at(status_kind::singular, rank));
      EXPECT_EQ((lu_ratio<T>(A, LU, f.interchanges().span())), 0);
    });
}

TYPED_TEST(Lu, SubnormalPivots) {
  using T = TypeParam;
  using R = real_t<T>;
  // A random matrix of small whole numbers times a power of two that makes all of them subnormal.
  // Its factors are those of the unscaled matrix with U scaled, up to the rounding of subnormal
  // numbers.
  const int e = std::numeric_limits<R>::min_exponent - 8;
  const R scale = std::ldexp(R(1), e), smallest = std::numeric_limits<R>::denorm_min();
  const index_t n = 9;
  random_source random(205);
  matrix<T> A(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) A(i, j) = T(static_cast<R>(random.below(13) - 6) * scale);
  // OpenBLAS neither exchanges nor divides where a pivot is subnormal: getf2 of its version 0.3.21.
  const auto is_checked = [](const lu_way<T>& way) {
    return way.how != pivoting::none && way.on.name() != "lapack";
  };
  for_each_lu_way<T>(is_checked, [&](const lu_way<T>& way) {
    matrix<T> LU = A;
    const auto f = way.on.lu(way.v, LU.view(), {.pivoting = way.how, .block = 4});
    ASSERT_TRUE(f.ok()) << f.status().message();
    EXPECT_LE(f.max_l(), is_complex<T> ? 1.5 : 1.0);
    auto residual = widened(A.view());
    trifac::apply_interchanges(f.interchanges().span(), residual.view());
    subtract_product(residual, unit_lower(f.matrix()), upper(f.matrix()));
    EXPECT_LE(static_cast<double>(max_abs(residual.view()) / real_t<wide_t<T>>(smallest)), 4.0 * n);
  });
}

TYPED_TEST(Lu, FinitePivotsWhosePartsAddUpToInfinity) {
  using T = TypeParam;
  if constexpr (is_complex<T>) {
    random_source random(208);
    // Norms of the matrix itself overflow: its residual is that of small multiples of A and U.
    const auto reduced = [](matrix<T>& A, index_t i, index_t j) { A(i, j) *= real_t<T>(0x1p-20); };
    for (index_t n : {1, 2, 3, 8, 9, 20, 40, 70}) {
      const matrix<T> A = overflowing_pivots<T>(random, n);
      matrix<T> small = A;
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i) reduced(small, i, j);
      for_each_lu_way<T>([&](const lu_way<T>& way) {
        // LAPACK takes the first of several whose sum overflows, and divides by the sum.
        if (way.on.name() == "lapack" || (way.how == pivoting::none && n >= 3)) return;
        for (selection rule : {selection::plain, selection::scaled})
          for (layout where : padded_layouts) {
            SCOPED_TRACE(testing::Message() << "n = " << n << ", " << to_string(where));
            placed_matrix<T> placed(A, where);
            const auto f =
                way.on.lu(way.v, placed.view(),
                          {.pivoting = way.how, .selection = rule, .block = 8, .leaves = 2});
            ASSERT_TRUE(f.ok()) << f.status().message();
            if (way.how == pivoting::partial) {
              EXPECT_LE(static_cast<double>(f.max_l()), 1.4143);
            }
            matrix<T> LU(f.matrix());
            for (index_t j = 0; j < n; ++j)
              for (index_t i = 0; i <= j; ++i) reduced(LU, i, j);
            EXPECT_TRUE(within(lu_ratio<T>(small, LU, f.interchanges().span())));
          }
      });
    }
  }
}

TYPED_TEST(Lu, NaNAndInfinityNeverPass) {
  using T = TypeParam;
  random_source random(206);
  for (const auto& size : {std::pair<index_t, index_t>{9, 9}, {9, 5}, {5, 9}}) {
    const index_t m = size.first, n = size.second;

    const matrix<T> dominant = dominant_matrix<T>(random, m, n),
                    any = random_matrix<T>(random, m, n);
    for (double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()})
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < m; ++i)
          for_each_lu_way<T>([&](const lu_way<T>& way) {
            SCOPED_TRACE(testing::Message()
                         << bad << " at " << i << ", " << j << " of " << m << "×" << n);
            const index_t k = std::min(m, n);
            matrix<T> LU = way.how == pivoting::none ? dominant : any;
            LU(i, j) = number<T>(bad);
            const auto f =
                way.on.lu(way.v, LU.view(), {.pivoting = way.how, .block = 3, .leaves = 2});
            EXPECT_EQ(f.status().kind(), status_kind::not_finite) << f.status().message();
            // A library's pivot search may let NaN lose, and find it later. Without a search the
            // pivot is that of the row; in packed panels 0 · NaN may make that of the column NaN.
            const bool is_library = way.on.name() == "lapack", in_panels = way.v == variant::best;
            const index_t row = way.how == pivoting::none && !in_panels ? i : j;
            const index_t first = std::min(k - 1, std::max(row, j));
            const index_t last = is_library                  ? k - 1
                                 : way.how == pivoting::none ? std::min(k - 1, std::max(i, j))
                                                             : first;
            EXPECT_TRUE(first <= f.status().index() && f.status().index() <= last)
                << f.status().message();
            for (index_t step = 0; step < f.interchanges().size(); ++step)
              EXPECT_TRUE(step <= f.interchanges()[step] && f.interchanges()[step] < m);
          });
  }
}

TYPED_TEST(Lu, OverflowNeverPasses) {
  using T = TypeParam;
  using R = real_t<T>;
  const index_t n = 14;
  matrix<T> A = wilkinson_growth<T>(n);  // 2^(n−1) in the corner of U
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i)
      A(i, j) *= T(std::ldexp(R(1), std::numeric_limits<R>::max_exponent - 5));
  for_each_lu_way<T>([&](const lu_way<T>& way) {
    matrix<T> LU = A;
    const auto f = way.on.lu(way.v, LU.view(), {.pivoting = way.how, .block = 4, .leaves = 2});
    EXPECT_EQ(f.status(), status::at(status_kind::not_finite, n - 1));
  });
}

TYPED_TEST(Lu, WithoutPivotingAFailureLeavesTheFactorOfTheLeadingBlock) {
  using T = TypeParam;
  const index_t n = 19;
  random_source random(207);
  const matrix<T> dominant = dominant_matrix<T>(random, n, n);
  for (index_t k = 0; k < n; ++k)
    for_each_lu_way<T>([&](const lu_way<T>& way) {
      if (way.how != pivoting::none) return;
      SCOPED_TRACE(testing::Message() << "failure at " << k);
      matrix<T> LU = dominant;
      LU(k, k) = number<T>(std::numeric_limits<double>::quiet_NaN());
      const auto f = way.on.lu(way.v, LU.view(), {.pivoting = way.how, .block = 4});
      ASSERT_EQ(f.status(), status::at(status_kind::not_finite, k));
      const pivots none(k);
      EXPECT_TRUE(within(lu_ratio<T>(dominant.view().block(0, 0, k, k),
                                     f.matrix().block(0, 0, k, k), none.span())));
    });
}

TYPED_TEST(Lu, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const auto& teams = lu_teams<T>();
  if (teams.empty()) GTEST_SKIP() << "no OpenMP in this build";
  random_source random(208);
  for (const auto& size :
       {std::pair<index_t, index_t>{1, 1}, {9, 9}, {60, 60}, {110, 30}, {30, 110}}) {
    const index_t m = size.first, n = size.second;

    const matrix<T> A = dominant_matrix<T>(random, m, n), C = random_matrix<T>(random, m, n);
    for (index_t block : {0, 8})
      for (const lu_way<T>& one_thread : lu_ways_of(*teams.front())) {
        SCOPED_TRACE(testing::Message()
                     << one_thread.description() << ", " << m << "×" << n << ", block = " << block);
        const lu_options options{.pivoting = one_thread.how, .block = block, .leaves = 3};
        const matrix<T>& original = one_thread.how == pivoting::none ? A : C;
        matrix<T> expected = original;
        const auto f = one_thread.on.lu(one_thread.v, expected.view(), options);
        EXPECT_TRUE(f.ok());
        for (const auto& more : teams) {
          matrix<T> LU = original;
          const auto g = more->lu(one_thread.v, LU.view(), options);
          EXPECT_TRUE(same_bits(expected.view(), LU.view())) << more->name();
          EXPECT_EQ(f.interchanges(), g.interchanges()) << more->name();
        }
      }
  }
}

TYPED_TEST(Lu, SameBitsForAnyNumberOfThreadsWhereWorkIsSharedByDefault) {
  using T = TypeParam;
  const auto& teams = lu_teams<T>();
  if (teams.empty()) GTEST_SKIP() << "no OpenMP in this build";
  random_source random(209);
  const index_t n = 461;  // several panels, enough work for a team
  for (pivoting how : {pivoting::none, pivoting::partial, pivoting::tournament}) {
    const matrix<T> A = suitable_matrix<T>(random, n, n, how);
    matrix<T> one = A;
    const lu_options options{.pivoting = how, .leaves = 3};
    const auto f = teams.front()->lu(variant::best, one.view(), options);
    ASSERT_TRUE(f);
    expect_good<T>(A, f, how);
    for (const auto& more : teams) {
      for (variant v :
           {variant::best, variant::packed}) {  // packed has its team on a busy machine too
        if (v == variant::packed && how == pivoting::none) continue;
        matrix<T> LU = A;
        const auto g = more->lu(v, LU.view(), options);
        EXPECT_TRUE(same_bits(one.view(), LU.view())) << more->name() << ", " << to_string(how);
        EXPECT_EQ(f.interchanges(), g.interchanges());
      }
    }
  }
}

TYPED_TEST(Lu, ViewsOfTheFactor) {
  using T = TypeParam;
  random_source random(210);
  for (const auto& size : {std::pair<index_t, index_t>{6, 6}, {8, 5}, {5, 8}}) {
    const index_t m = size.first, n = size.second;

    const matrix<T> A = random_matrix<T>(random, m, n);
    matrix<T> stored = A;
    pivots p;
    const auto f = lu(stored, p);
    ASSERT_TRUE(f);
    EXPECT_EQ(&f.interchanges(), &p);
    EXPECT_EQ(f.matrix().data(), stored.data());
    const index_t k = std::min(m, n);
    const auto L = f.L(), U = f.U();
    EXPECT_EQ(L.rows(), m);
    EXPECT_EQ(L.cols(), k);
    EXPECT_EQ(U.rows(), k);
    EXPECT_EQ(U.cols(), n);
    real_t<T> largest(0);
    for (index_t j = 0; j < k; ++j)
      for (index_t i = 0; i < m; ++i) {
        EXPECT_EQ(L(i, j), i == j ? T(1) : i > j ? stored(i, j) : T(0));
        if (i > j) largest = std::max(largest, std::abs(stored(i, j)));
      }
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < k; ++i) EXPECT_EQ(U(i, j), i <= j ? stored(i, j) : T(0));
    EXPECT_EQ(f.max_l(), largest);
    const auto perm = f.permutation();
    const auto product = trifac::test::product<T>(L.dense(), U.dense());
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < m; ++i)
        EXPECT_NEAR(std::abs(product(i, j) - A(perm[static_cast<std::size_t>(i)], j)), 0,
                    50 * unit_roundoff<T>);
  }
}

TYPED_TEST(Lu, FullLapacksCheckerWithItsSizesAndBlocks) {
  using T = TypeParam;
  for (index_t m : {1, 2, 3, 5, 10, 50})
    for (index_t n : {1, 2, 3, 5, 10, 50})
      for (int type = 1; type <= dge_types; ++type) {
        if (dge_skips(type, n)) continue;
        random_source random(1989);
        const auto test = dge_matrix<T>(type, random, m, n);
        for (const auto& on : lu_engines<T>())
          for (const lu_way<T>& way : lu_ways_of(*on))
            for (index_t block : {1, 3, 20}) {
              if (way.how == pivoting::none) continue;
              SCOPED_TRACE(testing::Message() << way.description() << ", " << test.name << ", " << m
                                              << "×" << n << ", block = " << block);
              matrix<T> LU = test.A;
              const auto f =
                  on->lu(way.v, LU.view(), {.pivoting = way.how, .block = block, .leaves = 3});
              EXPECT_EQ(f.status(), test.first_zero < 0
                                        ? status()
                                        : status::at(status_kind::singular, test.first_zero));
              expect_good<T>(test.A, f, way.how);
            }
      }
}

TYPED_TEST(Lu, FullLargeOrders) {
  using T = TypeParam;
  random_source random(211);
  for (auto [m, n] : {std::pair<index_t, index_t>{255, 255},
                      {256, 256},
                      {257, 257},
                      {500, 500},
                      {777, 777},
                      {900, 200},
                      {200, 900}})
    for (const auto& on : lu_engines<T>())
      for (const lu_way<T>& way : lu_ways_of(*on)) {
        SCOPED_TRACE(testing::Message() << way.description() << ", " << m << "×" << n);
        const matrix<T> A = suitable_matrix<T>(random, m, n, way.how);
        placed_matrix<T> placed(A, layout::padded);
        const auto f = on->lu(way.v, placed.view(), {.pivoting = way.how});
        EXPECT_TRUE(f.ok()) << f.status().message();
        expect_good<T>(A, f, way.how);
        EXPECT_TRUE(placed.guards_untouched());
      }
}

}  // namespace
}  // namespace trifac::test
