// LU with tournament pivoting: which rows win, when it is partial pivoting exactly, plain and
// scaled selection, singular panels, the fallback, and that nothing depends on the threads.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "support/gallery.hpp"
#include "support/layouts.hpp"
#include "support/lu_engine.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/nests.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

using indices = std::vector<index_t>;

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// visit(engine, variant) for each that can run tournaments.
template <class T, class Visit>
void for_each_player(Visit visit) {
  for_each_lu_way<T>([&](const lu_way<T>& way) {
    if (way.how == pivoting::tournament) visit(way.on, way.v);
  });
}

/// A textbook round: of the candidate rows of A, those that Gaussian elimination with partial
/// pivoting on a copy would choose, in its order; with scales, by |a_ij| / max_j |a_ij| of the
/// original rows.
template <class T>
indices candidates_of(matrix_view<const T> A, indices candidates, selection rule) {
  const index_t b = A.cols(), rows = static_cast<index_t>(candidates.size());
  matrix<T> W(rows, b);
  std::vector<real_t<T>> scale(candidates.size(), real_t<T>(1));
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < b; ++j) W(i, j) = A(candidates[static_cast<std::size_t>(i)], j);
    if (rule == selection::scaled) {
      scale[static_cast<std::size_t>(i)] = 0;
      for (index_t j = 0; j < b; ++j)
        scale[static_cast<std::size_t>(i)] =
            std::max(scale[static_cast<std::size_t>(i)], detail::pivot_size(W(i, j)));
    }
  }
  for (index_t k = 0; k < b; ++k) {
    index_t best = k;
    const auto rank = [&](index_t i) {
      return detail::pivot_size(W(i, k)) / scale[static_cast<std::size_t>(i)];
    };
    for (index_t i = k + 1; i < rows; ++i)
      if (rank(i) > rank(best)) best = i;
    std::swap(candidates[static_cast<std::size_t>(k)], candidates[static_cast<std::size_t>(best)]);
    std::swap(scale[static_cast<std::size_t>(k)], scale[static_cast<std::size_t>(best)]);
    for (index_t j = 0; j < b; ++j) std::swap(W(k, j), W(best, j));
    for (index_t i = k + 1; i < rows; ++i) {
      const T l = W(i, k) / W(k, k);
      for (index_t j = k + 1; j < b; ++j) W(i, j) -= l * W(k, j);
    }
  }
  candidates.resize(static_cast<std::size_t>(b));
  return candidates;
}

/// A textbook tournament among `leaves` groups of nearly equal height, `arity` groups meeting in
/// each later round.
template <class T>
indices textbook_tournament(matrix_view<const T> A, index_t leaves, index_t arity, selection rule) {
  std::vector<indices> groups;
  for (index_t g = 0; g < leaves; ++g) {
    indices rows(static_cast<std::size_t>(A.rows() * (g + 1) / leaves - A.rows() * g / leaves));
    std::iota(rows.begin(), rows.end(), A.rows() * g / leaves);
    groups.push_back(candidates_of(A, rows, rule));
  }
  while (groups.size() > 1) {
    const auto count = static_cast<index_t>(groups.size());
    const index_t meetings = arity > 1 ? (count + arity - 1) / arity : 1;
    std::vector<indices> next;
    for (index_t g = 0; g < meetings; ++g) {
      indices table;
      for (index_t member = count * g / meetings; member < count * (g + 1) / meetings; ++member)
        table.insert(table.end(), groups[static_cast<std::size_t>(member)].begin(),
                     groups[static_cast<std::size_t>(member)].end());
      next.push_back(candidates_of(A, table, rule));
    }
    groups = next;
  }
  return groups.front();
}

template <class T>
class Tournament : public testing::Test {};
TYPED_TEST_SUITE(Tournament, lapack_scalars, scalar_names);

