// inverse: both factors, in place and out of place, LAPACK's ratios dpot03 and dget03; what cannot
// be inverted, and the arguments.

#include "trifac/inverse.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"

namespace trifac::test {
namespace {

template <class T>
class Inverse : public testing::Test {};
TYPED_TEST_SUITE(Inverse, lapack_scalars, scalar_names);

constexpr index_t orders[] = {0, 1, 2, 9, 32, 33, 63, 64, 65, 130, 260};
constexpr layout some_layouts[] = {layout::padded, layout::row_major_padded, layout::strided,
                                   layout::reversed};

template <class Visit>
void for_each_nest_backend(Visit visit) {
  for_each_backend([&]<class B>(const B& backend, const std::string& name) {
    if constexpr (NestBackend<B, double>) visit(backend, name);
  });
}

/// I − A·X and I − X·A.
template <class T>
void expect_inverse(const matrix<T>& A, const matrix<T>& X) {
  EXPECT_TRUE(within(inverse_ratio<T>(A, X)));
  EXPECT_TRUE(within(inverse_ratio<T>(X, A)));
}

TYPED_TEST(Inverse, OfCholeskyFactors) {
  using T = TypeParam;
  random_source random(621);
  for (index_t n : orders)
    for (triangle part : {triangle::lower, triangle::upper}) {
      const matrix<T> A = random_spd<T>(random, n);
      matrix<T> stored = A;
      const auto f = cholesky(stored, {.part = part});
      const matrix<T> whole = inverse(f);
      expect_inverse<T>(A, whole);
      for_each_nest_backend([&](const auto& backend, const std::string& name) {
        for (layout where : some_layouts) {
          SCOPED_TRACE(testing::Message() << name << ", " << to_string(where) << ", n = " << n);
          placed_matrix<T> X(n, n, where), L(stored, where);
          inverse(backend, f, X.view());                                             // apart,
          inverse(backend, cholesky_factor<T>(L.view(), part, status()), L.view());  // in place
          for (auto* result : {&X, &L}) {
            EXPECT_TRUE(result->untouched_except(in_triangle(part)));
            for (index_t j = 0; j < n; ++j)
              for (index_t i = 0; i < n; ++i)
                if (in_triangle(part)(i, j)) {
                  EXPECT_EQ(result->view()(i, j), whole(i, j));
                }
          }
        }
      });
    }
}

TYPED_TEST(Inverse, OfLuFactors) {
  using T = TypeParam;
  random_source random(622);
  for (index_t n : orders) {
    const matrix<T> A = random_matrix<T>(random, n, n);
    matrix<T> stored = A;
    const auto f = lu(stored);
    const matrix<T> whole = inverse(f);
    EXPECT_TRUE(within(inverse_ratio<T>(A, whole)) || within(inverse_ratio<T>(whole, A)));
    for_each_nest_backend([&](const auto& backend, const std::string& name) {
      for (layout where : some_layouts) {
        SCOPED_TRACE(testing::Message() << name << ", " << to_string(where) << ", n = " << n);
        placed_matrix<T> X(n, n, where), LU(stored, where);
        inverse(backend, f, X.view());
        inverse(backend, lu_factor<T>(LU.view(), &f.interchanges(), status()), LU.view());
        EXPECT_TRUE(same_bits(X.view(), LU.view()));
        EXPECT_TRUE(same_bits(X.view(), whole.view()));
        EXPECT_TRUE(X.guards_untouched() && LU.guards_untouched());
      }
    });
  }
}

TYPED_TEST(Inverse, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  random_source random(623);
  for (const index_t n : {150, 300}) {  // by substitutions, by the nests
    const matrix<T> A = random_spd<T>(random, n);
    matrix<T> L = A, LU = A;
    const auto f = cholesky(L, {.part = triangle::upper});
    const auto g = lu(LU);
    const matrix<T> X = inverse(f), Y = inverse(g);
    for_each_team([&](const auto& team, const std::string& name) {
      EXPECT_TRUE(same_bits(X.view(), matrix_view<const T>(inverse(team, f)))) << name;
      EXPECT_TRUE(same_bits(Y.view(), matrix_view<const T>(inverse(team, g)))) << name;
    });
  }
}

TYPED_TEST(Inverse, WhatCannotBeInvertedIsTold) {
  using T = TypeParam;
  using R = real_t<T>;
  random_source random(624);
  const index_t n = 5;
  placed_matrix<T> X(random_matrix<T>(random, n, n), layout::padded);
  const auto expect = [&](const status& s, status_kind kind, const char* argument = "") {
    EXPECT_EQ(s.kind(), kind) << s.message();
    EXPECT_STREQ(s.argument(), argument);
    EXPECT_TRUE(X.untouched());
  };
  matrix<T> zero(n, n), indefinite = zero, wide(n, n + 1), A = random_spd<T>(random, n), L = A;
  indefinite(0, 0) = T(1);
  expect(try_inverse(cholesky(indefinite), X.view()), status_kind::not_positive_definite);
  expect(try_inverse(lu(zero), X.view()), status_kind::singular);
  for (index_t k = 0; k < n; ++k) wide(k, k) = T(1);
  expect(try_inverse(lu(wide), X.view()), status_kind::invalid_argument, "factor");
  expect(try_inverse(lu_factor<T>(), X.view()), status_kind::invalid_argument, "factor");
  expect(try_inverse(lu_factor<T>(A, pivots(n - 1), status()), X.view()),
         status_kind::invalid_argument, "factor");
  const auto f = cholesky(L);
  expect(try_inverse(f, X.view().block(0, 0, n, n - 1)), status_kind::invalid_argument, "X");
  expect(try_inverse(backend::threads{.threads = -1}, f, X.view()), status_kind::invalid_argument,
         "backend.threads");
  expect(try_inverse(f, L.view().transposed()), status_kind::invalid_argument, "X");
  EXPECT_THROW(static_cast<void>(inverse(lu(zero))), numerical_error);
  EXPECT_THROW(static_cast<void>(inverse(cholesky_factor<T>())), argument_error);

  // An inverse that overflows is none.
  matrix<T> tiny(n, n), C(n, n);
  for (index_t k = 0; k < n; ++k) tiny(k, k) = C(k, k) = T(1);
  tiny(2, 2) = T(std::numeric_limits<R>::denorm_min());
  C(2, 2) = T(std::numeric_limits<R>::min() / 64);
  const lu_factor<T> g(tiny, lu(matrix<T>(tiny)).interchanges(), status());
  EXPECT_EQ(try_inverse(g, tiny).kind(), status_kind::not_finite);
  const cholesky_factor<T> h(C, triangle::lower, status());
  EXPECT_EQ(try_inverse(h, C), status::at(status_kind::not_finite, 2));
}

}  // namespace
}  // namespace trifac::test
