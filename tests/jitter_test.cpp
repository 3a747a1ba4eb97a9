// cholesky with jitter: the smallest shift of the sequence, in place and out of place, on every
// backend; what a shift does not help; memory that runs out between tries; the arguments.

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/factor_solve.hpp"
#include "trifac/lu.hpp"

namespace trifac::test {
namespace {

template <class T>
class Jitter : public testing::Test {};
TYPED_TEST_SUITE(Jitter, lapack_scalars, scalar_names);

/// Hermitian with unit diagonal and a least eigenvalue of about −0.25, from rows 0 and n − 1.
template <class T>
matrix<T> nearly_definite(random_source& random, index_t n) {
  matrix<T> A = random_matrix<T>(random, n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) A(i, j) *= T(real_t<T>(0.1) / static_cast<real_t<T>>(n));
  for (index_t i = 0; i < n; ++i) A(i, i) = T(1);
  A(n - 1, 0) = T(real_t<T>(1.25));
  mirror_lower(A);
  return A;
}

template <class T>
matrix<T> shifted(matrix<T> A, const real_t<T>& shift) {
  for (index_t i = 0; i < A.rows(); ++i) A(i, i) += T(shift);
  return A;
}

TYPED_TEST(Jitter, SmallestShiftOfTheSequence) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(1901);
  for (index_t n : {2, 9, 65, 200}) {
    const matrix<T> A = nearly_definite<T>(random, n);
    const cholesky_jitter jitter = {.first = 0.01, .factor = 2, .tries = 12};
    R expected = R(0.01);  // the mean of the diagonal is 1, to rounding errors
    while (!cholesky(shifted(A, expected)).ok()) expected *= 2;
    ASSERT_GT(expected, R(0.1));
    for (triangle part : {triangle::lower, triangle::upper})
      for (layout where : padded_layouts)
        for_each_backend([&](const auto& backend, const std::string& name) {
          SCOPED_TRACE(testing::Message() << name << ", " << to_string(where) << ", n = " << n);
          const cholesky_options options = {.part = part, .jitter = jitter};
          placed_matrix<T> L(A, where), apart(n, n, where);
          const auto f = cholesky(backend, L.view(), options);
          ASSERT_TRUE(f.ok()) << f.status().message();
          EXPECT_NEAR(f.shift(), expected, R(1e-4));
          EXPECT_TRUE(within(cholesky_ratio<T>(shifted(A, f.shift()), part, f.matrix())));
          EXPECT_TRUE(L.untouched_except(in_triangle(part)));
          const auto g = cholesky(backend, A, apart.view(), options);
          EXPECT_TRUE(g.ok() && g.shift() == f.shift());
          EXPECT_TRUE(apart.untouched_except(in_triangle(part)));
          EXPECT_TRUE(within(cholesky_ratio<T>(shifted(A, g.shift()), part, g.matrix())));
          // A matrix that needs none gets none, and the factor that it would have.
          const matrix<T> good = random_spd<T>(random, n);
          placed_matrix<T> M(good, where), K(good, where);
          const auto h = cholesky(backend, M.view(), options);
          EXPECT_TRUE(h.ok() && h.shift() == R(0));
          cholesky(backend, K.view(), {.part = part}).or_throw();
          EXPECT_TRUE(same_bits(M.view(), K.view()));
        });
  }
}

TYPED_TEST(Jitter, OneTriangleIsAll) {
  using T = TypeParam;
  random_source random(1904);
  const index_t n = 30;
  const matrix<T> A = nearly_definite<T>(random, n);
  for (triangle part : {triangle::lower, triangle::upper}) {
    matrix<T> half(n, n), whole = A;
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < n; ++i)
        if (in_triangle(part)(i, j)) half(i, j) = A(i, j);
    const cholesky_options options = {.part = part,
                                      .jitter = {.first = 0.01, .factor = 2, .tries = 12}};
    const auto f = cholesky(half, options), g = cholesky(whole, options);
    ASSERT_TRUE(f.ok() && g.ok());
    EXPECT_GT(f.shift(), 0);
    EXPECT_EQ(f.shift(), g.shift());
    EXPECT_TRUE(same_bits(half.view(), whole.view()));
  }
}