TYPED_TEST(Tournament, OneLeafIsPartialPivotingBitForBit) {
  using T = TypeParam;
  random_source random(301);
  for (const auto& size :
       {std::pair<index_t, index_t>{1, 1}, {9, 9}, {40, 40}, {60, 20}, {20, 60}}) {
    const index_t m = size.first, n = size.second;

    const matrix<T> A = random_matrix<T>(random, m, n);
    for_each_player<T>([&](const lu_engine<T>& on, variant v) {
      for (index_t block : {0, 1, 7, 16}) {
        matrix<T> expected = A, LU = A;
        const auto f = on.lu(v, expected.view(), {.pivoting = pivoting::partial, .block = block});
        const auto g =
            on.lu(v, LU.view(), {.pivoting = pivoting::tournament, .block = block, .leaves = 1});
        EXPECT_EQ(f.interchanges(), g.interchanges());
        EXPECT_TRUE(same_bits(expected.view(), LU.view()))
            << m << "×" << n << ", block = " << block;
      }
    });
  }
}

TYPED_TEST(Tournament, PanelsOfOneColumnArePartialPivotingForAnyTree) {
  using T = TypeParam;
  random_source random(302);
  for (const matrix<T>& A : {random_matrix<T>(random, 25, 25), random_matrix<T>(random, 33, 12),
                             wilkinson_growth<T>(18)})
    for_each_player<T>([&](const lu_engine<T>& on, variant v) {
      matrix<T> expected = A;
      const auto f = on.lu(v, expected.view(), {.pivoting = pivoting::partial, .block = 1});
      for (index_t leaves : {2, 3, 5, 100})
        for (index_t arity : {0, 2, 3}) {
          matrix<T> LU = A;
          const auto g = on.lu(
              v, LU.view(),
              {.pivoting = pivoting::tournament, .block = 1, .leaves = leaves, .arity = arity});
          EXPECT_EQ(f.interchanges(), g.interchanges()) << leaves << " leaves, arity " << arity;
          EXPECT_TRUE(within(lu_ratio<T>(A, g.matrix(), g.interchanges().span())));
          if (v == variant::right_looking) continue;  // L21 by a solve: other roundings
          EXPECT_TRUE(same_bits(expected.view(), LU.view()))
              << leaves << " leaves, arity " << arity;
        }
    });
}

TYPED_TEST(Tournament, TheCandidatesAreThoseOfTheTextbook) {
  using T = TypeParam;
  random_source random(303);
  for (const auto& size : {std::pair<index_t, index_t>{24, 4}, {37, 5}, {64, 8}}) {
    const index_t m = size.first, b = size.second;

    const matrix<T> A = random_matrix<T>(random, m, b);
    for_each_player<T>([&](const lu_engine<T>& on, variant v) {
      for (selection rule : {selection::plain, selection::scaled})
        for (index_t leaves : {2, 3, 4, 6})
          for (index_t arity : {0, 2, 3}) {
            SCOPED_TRACE(testing::Message() << m << "×" << b << ", " << leaves << " leaves, arity "
                                            << arity << ", " << to_string(rule));
            matrix<T> LU = A;
            const auto f = on.lu(v, LU.view(),
                                 {.pivoting = pivoting::tournament,
                                  .selection = rule,
                                  .block = b,
                                  .leaves = leaves,
                                  .arity = arity,
                                  .max_l = no_limit});
            ASSERT_TRUE(f);
            auto chosen = f.permutation();
            chosen.resize(static_cast<std::size_t>(b));
            EXPECT_EQ(chosen, textbook_tournament<T>(A, leaves, arity, rule));
          }
    });
  }
}

TYPED_TEST(Tournament, LeavesAndAritiesOfAllSorts) {
  using T = TypeParam;
  random_source random(304);
  for (const auto& size :
       {std::pair<index_t, index_t>{3, 3}, {20, 20}, {50, 13}, {13, 50}, {90, 90}}) {
    const index_t m = size.first, n = size.second;

    const matrix<T> A = random_matrix<T>(random, m, n);
    for_each_player<T>([&](const lu_engine<T>& on, variant v) {
      for (selection rule : {selection::plain, selection::scaled})
        for (index_t leaves : {0, 2, 3, 7, 1000})
          for (index_t arity : {0, 2, 4, 1000}) {
            SCOPED_TRACE(testing::Message() << m << "×" << n << ", " << leaves << " leaves, arity "
                                            << arity << ", " << to_string(rule));
            placed_matrix<T> placed(A, layout::strided);
            const auto f = on.lu(v, placed.view(),
                                 {.pivoting = pivoting::tournament,
                                  .selection = rule,
                                  .block = 8,
                                  .leaves = leaves,
                                  .arity = arity});
            EXPECT_TRUE(f.ok()) << f.status().message();
            EXPECT_TRUE(within(lu_ratio<T>(A, f.matrix(), f.interchanges().span())));
            EXPECT_LE(f.max_l(), 64 * 1.5);
            EXPECT_TRUE(placed.guards_untouched());
          }
    });
  }
}

