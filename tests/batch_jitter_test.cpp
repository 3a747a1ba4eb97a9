// cholesky of a batch with jitter: each matrix has the shift that it has alone, and the bits that
// the shifted one has; what no shift helps stays as it was; the arguments.

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "backends.hpp"
#include "support/batches.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"

namespace trifac::test {
namespace {

template <class T>
class BatchJitter : public testing::Test {};
TYPED_TEST_SUITE(BatchJitter, lapack_scalars, scalar_names);

constexpr index_t count = 37;
const cholesky_jitter jitter = {.first = 0.01, .factor = 4, .tries = 8};

/// Every third matrix has an eigenvalue below zero, each another one.
template <class T>
matrices<T> nearly_definite(index_t n) {
  matrices<T> all = random_batch<T>(count, n, n, true);
  for (std::size_t b = 0; b < all.size(); b += 3) {
    const auto i = static_cast<index_t>(b) % n;
    all[b](i, i) = T(-real_t<T>(0.05) * std::abs(all[b](i, i)) * static_cast<real_t<T>>(b + 1));
  }
  return all;
}

template <class T>
matrix<T> shifted(matrix<T> A, const real_t<T>& shift) {
  for (index_t i = 0; i < A.rows(); ++i) A(i, i) = T(std::real(A(i, i)) + shift);
  return A;
}

/// In a layout, with NaN in the triangle that is not read.
template <class T>
placed<T> place_triangle(const matrices<T>& all, triangle part, int layout) {
  placed<T> A = place(all, layout);
  spoil(A.view, other_triangle(part));
  A.remember();
  return A;
}

TYPED_TEST(BatchJitter, EachMatrixHasTheShiftThatItHasAlone) {
  using T = TypeParam;
  for (const index_t n : {1, 2, 5, 16, 33, 70})
    for (const triangle part : {triangle::lower, triangle::upper}) {
      const matrices<T> all = nearly_definite<T>(n);
      matrices<T> shifted_ones;
      std::vector<real_t<T>> shifts;
      for (const matrix<T>& A : all) {
        const auto alone = cholesky(matrix<T>(A), {.part = part, .jitter = jitter});
        ASSERT_TRUE(alone.ok());
        shifts.push_back(alone.shift());
        shifted_ones.push_back(shifted(A, alone.shift()));
      }
      EXPECT_GT(shifts[0], 0);
      EXPECT_EQ(shifts[1], 0);
      for (int layout = 0; layout < 8; ++layout) {
        auto expected = place_triangle(shifted_ones, part, layout);
        ASSERT_TRUE(try_cholesky(expected.view, {.part = part}));
        for_each_backend([&]<class B>(const B& backend, const std::string& name) {
          if constexpr (PackingBackend<B>) {
            SCOPED_TRACE(testing::Message() << name << ", layout " << layout << ", n = " << n);
            auto A = place_triangle(all, part, layout);
            const auto f = cholesky(backend, A.view, {.part = part, .jitter = jitter});
            ASSERT_TRUE(f) << f.status().message();
            for (index_t b = 0; b < count; ++b) {
              const auto i = static_cast<std::size_t>(b);
              EXPECT_EQ(f.shift(b), shifts[i]) << b;
              EXPECT_TRUE(same_bits(A.view[b], expected.view[b])) << b;
              EXPECT_TRUE(within(cholesky_ratio<T>(shifted_ones[i].view(), part, A.view[b]))) << b;
            }
            EXPECT_TRUE(A.untouched_outside(part));
          }
        });
      }
    }
}

TYPED_TEST(BatchJitter, WhatNoShiftHelpsStays) {
  using T = TypeParam;
  using R = real_t<T>;
  constexpr R infinity = std::numeric_limits<R>::infinity();
  for (const index_t n : {3, 12, 70, 257}) {
    matrices<T> all = random_batch<T>(11, n, n, true);
    all[2](n - 1, n - 1) = T(R(-1000) * std::abs(all[2](n - 1, n - 1)));
    all[4](1, 1) = T(std::numeric_limits<R>::quiet_NaN());
    all[7](0, 0) = T(infinity);
    all[8](0, 0) = T(-infinity);
    all[9] = matrix<T>(n, n);
    for (const triangle part : {triangle::lower, triangle::upper})
      for (const int layout : {0, 5, 6, 7}) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", layout " << layout);
        const auto input = place_triangle(all, part, layout);
        auto A = place_triangle(all, part, layout);
        const auto f = cholesky(A.view, {.part = part, .jitter = {.first = 1e-6, .tries = 2}});
        EXPECT_EQ(f.failed_count(), 4);
        EXPECT_EQ(f.status(2).kind(), status_kind::not_positive_definite);
        EXPECT_GT(f.shift(2), R(1e-5));
        EXPECT_EQ(f.status(4), status::at(status_kind::not_finite, 1));
        EXPECT_EQ(f.status(7).kind(), status_kind::not_finite);
        EXPECT_FALSE(f.status(8));
        for (const index_t b : {4, 7, 8}) EXPECT_EQ(f.shift(b), R(0));
        for (const index_t b : {2, 4, 7, 8}) EXPECT_TRUE(same_bits(A.view[b], input.view[b])) << b;
        EXPECT_TRUE(A.untouched_outside(part));
        EXPECT_TRUE(f.status(9));  // zeros, whose shifts are measured by 1
        EXPECT_EQ(f.shift(9), static_cast<R>(1e-6));
      }
  }
}