TYPED_TEST(Jitter, WhatNoShiftHelps) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(1902);
  const index_t n = 8;
  matrix<T> A = random_spd<T>(random, n);
  A(5, 5) = T(R(-1000));
  const auto f = cholesky(matrix<T>(A), {.jitter = {.first = 1e-6, .tries = 2}});
  EXPECT_EQ(f.status().kind(), status_kind::not_positive_definite);
  EXPECT_GT(f.shift(), R(1e-4));
  EXPECT_LT(f.shift(), R(1e-2));
  A(5, 5) = T(std::numeric_limits<R>::quiet_NaN());
  const auto g = cholesky(matrix<T>(A), {.jitter = {.first = 1e-6}});
  EXPECT_EQ(g.status(), status::at(status_kind::not_finite, 5));
  EXPECT_EQ(g.shift(), R(0));
  const auto zero = cholesky(matrix<T>(n, n), {.jitter = {.first = 1e-3}});
  EXPECT_TRUE(zero.ok());
  EXPECT_EQ(zero.shift(), static_cast<R>(1e-3));
  EXPECT_TRUE(cholesky(matrix<T>(0, 0), {.jitter = {.first = 1e-3}}).ok());
}

TYPED_TEST(Jitter, SequencesThatLeaveTheRange) {
  using T = TypeParam;
  using R = real_t<T>;
  constexpr R most = std::numeric_limits<R>::max();
  // The second shift, or the diagonal with it, would be infinite: the first one is the last.
  for (const R& scale : {R(100), most / 4}) {
    matrix<T> A(2, 2), L(2, 2);
    A(0, 0) = A(1, 1) = T(scale / 4);
    A(1, 0) = T(-scale);
    const cholesky_options options = {.jitter = {.first = 1, .factor = 1e308, .tries = 3}};
    const auto apart = try_cholesky(A, L, options), f = try_cholesky(A, options);
    for (const auto& g : {apart, f}) {
      EXPECT_EQ(g.status(), status::at(status_kind::not_positive_definite, 1));
      EXPECT_EQ(g.shift(), scale / 4);
    }
  }
  // A NaN behind a bad pivot: no shift can be told from it.
  matrix<T> A(2, 2);
  A(0, 0) = T(R(-1));
  A(1, 1) = T(std::numeric_limits<R>::quiet_NaN());
  const auto f = try_cholesky(A, {.jitter = {.first = 1}});
  EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, 0));
  EXPECT_EQ(f.shift(), R(0));
}

/// The quotients |a_ii| / n underflow.
TYPED_TEST(Jitter, OfTheSmallestDiagonal) {
  using T = TypeParam;
  using R = real_t<T>;
  constexpr R least = std::numeric_limits<R>::denorm_min();
  for (index_t n : {2, 3, 5})
    for (const R& sign : {R(1), R(-1)})
      for (triangle part : {triangle::lower, triangle::upper}) {
        matrix<T> A(n, n);
        for (index_t i = 0; i < n; ++i) A(i, i) = T(sign * least);
        A(1, 0) = A(0, 1) = T(R(-4) * least);
        const auto f = try_cholesky(A, {.part = part, .jitter = {.first = 8}});
        EXPECT_TRUE(f) << f.status().message();
        EXPECT_EQ(f.shift(), R(8) * least) << n;
      }
}

TYPED_TEST(Jitter, OfOneElement) {
  using T = TypeParam;
  using R = real_t<T>;
  for (layout where : all_layouts) {
    placed_matrix<T> A(matrix<T>(1, 1), where);
    A.view()(0, 0) = T(R(-1));
    const matrix_view<T> same(A.view().data(), 1, 1, 7, 5);  // strides of one element mean nothing
    const auto f = cholesky(A.view(), same, {.jitter = {.first = 1.25}});
    ASSERT_TRUE(f.ok()) << f.status().message();
    EXPECT_EQ(f.shift(), R(1.25));
    EXPECT_EQ(same(0, 0), T(R(0.5)));
    A.view()(0, 0) = T(R(-1));
    EXPECT_EQ(cholesky(A.view(), {.jitter = {.first = 1.25}}).shift(), R(1.25));
  }
}