TYPED_TEST(Tournament, ScaledSelectionLooksAtTheWholeRow) {
  using T = TypeParam;
  matrix<T> A(2, 2);
  A(0, 0) = T(10), A(0, 1) = T(100000);  // 10 is the larger element, but small in its row
  A(1, 0) = T(1), A(1, 1) = T(1);
  for_each_player<T>([&](const lu_engine<T>& on, variant v) {
    for (selection rule : {selection::plain, selection::scaled}) {
      matrix<T> LU = A;
      const auto f =
          on.lu(v, LU.view(),
                {.pivoting = pivoting::tournament, .selection = rule, .block = 2, .leaves = 1});
      ASSERT_TRUE(f);
      EXPECT_EQ(f.interchanges()[0], rule == selection::scaled ? 1 : 0);
      EXPECT_TRUE(within(lu_ratio<T>(A, LU, f.interchanges().span())));
    }
  });
}

TYPED_TEST(Tournament, ScaledSelectionDoesNotSeeTheScaleOfRows) {
  using T = TypeParam;
  random_source random(305);
  const index_t m = 30, n = 6;
  const matrix<T> A = random_matrix<T>(random, m, n);
  matrix<T> scaled = A;
  for (index_t i = 0; i < m; ++i) {
    const T power = number<T>(std::ldexp(1.0, static_cast<int>(random.below(21)) - 10));
    for (index_t j = 0; j < n; ++j) scaled(i, j) *= power;
  }
  for_each_player<T>([&](const lu_engine<T>& on, variant v) {
    for (index_t leaves : {1, 2, 5}) {
      const lu_options options{.pivoting = pivoting::tournament,
                               .selection = selection::scaled,
                               .block = n,
                               .leaves = leaves,
                               .max_l = no_limit};
      matrix<T> LU = A, LU_of_scaled = scaled;
      EXPECT_EQ(on.lu(v, LU.view(), options).interchanges(),
                on.lu(v, LU_of_scaled.view(), options).interchanges());
    }
  });
}

TYPED_TEST(Tournament, BlocksOfAllColumns) {
  using T = TypeParam;
  random_source random(307);
  for (index_t n : {256, 257, 281, 290})
    for (index_t m : {n, 2 * n}) {
      const matrix<T> A = random_matrix<T>(random, m, n);
      for (pivoting how : {pivoting::partial, pivoting::tournament})
        for (selection rule : {selection::plain, selection::scaled})
          for (layout where : {layout::padded, layout::row_major_padded}) {
            placed_matrix<T> LU(A, where);
            const auto f =
                lu(LU.view(), {.pivoting = how, .selection = rule, .block = n + 1, .leaves = 2});
            EXPECT_TRUE(f.ok()) << f.status().message();
            EXPECT_TRUE(within(lu_ratio<T>(A, f.matrix(), f.interchanges().span()))) << n;
            EXPECT_TRUE(LU.guards_untouched()) << n;
          }
    }
  const matrix<T> A = random_matrix<T>(random, 562, 281);
  for_each_player<T>([&](const lu_engine<T>& on, variant v) {
    for (pivoting how : {pivoting::partial, pivoting::tournament}) {
      matrix<T> LU = A;
      const auto f = on.lu(v, LU.view(), {.pivoting = how, .block = 281, .leaves = 2});
      EXPECT_TRUE(f.ok()) << f.status().message();
      EXPECT_TRUE(within(lu_ratio<T>(A, LU, f.interchanges().span())));
    }
  });
}

