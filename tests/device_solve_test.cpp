// After a factorization on a device: solves with a triangle and inverses, of the host's matrices
// and of those that stay there. A program for OpenCL and one for CUDA.

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

#include "support/device.hpp"
#include "support/layouts.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/device_matrix_lu.hpp"
#include "trifac/factored.hpp"
#include "trifac/inverse.hpp"
#include "trifac/triangular_solve.hpp"

namespace trifac::test {
namespace {

template <class T>
class DeviceSolve : public OnDevice<T> {};
TYPED_TEST_SUITE(DeviceSolve, lapack_scalars, scalar_names);

constexpr operation all_operations[] = {operation::none, operation::transpose, operation::adjoint};
constexpr triangle both_parts[] = {triangle::lower, triangle::upper};
constexpr index_t orders[] = {0, 1, 9, 65,
                              300};  // 300: two blocks of a substitution, two of an inverse
constexpr layout some_layouts[] = {layout::padded, layout::row_major_padded, layout::reversed};

/// The triangle of A as a whole Hermitian matrix.
template <class T>
matrix<T> mirrored(matrix_view<const T> A, triangle part) {
  matrix<T> whole(A);
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i)
      if (!in_triangle(part)(i, j)) whole(i, j) = detail::conjugate(A(j, i));
  return whole;
}

TYPED_TEST(DeviceSolve, TrianglesOfTheHost) {
  using T = TypeParam;
  random_source random(701);
  for (index_t n : orders) {
    matrix<T> A = random_matrix<T>(random, n, n);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < n; ++i)
        A(i, j) = i == j ? A(i, j) + T(2) : A(i, j) / T(static_cast<real_t<T>>(n));
    for (triangle part : both_parts)
      for (diagonal diag : {diagonal::non_unit, diagonal::unit})
        for (operation op : all_operations) {
          const layout where = some_layouts[(n + static_cast<int>(op)) % 3];
          placed_matrix<T> stored(n, n, where);
          stored.assign(A, [&](index_t i, index_t j) {
            return in_triangle(part)(i, j) && (i != j || diag == diagonal::non_unit);
          });
          stored.remember();
          const triangular_view L(stored.view(), part, diag);
          const matrix<T> op_A = applied<T>(op, L.dense());
          const matrix<T> B = product<T>(op_A, random_matrix<T>(random, n, 7));
          placed_matrix<T> X(B, where);
          SCOPED_TRACE(testing::Message() << "n = " << n << ", " << to_string(where));
          solve(device(), L, X.view(), op);
          EXPECT_TRUE(within(solve_ratio<T>(op_A, X.view(), B)));
          EXPECT_TRUE(X.guards_untouched());
          EXPECT_TRUE(stored.untouched());
        }
  }
}

TYPED_TEST(DeviceSolve, InversesOfTheHost) {
  using T = TypeParam;
  random_source random(702);
  for (index_t n : orders)
    for (layout where : some_layouts) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", " << to_string(where));
      const matrix<T> A = random_spd<T>(random, n), C = random_matrix<T>(random, n, n);
      for (triangle part : both_parts) {
        matrix<T> L = A;
        const auto f = cholesky(L, {.part = part});
        placed_matrix<T> X(n, n, where), in_place(L, where);
        inverse(device(), f, X.view());
        inverse(device(), cholesky_factor<T>(in_place.view(), part, status()), in_place.view());
        for (auto* result : {&X, &in_place}) {
          EXPECT_TRUE(within(inverse_ratio<T>(A, mirrored<T>(result->view(), part))));
          EXPECT_TRUE(result->untouched_except(in_triangle(part)));
        }
      }
      matrix<T> LU = C;
      const auto g = lu(LU);
      placed_matrix<T> X(n, n, where), in_place(LU, where);
      inverse(device(), g, X.view());
      inverse(device(), lu_factor<T>(in_place.view(), &g.interchanges(), status()),
              in_place.view());
      EXPECT_TRUE(within(inverse_ratio<T>(C, X.view())) || within(inverse_ratio<T>(X.view(), C)));
      EXPECT_TRUE(same_bits(X.view(), in_place.view()));
      EXPECT_TRUE(X.guards_untouched() && in_place.guards_untouched());
    }
}