TYPED_TEST(BatchJitter, DefinitenessLostAtEachColumn) {
  using T = TypeParam;
  const index_t n = 9;
  matrices<T> all = random_batch<T>(n, n, n, true);
  for (index_t k = 0; k < n; ++k) all[static_cast<std::size_t>(k)](k, k) = T(real_t<T>(-1));
  for (const int layout : {0, 7}) {
    const auto input = place(all, layout);
    auto A = place(all, layout), B = place(all, layout);
    const auto none = try_cholesky(A.view, {.jitter = {.first = 1, .tries = 0}});
    const auto f = try_cholesky(B.view, {.jitter = {.first = 1}});
    EXPECT_TRUE(f);
    EXPECT_TRUE(A.untouched());
    EXPECT_TRUE(B.untouched_outside(triangle::lower));
    for (index_t k = 0; k < n; ++k) {
      EXPECT_EQ(none.status(k), status::at(status_kind::not_positive_definite, k));
      EXPECT_EQ(none.shift(k), 0);
      EXPECT_TRUE(same_bits(A.view[k], input.view[k]));
      EXPECT_GT(f.shift(k), 0);
      const matrix<T> expected = shifted(all[static_cast<std::size_t>(k)], f.shift(k));
      EXPECT_TRUE(within(cholesky_ratio<T>(expected.view(), triangle::lower, B.view[k])));
    }
  }
}

TYPED_TEST(BatchJitter, Arguments) {
  using T = TypeParam;
  const matrices<T> all = random_batch<T>(20, 100, 100, true);
  auto A = place(all, 0), B = place(random_batch<T>(20, 100, 1), 0);
  const auto blamed = [](const status& s) {
    return std::string(s.kind() == status_kind::invalid_argument ? s.argument() : "");
  };
  for (const cholesky_jitter& wrong : {cholesky_jitter{.first = -1},
                                       {.first = std::numeric_limits<double>::infinity()},
                                       {.first = 1, .factor = 1},
                                       {.first = 1, .tries = -1}})
    EXPECT_EQ(blamed(try_cholesky(A.view, {.jitter = wrong}).status()), "options.jitter");
  EXPECT_EQ(blamed(try_cholesky_solve(A.view, B.view, {.jitter = {1}}).status()), "options.jitter");
  std::vector<std::byte> small(batch_workspace_bytes<T>(100, 100));
  guarded_workspace enough(batch_workspace_bytes<T>(100, 100, 100));
  EXPECT_EQ(blamed(try_cholesky(A.view, {.workspace = small, .jitter = {1}}).status()),
            "options.workspace");
  EXPECT_TRUE(A.untouched());
  EXPECT_TRUE(B.untouched());
  EXPECT_TRUE(try_cholesky(A.view, {.workspace = enough.given(), .jitter = {1}}));
  EXPECT_TRUE(enough.guards_untouched());
  EXPECT_EQ(try_cholesky(A.view).shift(3), 0);
  batch<T> none(0, 4, 4), empty(3, 0, 0);
  EXPECT_TRUE(try_cholesky(none, {.jitter = {1}}) && try_cholesky(empty, {.jitter = {1}}));
}

}  // namespace
}  // namespace trifac::test