TYPED_TEST(Tournament, ARowOfZerosIsNeverPreferred) {
  using T = TypeParam;
  random_source random(306);
  matrix<T> A = random_matrix<T>(random, 12, 4);
  for (index_t i : {0, 1, 5, 11})
    for (index_t j = 0; j < 4; ++j) A(i, j) = T(0);
  for_each_player<T>([&](const lu_engine<T>& on, variant v) {
    for (selection rule : {selection::plain, selection::scaled}) {
      matrix<T> LU = A;
      const auto f =
          on.lu(v, LU.view(),
                {.pivoting = pivoting::tournament, .selection = rule, .block = 4, .leaves = 3});
      EXPECT_TRUE(f.ok()) << f.status().message();
      EXPECT_TRUE(within(lu_ratio<T>(A, LU, f.interchanges().span())));
    }
  });
}

TYPED_TEST(Tournament, SingularPanelsFallBackAndEndAsWithPartialPivoting) {
  using T = TypeParam;
  random_source random(307);
  const index_t m = 40, n = 24;
  std::vector<std::pair<const char*, matrix<T>>> cases;
  cases.emplace_back("zero", matrix<T>(m, n));
  for (index_t zero_from : {0, 3, 8, 20}) {
    matrix<T> A = random_matrix<T>(random, m, n);
    for (index_t j = zero_from; j < std::min(n, zero_from + 3); ++j)
      for (index_t i = 0; i < m; ++i) A(i, j) = T(0);
    cases.emplace_back("zero columns", A);
  }
  matrix<T> repeated(m, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i)
      repeated(i, j) = number<T>(static_cast<double>(std::min({i % 5, j, index_t{4}}) + 1));
  cases.emplace_back("repeated rows", repeated);
  for (const auto& [name, A] : cases)
    for_each_player<T>([&, &name = name, &A = A](const lu_engine<T>& on, variant v) {
      for (selection rule : {selection::plain, selection::scaled})
        for (index_t leaves : {2, 4}) {
          SCOPED_TRACE(testing::Message()
                       << name << ", " << leaves << " leaves, " << to_string(rule));
          matrix<T> expected = A, LU = A;
          const auto partial = on.lu(v, expected.view(), {.block = 8});
          const auto f = on.lu(
              v, LU.view(),
              {.pivoting = pivoting::tournament, .selection = rule, .block = 8, .leaves = leaves});
          EXPECT_EQ(f.status(), partial.status());
          EXPECT_TRUE(within(lu_ratio<T>(A, LU, f.interchanges().span())));
        }
    });
}

TYPED_TEST(Tournament, RankLostToRoundingIsBoundedByTheFallback) {
  using T = TypeParam;
  random_source random(308);
  const index_t n = 48;
  for (index_t rank : {1, 5, 20}) {
    const auto X = random_matrix<T>(random, n, rank), Y = random_matrix<T>(random, rank, n);
    const matrix<T> A = product<T>(X, Y);
    for_each_player<T>([&](const lu_engine<T>& on, variant v) {
      for (index_t leaves : {2, 6}) {
        SCOPED_TRACE(testing::Message() << "rank " << rank << ", " << leaves << " leaves");
        matrix<T> LU = A;
        const auto f =
            on.lu(v, LU.view(), {.pivoting = pivoting::tournament, .block = 8, .leaves = leaves});
        EXPECT_TRUE(f.status().completed()) << f.status().message();
        EXPECT_LE(f.max_l(), 64 * 1.5);
        EXPECT_TRUE(within(lu_ratio<T>(A, LU, f.interchanges().span())));
      }
    });
  }
}

TYPED_TEST(Tournament, ALimitOfOneGivesThePivotsOfPartialPivoting) {
  using T = TypeParam;
  random_source random(309);
  const matrix<T> A = random_matrix<T>(random, 60, 30);
  for_each_player<T>([&](const lu_engine<T>& on, variant v) {
    matrix<T> expected = A, LU = A, unlimited = A;
    const auto partial = on.lu(v, expected.view(), {.block = 8});
    const auto f = on.lu(v, LU.view(),
                         {.pivoting = pivoting::tournament, .block = 8, .leaves = 4, .max_l = 1});
    EXPECT_EQ(f.interchanges(), partial.interchanges());
    EXPECT_TRUE(within(lu_ratio<T>(A, LU, f.interchanges().span())));
    const auto g =
        on.lu(v, unlimited.view(),
              {.pivoting = pivoting::tournament, .block = 8, .leaves = 4, .max_l = no_limit});
    EXPECT_NE(g.interchanges(), partial.interchanges())
        << "without a limit the tournament chooses for itself";
    EXPECT_GT(g.max_l(), 1);
  });
}