/// A library that has no memory from call number `good` on, and says so by a status or by throwing.
struct short_of_memory {
  static constexpr std::string_view name = "short of memory";
  int* calls;
  int good;
  bool throws;
  availability available() const noexcept { return {true, {}}; }
  friend bool supports(const short_of_memory&, variant v) { return v == variant::best; }
  template <class T>
  friend status potrf(const short_of_memory& on, matrix_view<const T> A, matrix_view<T> L) {
    if ((*on.calls)++ < on.good) {
      if (A.data() != L.data()) blas::copy_lower<T>(A, L);
      return try_cholesky(L).status();
    }
    if (on.throws) throw std::bad_alloc();
    return status::failure(status_kind::out_of_memory, "none");
  }
  template <class T>
  friend status getrf(const short_of_memory&, matrix_view<T> A, std::span<index_t> p) {
    pivots of_A;
    const status s = try_lu(A, of_A).status();
    for (std::size_t k = 0; k < p.size(); ++k) p[k] = of_A[static_cast<index_t>(k)];
    return s;
  }
};

TYPED_TEST(Jitter, TriesWithoutMemoryLeaveTheTriangle) {
  using T = TypeParam;
  random_source random(1905);
  const index_t n = 40;
  const matrix<T> A = nearly_definite<T>(random, n);
  for (triangle part : {triangle::lower, triangle::upper})
    for (int good : {0, 1, 2})
      for (bool throws : {false, true}) {
        int calls = 0;
        matrix<T> L = A;
        const auto f = try_cholesky(short_of_memory{&calls, good, throws}, L,
                                    {.part = part, .jitter = {.first = 0.01, .factor = 2}});
        EXPECT_EQ(f.status().kind(), status_kind::out_of_memory);
        EXPECT_EQ(calls, good + 1);
        for (index_t j = 0; j < n; ++j)
          for (index_t i = 0; i < n; ++i)
            if (in_triangle(part)(i, j)) {
              EXPECT_EQ(L(i, j), A(i, j));
            }
      }
}

TYPED_TEST(Jitter, Arguments) {
  using T = TypeParam;
  random_source random(1903);
  placed_matrix<T> A(random_spd<T>(random, 5), layout::padded), B(matrix<T>(5, 1), layout::padded);
  const auto expect = [&](const status& s, const char* argument) {
    EXPECT_EQ(s.kind(), status_kind::invalid_argument);
    EXPECT_STREQ(s.argument(), argument);
    EXPECT_TRUE(A.untouched() && B.untouched());
  };
  const auto attempt = [&](const cholesky_jitter& jitter) {
    return try_cholesky(A.view(), {.jitter = jitter}).status();
  };
  expect(attempt({.first = -1}), "options.jitter");
  expect(attempt({.first = std::numeric_limits<double>::quiet_NaN()}), "options.jitter");
  expect(attempt({.first = 1, .factor = 1}), "options.jitter");
  if (std::is_same_v<real_t<T>, float>) {
    expect(attempt({.first = 1e300}), "options.jitter");
  }
  expect(attempt({.first = 1, .tries = -1}), "options.jitter");
  expect(try_cholesky_solve(A.view(), B.view(), {.jitter = {1}}), "options.jitter");
  expect(try_cholesky(A.view().block(0, 0, 5, 4), {.jitter = {1}}).status(), "A");
  expect(try_cholesky(A.view().block(0, 0, 4, 4), A.view().block(1, 0, 4, 4), {.jitter = {1}})
             .status(),
         "L");
  expect(try_cholesky(A.view(), {.block = -1, .jitter = {1}}).status(), "options.block");
  placed_matrix<T> large(random_spd<T>(random, 300), layout::padded);
  std::byte few[64];
  EXPECT_STREQ(try_cholesky(large.view(), {.workspace = few, .jitter = {1}}).status().argument(),
               "options.workspace");
  EXPECT_TRUE(large.untouched());
}

}  // namespace
}  // namespace trifac::test
