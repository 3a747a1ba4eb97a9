// cholesky_solve() and lu_solve(): the status and the bits of the two calls, on every backend;
// wrong arguments are found before anything is written.

#include "trifac/factor_solve.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "backends.hpp"
#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "support/residual.hpp"
#include "support/scalars.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

template <class T>
class FactorSolve : public testing::Test {};
TYPED_TEST_SUITE(FactorSolve, lapack_scalars, scalar_names);

/// One call in X and Y, two calls in F and S: the same status and, of our own nests, the same bits.
/// Y is unchanged where A is bad.
template <class T, class Bk, class One, class Factor>
void expect_the_two_calls(const Bk& backend, matrix_view<const T> A, matrix_view<const T> B,
                          layout where, One one, Factor factor) {
  placed_matrix<T> X(A, where), Y(B, where), F(A, where), S(B, where);
  const status s = one(X.view(), Y.view());
  const auto f = factor(F.view());
  EXPECT_EQ(s, f.status()) << s.message() << ", " << f.status().message();
  EXPECT_TRUE(X.guards_untouched() && Y.guards_untouched());
  if (!f) {
    EXPECT_TRUE(Y.untouched());
    return;
  }
  ASSERT_TRUE(try_solve(backend, f, S.view()));
  EXPECT_TRUE(!PackingBackend<Bk> ||
              (same_bits(X.view(), F.view()) && same_bits(Y.view(), S.view())));
  EXPECT_TRUE(within(solve_ratio<T>(A, Y.view(), B)));
}

template <class T, class B>
void compare_calls(const B& backend, const matrix<T>& S, const matrix<T>& A, const matrix<T>& R) {
  for (const layout where : {layout::padded, layout::row_major_padded, layout::strided}) {
    SCOPED_TRACE(testing::Message()
                 << "n = " << A.rows() << ", r = " << R.cols() << ", " << to_string(where));
    for (const triangle part : {triangle::lower, triangle::upper})
      expect_the_two_calls<T>(
          backend, S.view(), R.view(), where,
          [&](auto X, auto Y) { return try_cholesky_solve(backend, X, Y, {.part = part}); },
          [&](auto X) { return try_cholesky(backend, X, {.part = part}); });
    pivots p, q;
    expect_the_two_calls<T>(
        backend, A.view(), R.view(), where,
        [&](auto X, auto Y) { return try_lu_solve(backend, X, p, Y); },
        [&](auto X) { return try_lu(backend, X, q); });
    EXPECT_EQ(p, q);
  }
}

TYPED_TEST(FactorSolve, IsTheTwoCallsOnEveryBackend) {
  using T = TypeParam;
  random_source random(1801);
  for (const index_t n : {1, 2, 5, 8, 9, 17, 64, 65, 150})
    for (const index_t r : {0, 1, 7}) {
      const matrix<T> S = random_spd<T>(random, n), A = random_matrix<T>(random, n, n),
                      R = random_matrix<T>(random, n, r);
      for_each_backend([&](const auto& backend, const std::string& name) {
        SCOPED_TRACE(name);
        compare_calls(backend, S, A, R);
      });
    }
}

TYPED_TEST(FactorSolve, ABadMatrixLeavesTheRightHandSides) {
  using T = TypeParam;
  using limits = std::numeric_limits<real_t<T>>;
  random_source random(1802);
  for (const index_t n : {3, 12, 70})
    for (const real_t<T> x : {limits::quiet_NaN(), limits::infinity(), real_t<T>(-1)}) {
      matrix<T> S = random_spd<T>(random, n), A = random_matrix<T>(random, n, n);
      const matrix<T> R = random_matrix<T>(random, n, 2);
      S(n / 2, n / 2) = T(x);
      if (x < 0)  // singular
        for (index_t i = 0; i < n; ++i) A(i, n / 2) = T(0);
      else
        A(n / 2, n / 3) = T(x);
      compare_calls(backend::serial{}, S, A, R);
    }
}