/// m × n elements of sizes 2⁻⁶⁰ … 2⁶⁰: scaled selection then chooses pivots that are tiny in their
/// columns.
template <class T>
matrix<T> spread_matrix(random_source& random, index_t m, index_t n) {
  matrix<T> A = random_matrix<T>(random, m, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) A(i, j) *= number<T>(std::exp2(60 * random.uniform()));
  return A;
}

TYPED_TEST(Tournament, NoElementOfLIsLargerThanTheLimit) {
  using T = TypeParam;
  random_source random(313);
  matrix<T> tiny(3, 3);  // block 2 with scaled selection: 1e13 in L11
  const double rows[3][3] = {{1, 2, .3}, {1e-13, 1e-14, 1}, {1e-14, 1e-15, .7}};
  for (index_t i = 0; i < 3; ++i)
    for (index_t j = 0; j < 3; ++j) tiny(i, j) = number<T>(rows[i][j]);
  std::vector<matrix<T>> cases{tiny};
  for (auto [m, n] : {std::pair<index_t, index_t>{2, 2}, {9, 9}, {40, 40}, {70, 20}, {20, 70}})
    cases.push_back(spread_matrix<T>(random, m, n));
  const double least = is_complex<T> ? std::sqrt(2.0) : 1.0;  // partial pivoting's
  for (const matrix<T>& A : cases)
    for_each_player<T>([&](const lu_engine<T>& on, variant v) {
      for (selection rule : {selection::plain, selection::scaled})
        for (layout where : layouts_for(on))
          for (index_t block : {0, 2, 8})
            for (index_t leaves : {0, 1, 3})
              for (double limit : {1.0, 64.0}) {
                SCOPED_TRACE(testing::Message()
                             << A.rows() << "×" << A.cols() << ", " << to_string(rule) << ", "
                             << to_string(where) << ", block = " << block << ", " << leaves
                             << " leaves, limit " << limit);
                placed_matrix<T> placed(A, where);
                const auto f = on.lu(v, placed.view(),
                                     {.pivoting = pivoting::tournament,
                                      .selection = rule,
                                      .block = block,
                                      .leaves = leaves,
                                      .max_l = limit});
                ASSERT_TRUE(f.ok()) << f.status().message();
                const double rounded = 1 + 4 * static_cast<double>(unit_roundoff<T>);
                EXPECT_LE(static_cast<double>(f.max_l()), std::max(limit, least) * rounded);
                EXPECT_TRUE(within(lu_ratio<T>(A, f.matrix(), f.interchanges().span())));
              }
    });
}

/// The same on teams, of which the lists above give few a turn.
TYPED_TEST(Tournament, TheLimitDoesNotDependOnTheThreads) {
  using T = TypeParam;
  random_source random(314);
  const matrix<T> A = spread_matrix<T>(random, 60, 40);
  for (variant v : {variant::packed, variant::right_looking})
    for (selection rule : {selection::plain, selection::scaled}) {
      const lu_options options{
          .pivoting = pivoting::tournament, .selection = rule, .block = 8, .leaves = 3};
      matrix<T> expected = A;
      const auto one = lu_engines<T>().front()->lu(v, expected.view(), options);
      ASSERT_TRUE(one);
      EXPECT_LE(static_cast<double>(one.max_l()), 64.001);
      for (const auto& team : lu_teams<T>()) {
        matrix<T> LU = A;
        EXPECT_EQ(team->lu(v, LU.view(), options).interchanges(), one.interchanges());
        EXPECT_TRUE(same_bits(expected.view(), LU.view())) << team->name();
      }
    }
}