/// As X := P·X with L = U = I. Rows that are exchanged again and again, with each other and below.
TYPED_TEST(DeviceSolve, InterchangesOfEverySort) {
  using T = TypeParam;
  random_source random(705);
  for (index_t n : {1, 2, 3, 63, 64, 65, 128, 200, 256, 257}) {
    matrix<T> identity(n, n);
    for (index_t k = 0; k < n; ++k) identity(k, k) = T(1);
    const auto below = [&](index_t k, index_t count) {  // one of the `count` rows from k on
      return std::min(n - 1,
                      k + static_cast<index_t>(random.bits() % static_cast<std::uint64_t>(count)));
    };
    const std::function<index_t(index_t)> sorts[] = {
        [](index_t k) { return k; },
        [&](index_t) { return n - 1; },
        [&](index_t k) { return std::min(n - 1, k + 1); },
        [&](index_t k) { return below(k, n - k); },
        [&](index_t k) { return below(k, 4); },
        [&](index_t k) { return std::max(k, n - 1 - k % 3); }};
    for (const auto& sort : sorts) {
      std::vector<index_t> rows;
      for (index_t k = 0; k < n; ++k) rows.push_back(sort(k));
      const auto f = factored_lu(identity, rows, ipiv_base::zero);
      ASSERT_TRUE(f);
      for (index_t columns : {1, 7, 8, 9, 70})
        for (layout where : some_layouts) {
          const matrix<T> B = random_matrix<T>(random, n, columns);
          placed_matrix<T> X(B, where);
          solve(device(), f, X.view());
          matrix<T> expected = B;
          apply_interchanges(rows, expected);
          EXPECT_TRUE(same_bits(X.view(), expected.view()))
              << n << " rows, " << columns << " columns, " << to_string(where);
          EXPECT_TRUE(X.guards_untouched());
        }
    }
  }
}

TYPED_TEST(DeviceSolve, OnMatricesThatStay) {
  using T = TypeParam;
  random_source random(703);
  for (index_t n : {index_t(1), index_t(65), index_t(300)}) {
    const matrix<T> A = random_spd<T>(random, n), C = random_matrix<T>(random, n, n);
    const matrix<T> B = random_matrix<T>(random, n, 5);
    for (triangle part : both_parts) {
      device_matrix L(device(), A.view()), X(device(), B.view()), inverted(device(), A.view());
      const auto f = cholesky(L, {.part = part});
      solve(f.L(), X);
      solve(f.L(), X, operation::adjoint);
      EXPECT_TRUE(within(solve_ratio<T>(A, X.to_host(), B)));
      X.assign(B);
      solve(f.U(), X, operation::adjoint);
      solve(f.U(), X);
      EXPECT_TRUE(within(solve_ratio<T>(A, X.to_host(), B)));
      inverse(f, inverted);
      inverse(f, L);
      EXPECT_TRUE(within(inverse_ratio<T>(A, mirrored<T>(inverted.to_host(), part))));
      EXPECT_TRUE(within(inverse_ratio<T>(A, mirrored<T>(L.to_host(), part))));
    }
    device_matrix LU(device(), C.view()), inverted(device(), A.view()), X(device(), B.view());
    const auto g = lu(LU);
    matrix<T> PB = B;
    apply_interchanges(g.interchanges().span(), PB.view());
    X.assign(PB);
    solve(g.L(), X);
    solve(g.U(), X);
    EXPECT_TRUE(within(solve_ratio<T>(C, X.to_host(), B)));
    inverse(g, inverted);
    inverse(g, LU);
    const matrix<T> out = inverted.to_host(), in = LU.to_host();
    EXPECT_TRUE(within(inverse_ratio<T>(C, out)) || within(inverse_ratio<T>(out, C)));
    EXPECT_TRUE(same_bits(out.view(), in.view()));
  }
}