TYPED_TEST(FactorSolve, VariantsAndOptionsAreThoseOfTheFactorizations) {
  using T = TypeParam;
  random_source random(1803);
  const matrix<T> S = random_spd<T>(random, 40), R = random_matrix<T>(random, 40, 2);
  matrix<T> A = S, X = R;
  ASSERT_TRUE(try_cholesky_solve<variant::left_looking>(A, X, {.block = 16}));
  EXPECT_TRUE(within(solve_ratio<T>(S.view(), X.view(), R.view())));
  A = S;
  X = R;
  ASSERT_TRUE(try_lu_solve(A, X, {.pivoting = pivoting::tournament}));
  EXPECT_TRUE(within(solve_ratio<T>(S.view(), X.view(), R.view())));
  A = S;
  std::vector<T> b(40, T(1));
  cholesky_solve(A, b);
  A = S;
  std::vector<T> c(40, T(1));
  lu_solve(A, c);
  for (std::size_t i = 0; i < 40; ++i)
    EXPECT_TRUE(detail::absolute(T(b[i] - c[i])) <
                1000 * std::numeric_limits<real_t<T>>::epsilon());
}

TEST(FactorSolveArguments, AreFoundBeforeAnythingIsWritten) {
  matrix<double> A(3, 3), B(3, 2), low(2, 2), wide(2, 3);
  for (index_t k = 0; k < 3; ++k) A(k, k) = 2;
  const matrix<double> before = A;
  pivots p(1);
  EXPECT_EQ(try_cholesky_solve(A, low).argument(), std::string_view("B"));
  EXPECT_EQ(try_lu_solve(A, p, low).argument(), std::string_view("B"));
  EXPECT_EQ(try_lu_solve(A, p, A.view().col(1)).argument(), std::string_view("B"));
  EXPECT_EQ(try_cholesky_solve(A, A.view().col(0)).argument(), std::string_view("B"));
  EXPECT_EQ(try_cholesky_solve(A, matrix_view<double>(nullptr, 3, 1, 3)).argument(),
            std::string_view("B"));
  EXPECT_EQ(try_cholesky_solve(wide, low).argument(), std::string_view("A"));
  EXPECT_EQ(try_lu_solve(wide, low).argument(), std::string_view("A"));
  EXPECT_EQ(try_cholesky_solve(A, B, {.block = -1}).argument(), std::string_view("options.block"));
  EXPECT_EQ(try_cholesky_solve(A, B, {.part = static_cast<triangle>(7)}).argument(),
            std::string_view("options.part"));
  EXPECT_EQ(try_lu_solve(A, p, B, {.arity = 1}).argument(), std::string_view("options.arity"));
  EXPECT_TRUE(same_bits(A.view(), before.view()));
  EXPECT_EQ(p.size(), 1);
  EXPECT_THROW(lu_solve(A, low), argument_error);
  A(1, 1) = -1;
  EXPECT_THROW(cholesky_solve(A, B), numerical_error);
}

// Orders that are known at compile time, also in constant expressions.
template <class T>
constexpr bool solves() {
  const matrix<T, 3> S({{4, 1, 0}, {1, 3, 2}, {0, 2, 5}});
  matrix<T, 3> A = S, C = S;
  std::array<T, 3> x = {5, 6, 7};
  matrix<T, 3, 1> y({5, 6, 7});
  pivots p;
  if (!try_cholesky_solve(A, x, {.part = triangle::upper}) || !try_lu_solve(C, p, y)) return false;
  for (index_t i = 0; i < 3; ++i)
    for (const T solution : {x[detail::as_size(i)], y(i, 0)})
      if (!(solution - 1 < T(1e-6) && 1 - solution < T(1e-6))) return false;
  matrix<T, 3> bad = S;
  bad(2, 2) = 0;
  return try_cholesky_solve(bad, y) == status::at(status_kind::not_positive_definite, 2);
}
static_assert(solves<double>() && solves<float>());

TEST(FactorSolveOfKnownOrder, HasTheStatusOfTheTwoCalls) {
  EXPECT_TRUE(solves<double>() && solves<float>());
  random_source random(1804);
  const matrix<double> A = random_matrix<double>(random, 5, 5);
  matrix<double, 5> known;
  matrix<double, 5, 1> b({1, 2, 3, 4, 5});
  const matrix<double, 5, 1> B = b;
  blas::copy(matrix_view<const double>(A), matrix_view<double>(known));
  ASSERT_TRUE(try_lu_solve(known, b));
  EXPECT_TRUE(within(solve_ratio<double>(A.view(), b.view(), B.view())));
  known = {};
  EXPECT_EQ(try_lu_solve(known, b), status::at(status_kind::singular, 0));
}

}  // namespace
}  // namespace trifac::test
