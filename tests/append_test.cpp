// append and remove: against the matrix itself, in memory that grows and in the caller's; what
// leaves the factor unchanged; the arguments.

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/update.hpp"

namespace trifac::test {
namespace {

template <class T>
class Append : public testing::Test {};
TYPED_TEST_SUITE(Append, lapack_scalars, scalar_names);

/// The rows and columns of A in `order`, a list of their numbers.
template <class T>
matrix<T> chosen(const matrix<T>& A, const std::vector<index_t>& order) {
  const auto n = static_cast<index_t>(order.size());
  matrix<T> B(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i)
      B(i, j) = A(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
  return B;
}

TYPED_TEST(Append, GrowsByBlocks) {
  using T = TypeParam;
  random_source random(1801);
  for (index_t n : {0, 1, 2, 17, 64})
    for (index_t k : {0, 1, 2, 9, 33})
      for (triangle part : {triangle::lower, triangle::upper})
        for (layout where : {layout::padded, layout::row_major_padded, layout::strided}) {
          SCOPED_TRACE(testing::Message() << n << " + " << k << ", " << to_string(where));
          const matrix<T> A = random_spd<T>(random, n + k);
          const auto first = A.view().block(0, 0, n, n), B = A.view().block(0, n, n, k),
                     C = A.view().block(n, n, k, k);
          auto f = cholesky(matrix<T>(first), {.part = part, .norm = true});
          append(f, B, C);
          ASSERT_EQ(f.rows(), n + k);
          EXPECT_TRUE(within(cholesky_ratio<T>(A, part, f.matrix())));
          EXPECT_TRUE(k == 0 || !(f.norm() > 0));

          placed_matrix<T> room(n + k, n + k, where);
          room.assign(first, [](index_t, index_t) { return true; });
          room.remember();
          auto g = cholesky(room.view().block(0, 0, n, n), {.part = part});
          append_in(g, room.view(), B, C);
          ASSERT_EQ(g.rows(), n + k);
          EXPECT_EQ(g.matrix().data(), room.view().data());
          EXPECT_TRUE(within(cholesky_ratio<T>(A, part, g.matrix())));
          EXPECT_TRUE(room.untouched_except(in_triangle(part)));

          // The caller's matrix stays as it is where the factor takes one of its own.
          placed_matrix<T> small(first, where);
          auto h = cholesky(small.view(), {.part = part});
          small.remember();
          append(h, B, C);
          EXPECT_TRUE(small.untouched());
          EXPECT_TRUE(k == 0 || h.matrix().data() != small.view().data());
          EXPECT_TRUE(within(cholesky_ratio<T>(A, part, h.matrix())));
        }
}

TYPED_TEST(Append, GrowsAndForgetsInRandomSequences) {
  using T = TypeParam;
  random_source random(1802);
  const index_t most = 60;
  const matrix<T> A = random_spd<T>(random, most);
  for (triangle part : {triangle::lower, triangle::upper}) {
    std::vector<index_t> order = {0}, unused;
    for (index_t i = 1; i < most; ++i) unused.push_back(i);
    matrix<T> start(1, 1);
    start(0, 0) = A(0, 0);
    auto f = cholesky(std::move(start), {.part = part});
    for (int step = 0; step < 200; ++step) {
      const auto n = static_cast<index_t>(order.size());
      if (!unused.empty() && (n == 0 || random.below(3) > 0)) {
        std::vector<T> b;
        for (index_t i : order) b.push_back(A(i, unused.back()));
        append(f, b, A(unused.back(), unused.back()));
        order.push_back(unused.back());
        unused.pop_back();
      } else {
        const index_t first = random.below(n),
                      count = random.below(std::min<index_t>(4, n - first));
        remove(f, first, count);
        const auto at = order.begin() + first;
        unused.insert(unused.end(), at, at + count);
        order.erase(at, at + count);
      }
      ASSERT_EQ(f.rows(), static_cast<index_t>(order.size()));
      ASSERT_TRUE(within(cholesky_ratio<T>(chosen(A, order), part, f.matrix()), 90)) << step;
    }
    const auto copy = f;  // room and all
    EXPECT_TRUE(same_bits(copy.matrix(), f.matrix()));
  }
}

TYPED_TEST(Append, RemovesInAllLayouts) {
  using T = TypeParam;
  random_source random(1803);
  const index_t n = 40;
  const matrix<T> A = random_spd<T>(random, n);
  for (triangle part : {triangle::lower, triangle::upper})
    for (layout where : all_layouts)
      for (const auto& [first, count] :
           {std::pair<index_t, index_t>{0, 1}, {39, 1}, {3, 5}, {0, 40}, {20, 20}, {7, 0}}) {
        placed_matrix<T> L(A, where);
        auto f = cholesky(L.view(), {.part = part});
        remove(f, first, count);
        ASSERT_EQ(f.rows(), n - count);
        EXPECT_EQ(f.matrix().data(), L.view().data());
        EXPECT_TRUE(L.untouched_except(in_triangle(part)));
        std::vector<index_t> rest;
        for (index_t i = 0; i < n; ++i)
          if (i < first || i >= first + count) rest.push_back(i);
        EXPECT_TRUE(within(cholesky_ratio<T>(chosen(A, rest), part, f.matrix())));
      }
}

/// L·Lᴴ.
template <class T>
matrix<T> product_with_adjoint(const matrix<T>& L) {
  matrix<T> A(L.rows(), L.rows());
  for (index_t j = 0; j < L.rows(); ++j)
    for (index_t i = 0; i < L.rows(); ++i)
      for (index_t k = 0; k < L.cols(); ++k) A(i, j) += L(i, k) * detail::conjugate(L(j, k));
  return A;
}

TYPED_TEST(Append, ReadsWhatRemoveHasLeft) {
  using T = TypeParam;
  random_source random(1806);
  const index_t n = 12, count = 4, left = n - count;
  const matrix<T> A = random_spd<T>(random, n), C = random_spd<T>(random, count);
  for (triangle part : {triangle::lower, triangle::upper})
    for (bool turned : {false, true})
      for (index_t k : {index_t{1}, index_t{2}, count}) {
        SCOPED_TRACE(testing::Message() << (part == triangle::lower) << turned << ", " << k);
        auto f = cholesky(matrix<T>(A), {.part = part});
        const matrix_view<const T> whole = f.matrix();
        remove(f, left, count);
        // The rows of the old factor (of an upper one its columns) that were cut off, in order or
        // in reverse: the new ones are written there.
        const auto cut = part == triangle::lower ? whole.block(left, 0, k, left).transposed()
                                                 : whole.block(0, left, left, k);
        const matrix_view<const T> B =
            turned
                ? matrix_view<const T>(&cut(0, k - 1), left, k, cut.row_stride(), -cut.col_stride())
                : cut;
        matrix<T> exact(left + k, left + k);
        for (index_t j = 0; j < left + k; ++j)
          for (index_t i = j; i < left + k; ++i) {
            exact(i, j) = i < left   ? A(i, j)
                          : j < left ? detail::conjugate(B(j, i - left))
                                     : T(C(i - left, j - left) * T(64));
            exact(j, i) = detail::conjugate(exact(i, j));
          }
        const matrix<T> corner(exact.view().block(left, left, k, k));
        ASSERT_TRUE(try_append(f, B, corner));
        EXPECT_TRUE(within(cholesky_ratio<T>(exact, part, f.matrix())));

        // C is a block of 5·I in the rows that were cut off, those of L with L·Lᴴ = M.
        matrix<T> L(left + k, left + k), other(left + k, left + k);
        for (index_t i = 0; i < left + k; ++i) {
          L(i, i) = T(4);
          other(i, i) = T(i < left ? 16 : 5);
          if (i >= left) L(i, i - left) = T(5);
        }
        auto g = cholesky(product_with_adjoint(L), {.part = part});
        const auto corner_of_g = part == triangle::lower ? g.matrix().block(left, 0, k, k)
                                                         : g.matrix().block(0, left, k, k);
        remove(g, left, k);
        ASSERT_TRUE(try_append(g, matrix<T>(left, k), corner_of_g));
        EXPECT_TRUE(within(cholesky_ratio<T>(other, part, g.matrix())));
      }
}

TYPED_TEST(Append, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  random_source random(1804);
  const index_t n = 300, k = 20;
  const matrix<T> A = random_spd<T>(random, n + k);
  const auto first = A.view().block(0, 0, n, n), B = A.view().block(0, n, n, k),
             C = A.view().block(n, n, k, k);
  const auto f = cholesky(matrix<T>(first));
  auto whole = f, less = f;
  append(whole, B, C);
  remove(less, 10, 30);
  for_each_team([&](const auto& team, const std::string& name) {
    auto g = f, h = f;
    append(team, g, B, C);
    remove(team, h, 10, 30);
    EXPECT_TRUE(same_bits(g.matrix(), whole.matrix())) << name;
    EXPECT_TRUE(same_bits(h.matrix(), less.matrix())) << name;
  });
}

TYPED_TEST(Append, WhatFailsLeavesTheFactor) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(1805);
  const index_t n = 6;
  const matrix<T> A = random_spd<T>(random, n + 2);
  placed_matrix<T> room(A, layout::padded);
  auto f = cholesky(room.view().block(0, 0, n, n), {.norm = true});
  const auto first = [&](index_t i, index_t j) { return i >= n || j >= n; };
  room.remember();
  matrix<T> B(A.view().block(0, n, n, 2)), C(A.view().block(n, n, 2, 2));
  const auto expect = [&](const status& s, status_kind kind, const char* argument = "") {
    EXPECT_EQ(s.kind(), kind) << s.message();
    EXPECT_STREQ(s.argument(), argument);
    EXPECT_TRUE(f.ok() && f.rows() == n && f.norm() > 0 && room.untouched_except(first));
  };
  const auto wrong = status_kind::invalid_argument;
  matrix<T> bad = C;
  bad(1, 1) = T(-1);
  EXPECT_EQ(try_append(f, B, bad).index(), n + 1);
  expect(try_append(f, B, bad), status_kind::not_positive_definite);
  expect(try_append_in(f, room.view(), B, bad), status_kind::not_positive_definite);
  auto own = cholesky(matrix<T>(0, 0));  // owns its matrix, though it has no elements
  expect(try_append_in(own, room.view(), matrix<T>(0, 1), T(4)), wrong, "room");
  bad(1, 1) = T(std::numeric_limits<R>::quiet_NaN());
  expect(try_append(f, B, bad), status_kind::not_finite);
  matrix<T> infinite = B;
  infinite(3, 1) = T(std::numeric_limits<R>::infinity());
  expect(try_append(f, infinite, C), status_kind::not_finite);
  expect(try_append(f, infinite.view().block(0, 0, n - 1, 2), C), wrong, "B");
  expect(try_append(f, B, bad.view().block(0, 0, 2, 1)), wrong, "C");
  expect(try_append(f, B, T(3)), wrong, "C");
  expect(try_append_in(f, room.view().block(0, 0, n + 1, n + 2), B, C), wrong, "room");
  expect(try_append_in(f, room.view().transposed(), B, C), wrong, "room");
  expect(try_append_in(f, room.view().block(1, 1, n + 1, n + 1), B, C), wrong, "room");
  expect(
      try_append_in(f, room.view(), room.view().block(0, n, n, 2), room.view().block(n, n, 2, 2)),
      wrong, "C");
  expect(try_append(backend::threads{.threads = -1}, f, B, C), wrong, "backend.threads");
  expect(try_remove(f, -1), wrong, "first");
  expect(try_remove(f, n), wrong, "count");
  expect(try_remove(f, n + 1, 0), wrong, "first");
  expect(try_remove(f, 2, n - 1), wrong, "count");
  cholesky_factor<T> none;
  expect(try_append(none, B, C), wrong, "factor");
  expect(try_remove(none, 0), wrong, "factor");
  EXPECT_THROW(append(f, B, T(3)), argument_error);
  EXPECT_THROW(remove(f, 7), argument_error);
}

}  // namespace
}  // namespace trifac::test