TYPED_TEST(DeviceSolve, WhatCannotBeDoneIsTold) {
  using T = TypeParam;
  random_source random(704);
  const index_t n = 5;
  matrix<T> indefinite(n, n), B = random_matrix<T>(random, n, 2);
  for (index_t k = 0; k < n; ++k) indefinite(k, k) = k == 3 ? T(-1) : T(1);
  device_matrix A(device(), indefinite.view()), X(device(), B.view());
  const auto f = cholesky(A);
  const matrix<T> before = random_matrix<T>(random, n, n);
  device_matrix Y(device(), before.view());
  inverse(f, Y);  // not known yet: Y is as it was
  EXPECT_EQ(f.status(), status::at(status_kind::not_positive_definite, 3));
  const matrix<T> unchanged = Y.to_host();
  EXPECT_TRUE(same_bits(unchanged.view(), before.view()));
  EXPECT_THROW(solve(f.L(), X), numerical_error);
  EXPECT_THROW(inverse(f, Y), numerical_error);

  const matrix<T> spd = random_spd<T>(random, n), oblong = random_matrix<T>(random, n, n + 1);
  device_matrix good(device(), spd.view());
  const auto g = lu(good);
  device_matrix<T, device_backend> tall(device(), n + 1, 2);
  EXPECT_THROW(solve(g.U(), tall), argument_error);
  EXPECT_THROW(solve(g.U(), good), argument_error);
  EXPECT_THROW(solve(g.U(), X, static_cast<operation>(7)), argument_error);
  EXPECT_THROW(inverse(g, X), argument_error);
  device_matrix wide(device(), oblong.view());
  const auto h = lu(wide);
  EXPECT_THROW(solve(h.U(), X), argument_error);
  EXPECT_THROW(inverse(h, Y), argument_error);
}

TYPED_TEST(DeviceSolve, WhatTheOthersThrowTryFormsReturn) {
  using T = TypeParam;
  random_source random(705);
  const index_t n = 5;
  const matrix<T> spd = random_spd<T>(random, n), B = random_matrix<T>(random, n, 2);
  matrix<T> indefinite(n, n);
  for (index_t k = 0; k < n; ++k) indefinite(k, k) = k == 3 ? T(-1) : T(1);
  device_matrix A(device(), spd.view()), C(device(), spd.view()), X(device(), B.view()),
      bad(device(), indefinite.view()), inverted(device(), spd.view());
  const auto f = try_cholesky(A);
  const auto g = try_lu(C);
  ASSERT_TRUE(f && g);
  EXPECT_TRUE(try_solve(f, X));
  EXPECT_TRUE(within(solve_ratio<T>(spd, X.to_host(), B)));
  X.assign(B);
  EXPECT_TRUE(try_solve(g, X, operation::transpose));
  EXPECT_TRUE(within(solve_ratio<T>(applied<T>(operation::transpose, spd.view()), X.to_host(), B)));
  X.assign(B);
  EXPECT_TRUE(try_solve(f.L(), X) && try_solve(f.L(), X, operation::adjoint));
  EXPECT_TRUE(within(solve_ratio<T>(spd, X.to_host(), B)));
  EXPECT_TRUE(try_inverse(g, inverted));
  EXPECT_TRUE(within(inverse_ratio<T>(spd, inverted.to_host())));

  const status failure = status::at(status_kind::not_positive_definite, 3);
  const auto h = try_cholesky(bad);
  EXPECT_EQ(h.status(), failure);
  EXPECT_EQ(try_solve(h, X), failure);
  EXPECT_EQ(try_solve(h.L(), X), failure);
  EXPECT_EQ(try_inverse(h, inverted), failure);
  EXPECT_STREQ(try_solve(g, X, static_cast<operation>(7)).argument(), "op");
  EXPECT_STREQ(try_inverse(g, X).argument(), "X");

  // Nothing is enqueued: the factor has the status, and so have calls that use it.
  const auto oblong = try_cholesky(X);
  EXPECT_STREQ(oblong.status().argument(), "A");
  EXPECT_THROW(static_cast<void>(oblong.or_throw()), argument_error);
  EXPECT_STREQ(try_solve(oblong, X).argument(), "A");
  EXPECT_STREQ(try_inverse(oblong, A).argument(), "A");
  const auto options = try_lu(C, {.block = -1});
  EXPECT_STREQ(options.status().argument(), "options.block");
  EXPECT_EQ(options.interchanges().size(), 0);
  EXPECT_STREQ(try_solve(options.U(), X).argument(), "options.block");
  EXPECT_STREQ(try_solve(options, X).argument(), "options.block");
}

}  // namespace
}  // namespace trifac::test