TYPED_TEST(Tournament, DefaultLeavesDependOnTheShapeOnly) {
  using T = TypeParam;
  random_source random(310);
  const index_t m = 2600, n = 12;  // several groups of about 512 rows
  const matrix<T> A = random_matrix<T>(random, m, n);
  matrix<T> expected = A, partial = A;
  const lu_options options{.pivoting = pivoting::tournament, .block = n};
  const auto f = lu(expected, options);
  ASSERT_TRUE(f);
  EXPECT_TRUE(within(lu_ratio<T>(A, f.matrix(), f.interchanges().span())));
  EXPECT_NE(f.interchanges(), lu(partial).interchanges()) << "run with more than one leaf";
  for (const auto& team : lu_teams<T>()) {
    matrix<T> LU = A;
    EXPECT_EQ(team->lu(variant::packed, LU.view(), options).interchanges(), f.interchanges())
        << team->name();
    EXPECT_TRUE(same_bits(expected.view(), LU.view())) << team->name();
  }
}

TYPED_TEST(Tournament, TheFallbackDoesNotDependOnTheThreads) {
  using T = TypeParam;
  const auto& teams = lu_teams<T>();
  if (teams.empty()) GTEST_SKIP() << "no OpenMP in this build";
  random_source random(311);
  const auto X = random_matrix<T>(random, 120, 30), Y = random_matrix<T>(random, 30, 40);
  const matrix<T> A = product<T>(X, Y);  // the last panels hold nothing but rounding errors
  for (double limit : {1.0, 1.5, 64.0}) {
    const lu_options options{
        .pivoting = pivoting::tournament, .block = 8, .leaves = 5, .max_l = limit};
    matrix<T> one = A;
    const auto f = teams.front()->lu(variant::packed, one.view(), options);
    for (const auto& more : teams) {
      matrix<T> LU = A;
      EXPECT_EQ(more->lu(variant::packed, LU.view(), options).interchanges(), f.interchanges());
      EXPECT_TRUE(same_bits(one.view(), LU.view())) << more->name() << ", limit " << limit;
    }
  }
}

TYPED_TEST(Tournament, GrowthStaysThatOfPartialPivotingOnRandomMatrices) {
  using T = TypeParam;
  random_source random(312);
  const index_t n = 128;
  const matrix<T> A = random_matrix<T>(random, n, n);
  for_each_player<T>([&](const lu_engine<T>& on, variant v) {
    for (index_t leaves : {2, 4}) {
      matrix<T> LU = A;
      const auto f =
          on.lu(v, LU.view(),
                {.pivoting = pivoting::tournament, .block = 16, .leaves = leaves, .growth = true});
      EXPECT_TRUE(f);
      // Grigori, Demmel, Xiang: about 1.5·n^(2/3) on average, 38 for this n; partial pivoting
      // n^(2/3), 25.
      EXPECT_LT(f.growth(), 80);
      EXPECT_GT(f.growth(), 1);
    }
  });
}

TYPED_TEST(Tournament, FullGrowthOverManySeedsTreesAndWidths) {
  using T = TypeParam;
  for (index_t n : {64, 200})
    for (index_t leaves : {1, 2, 4, 16})
      for (index_t block : {8, 32}) {
        double worst_growth = 0, worst_l = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
          random_source random(seed);
          matrix<T> A = random_matrix<T>(random, n, n);
          const auto f = lu(A, {.pivoting = pivoting::tournament,
                                .block = block,
                                .leaves = leaves,
                                .arity = 2,
                                .growth = true});
          ASSERT_TRUE(f);
          worst_growth = maximum(worst_growth, static_cast<double>(f.growth()));
          worst_l = maximum(worst_l, static_cast<double>(f.max_l()));
        }
        SCOPED_TRACE(testing::Message()
                     << "n = " << n << ", " << leaves << " leaves, block = " << block);
        EXPECT_LT(worst_growth, 3 * std::pow(static_cast<double>(n), 2.0 / 3))
            << "1.5·n^(2/3) on average: CALU's paper";
        EXPECT_LT(worst_l, leaves == 1 ? 1.5 : 64);
      }
}

}  // namespace
}  // namespace trifac::test
