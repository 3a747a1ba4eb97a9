// pivots: interchanges, LAPACK's ipiv, permutations and candidates say the same thing in four ways.

#include "trifac/pivots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "trifac/matrix.hpp"
#include "trifac/status.hpp"

namespace trifac::test {
namespace {

using indices = std::vector<index_t>;

pivots interchanges(const indices& rows) {
  pivots p(static_cast<index_t>(rows.size()));
  for (index_t k = 0; k < p.size(); ++k) p[k] = rows[static_cast<std::size_t>(k)];
  return p;
}

/// Random interchanges of `steps` steps on a matrix of `rows` rows.
pivots random_interchanges(random_source& random, index_t steps, index_t rows) {
  pivots p(steps);
  for (index_t k = 0; k < steps; ++k) p[k] = k + random.below(rows - k);
  return p;
}

/// rows × cols with 100·i + j at (i, j).
matrix<double> numbered(index_t rows, index_t cols) {
  matrix<double> A(rows, cols);
  for (index_t j = 0; j < cols; ++j)
    for (index_t i = 0; i < rows; ++i) A(i, j) = static_cast<double>(100 * i + j);
  return A;
}

TEST(Pivots, WorkedExampleOfTheHeader) {
  const pivots p = interchanges({2, 3, 2});
  EXPECT_EQ(p.permutation(4), (indices{2, 3, 0, 1}));
  EXPECT_EQ(p.to_ipiv(), (std::vector<std::int32_t>{3, 4, 3}));
  EXPECT_EQ(p.sign(), 1);  // two exchanges; step 2 exchanges nothing
  auto A = numbered(4, 2);
  trifac::apply_interchanges(p.span(), A.view());
  for (index_t j = 0; j < 2; ++j) {
    EXPECT_EQ(A(0, j), static_cast<double>(200 + j));
    EXPECT_EQ(A(1, j), static_cast<double>(300 + j));
    EXPECT_EQ(A(2, j), static_cast<double>(0 + j));
    EXPECT_EQ(A(3, j), static_cast<double>(100 + j));
  }
}

TEST(Pivots, TheyAreAppliedToWhateverIsAMatrixOrAVector) {
  const pivots p = interchanges({2, 3, 2});
  matrix<double> A = numbered(4, 2);
  matrix<double, 4, 2> fixed;
  for (index_t j = 0; j < 2; ++j)
    for (index_t i = 0; i < 4; ++i) fixed(i, j) = A(i, j);
  std::vector<double> b = {0, 100, 200, 300};
  apply_interchanges(p, A);
  apply_interchanges(p, fixed);
  apply_interchanges(p, b);
  EXPECT_EQ(b, (std::vector<double>{200, 300, 0, 100}));
  for (index_t j = 0; j < 2; ++j)
    for (index_t i = 0; i < 4; ++i) {
      EXPECT_EQ(A(i, j), b[static_cast<std::size_t>(i)] + static_cast<double>(j));
      EXPECT_EQ(fixed(i, j), A(i, j));
    }
  undo_interchanges(p, b);
  EXPECT_EQ(b, (std::vector<double>{0, 100, 200, 300}));
}

TEST(Pivots, NewOnesExchangeNothing) {
  const pivots p(5);
  EXPECT_EQ(p.size(), 5);
  EXPECT_EQ(p.permutation(5), (indices{0, 1, 2, 3, 4}));
  EXPECT_EQ(p.permutation(7), (indices{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(p.sign(), 1);
  EXPECT_EQ(pivots().size(), 0);
  EXPECT_EQ(pivots().permutation(2), (indices{0, 1}));
  EXPECT_TRUE(pivots().to_ipiv().empty());
}

// Few lie within the object, many in memory of their own.
TEST(Pivots, CopiesAndMovesOfFewAndMany) {
  random_source random(4);
  for (const index_t from : {0, 1, 64, 65, 200})
    for (const index_t to : {0, 1, 64, 65, 200}) {
      const pivots p = random_interchanges(random, from, 300),
                   other = random_interchanges(random, to, 300);
      pivots copy = p, target = other;
      EXPECT_EQ(copy, p);
      target = copy;
      EXPECT_EQ(target, p);
      EXPECT_EQ(copy, p);
      if (from > 0) {
        ++copy[from - 1];
        EXPECT_NE(copy, target);
      }
      pivots moved = std::move(target);
      EXPECT_EQ(moved, p);
      EXPECT_EQ(target.size(), 0);  // NOLINT: what is moved from is empty
      target = std::move(moved);
      EXPECT_EQ(target, p);
      target.reset(to);
      EXPECT_EQ(target, pivots(to));
    }
}

TEST(Pivots, IpivOfEitherWidthThereAndBack) {
  random_source random(3);
  for (index_t rows : {1, 2, 9, 40}) {
    const pivots p = random_interchanges(random, std::min<index_t>(rows, 12), rows);
    const auto narrow = p.to_ipiv();
    const auto wide = p.to_ipiv<std::int64_t>();
    EXPECT_EQ(pivots::from_ipiv(narrow), p);
    EXPECT_EQ(pivots::from_ipiv(wide), p);
    EXPECT_EQ(pivots::from_ipiv(std::span(narrow.data(), narrow.size())), p);
    for (index_t k = 0; k < p.size(); ++k) EXPECT_EQ(narrow[static_cast<std::size_t>(k)], p[k] + 1);
  }
}

TEST(Pivots, PermutationSaysWhatApplyDoes) {
  random_source random(4);
  for (const auto& size : {std::pair<index_t, index_t>{0, 3}, {1, 1}, {3, 3}, {5, 11}, {17, 17}}) {
    const index_t steps = size.first, rows = size.second;

    const pivots p = random_interchanges(random, steps, rows);
    const auto perm = p.permutation(rows);
    const auto before = numbered(rows, 3);
    auto A = before;
    trifac::apply_interchanges(p.span(), A.view());
    for (index_t j = 0; j < 3; ++j)
      for (index_t i = 0; i < rows; ++i)
        EXPECT_EQ(A(i, j), before(perm[static_cast<std::size_t>(i)], j));
    trifac::undo_interchanges(p.span(), A.view());
    for (index_t j = 0; j < 3; ++j)
      for (index_t i = 0; i < rows; ++i) EXPECT_EQ(A(i, j), before(i, j));
  }
}

TEST(Pivots, SignIsThatOfThePermutation) {
  random_source random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const pivots p = random_interchanges(random, 7, 9);
    const auto perm = p.permutation(9);
    int inversions = 0;
    for (std::size_t i = 0; i < perm.size(); ++i)
      for (std::size_t k = i + 1; k < perm.size(); ++k) inversions += perm[i] > perm[k];
    EXPECT_EQ(p.sign(), inversions % 2 == 0 ? 1 : -1);
  }
}

TEST(Pivots, InterchangesThatAreNoRowsAreNamedAndMoveNothing) {
  const indices before = {5, 6, 7};
  for (const indices& rows :
       {indices{0, 3}, indices{-1}, indices{2, 1, std::numeric_limits<index_t>::max()},
        indices{0, 1, 2, 2}}) {
    indices b = before;
    const auto view = column_major(b.data(), 3, 1);
    for (const bool back : {false, true}) {
      try {
        back ? trifac::undo_interchanges(rows, view) : trifac::apply_interchanges(rows, view);
        ADD_FAILURE() << "no error";
      } catch (const trifac::argument_error& e) {
        EXPECT_STREQ(e.argument(), "interchanges");
      }
      EXPECT_EQ(b, before);
    }
  }
}

TEST(Pivots, CandidatesComeToTheTopInTheirOrder) {
  random_source random(6);
  for (const auto& size :
       {std::pair<index_t, index_t>{0, 4}, {1, 1}, {1, 6}, {4, 4}, {5, 30}, {30, 30}}) {
    const index_t count = size.first, rows = size.second;

    indices all(static_cast<std::size_t>(rows));
    std::iota(all.begin(), all.end(), 0);
    trifac::apply_interchanges(random_interchanges(random, rows, rows),
                               column_major(all.data(), rows, 1));
    const indices candidates(all.begin(), all.begin() + count);
    const pivots p = pivots::from_candidates(candidates, rows);
    ASSERT_EQ(p.size(), count);
    const auto perm = p.permutation(rows);
    for (index_t k = 0; k < count; ++k) {
      EXPECT_EQ(perm[static_cast<std::size_t>(k)], candidates[static_cast<std::size_t>(k)]);
      EXPECT_TRUE(k <= p[k] && p[k] < rows) << "step " << k << " exchanges with row " << p[k];
    }
  }
}

TEST(Pivots, CandidatesThatExchangePlaces) {
  // Row 0 comes second, after row 3: it has been moved to place 3 by then.
  EXPECT_EQ(pivots::from_candidates(indices{3, 0}, 4), interchanges({3, 3}));
  EXPECT_EQ(pivots::from_candidates(indices{1, 0}, 2), interchanges({1, 1}));
  EXPECT_EQ(pivots::from_candidates(indices{0, 1, 2}, 5), pivots(3));
}

TEST(Pivots, ApplyReachesStridedViews) {
  auto A = numbered(3, 4);
  const pivots p = interchanges({1, 2});  // exchanges columns through the transposed view
  trifac::apply_interchanges(p.span(), A.view().transposed().block(0, 0, 3, 3));
  EXPECT_EQ(A(2, 0), 201);
  EXPECT_EQ(A(2, 1), 202);
  EXPECT_EQ(A(2, 2), 200);
  EXPECT_EQ(A(2, 3), 203);
}

}  // namespace
}  // namespace trifac::test
