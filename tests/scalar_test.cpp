// Scalar types other than LAPACK's four: long double, complex of it, and a type with nothing but
// the operations that the concept asks for.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <stdexcept>
#include <vector>

#include "support/scalar_suite.hpp"
#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/nests.hpp"
#include "trifac/solve.hpp"
#include "trifac/varied_batch.hpp"

namespace trifac::test {
namespace {

#if TRIFAC_TEST_TWO_SCALARS  // a real one is in multiprecision_test
using long_doubles = testing::Types<std::complex<long double>>;
#else
using long_doubles = testing::Types<long double, std::complex<long double>>;
#endif
INSTANTIATE_TYPED_TEST_SUITE_P(Plain, OtherScalars, long_doubles, scalar_names);

/// A number with nothing but + − × ÷, sqrt and abs, whose division and abs throw on request. What
/// the concept asks for and no factorization here calls is maybe_unused.
struct minimal {
  double value = 0;
  minimal() = default;
  explicit minimal(double x) : value(x) {}
  [[maybe_unused]] friend minimal operator+(minimal a, minimal b) {
    return minimal(a.value + b.value);
  }
  friend minimal operator-(minimal a, minimal b) { return minimal(a.value - b.value); }
  friend minimal operator*(minimal a, minimal b) { return minimal(a.value * b.value); }
  friend minimal operator/(minimal a, minimal b) {
    if (divisions_left-- == 0) throw std::runtime_error("no more divisions");
    return minimal(a.value / b.value);
  }
  [[maybe_unused]] friend minimal operator-(minimal a) { return minimal(-a.value); }
  friend bool operator==(minimal a, minimal b) { return a.value == b.value; }
  friend auto operator<=>(minimal a, minimal b) { return a.value <=> b.value; }
  friend minimal sqrt(minimal a) { return minimal(std::sqrt(a.value)); }
  friend minimal abs(minimal a) {
    if (absolutes_left-- == 0) throw std::runtime_error("no more absolute values");
    return minimal(std::abs(a.value));
  }
  static inline int divisions_left = -1, absolutes_left = -1;
};

// Types with quotients are scalars, integers and what is made of them are none.
static_assert(Scalar<float> && Scalar<long double> && Scalar<std::complex<long double>>);
static_assert(Scalar<minimal>);
static_assert(!Scalar<int> && !Scalar<unsigned char> && !Scalar<index_t> && !Scalar<bool>);
static_assert(!Scalar<std::complex<int>> && !Scalar<const double> && !Scalar<double*>);
static_assert(!Scalar<triangle>);

TEST(MinimalScalar, NeedsNothingButTheConceptsOperations) {
  matrix<minimal> A(3, 3), C(3, 3), b(3, 1);
  for (index_t j = 0; j < 3; ++j)
    for (index_t i = 0; i < 3; ++i)
      A(i, j) = C(i, j) = minimal(static_cast<double>(std::min(i, j) + 1));
  for (index_t i = 0; i < 3; ++i)
    b(i, 0) = minimal(static_cast<double>(i + 1));  // the first column
  auto x = b, y = b;
  const auto f = cholesky(A);
  const auto g = lu(C, {.pivoting = pivoting::tournament, .block = 1, .leaves = 2});
  ASSERT_TRUE(f && g);
  solve(f, x);
  solve(g, y);
  for (index_t i = 0; i < 3; ++i) {
    EXPECT_EQ(x(i, 0), minimal(i == 2 ? 1 : 0)) << i;
    EXPECT_EQ(y(i, 0), minimal(i == 2 ? 1 : 0)) << i;
  }
}

TEST(MinimalScalar, AnExceptionWhileNormsAreMeasuredBecomesAStatus) {
  matrix<minimal> A(2, 2), L(2, 2);
  A(0, 0) = A(1, 1) = minimal(4);
  for (const int left : {0, 1}) {
    minimal::absolutes_left = left;
    EXPECT_EQ(try_cholesky(A, {.norm = true}).status().kind(), status_kind::backend_failure);
    minimal::absolutes_left = left;
    EXPECT_EQ(try_cholesky(A, L, {.norm = true}).status().kind(), status_kind::backend_failure);
    minimal::absolutes_left = left;
    EXPECT_EQ(try_lu(A, {.norm = true}).status().kind(), status_kind::backend_failure);
  }
  minimal::absolutes_left = -1;
  EXPECT_EQ(A(0, 0), minimal(4));
}

TEST(MinimalScalar, AnExceptionOfTheTypeBecomesAStatus) {
  for (int after : {0, 1, 3}) {
    matrix<minimal> A(4, 4);
    for (index_t j = 0; j < 4; ++j)
      for (index_t i = 0; i < 4; ++i) A(i, j) = minimal(static_cast<double>(std::min(i, j) + 1));
    matrix<minimal> C = A;
    minimal::divisions_left = after;
    EXPECT_EQ(try_cholesky(A).status().kind(), status_kind::backend_failure);
    minimal::divisions_left = after;
    EXPECT_EQ(try_lu(C).status().kind(), status_kind::backend_failure);
    minimal::divisions_left = -1;
  }
}

TEST(MinimalScalar, AnExceptionInABatchBecomesAStatus) {
  const std::vector<index_t> orders = {2, 3};
  batch<minimal> ones(2, 3, 3), b(2, 3, 1);
  std::vector<minimal> memory(18), sides(6);
  const std::vector<minimal*> in_A = {memory.data(), memory.data() + 9};
  const std::vector<minimal*> in_B = {sides.data(), sides.data() + 3};
  for (std::size_t k = 0; k < 2; ++k)
    for (index_t i = 0; i < 3; ++i) {
      ones(static_cast<index_t>(k), i, i) = minimal(1);
      if (i < orders[k]) in_A[k][i * (orders[k] + 1)] = minimal(1);
    }
  const auto thrown = [](auto call) {
    minimal::divisions_left = 0;
    const status_kind kind = call();
    minimal::divisions_left = -1;
    return kind;
  };
  const auto expected = status_kind::backend_failure;
  batch<minimal> L = ones, LU = ones;
  EXPECT_EQ(thrown([&] { return try_cholesky(L).status().kind(); }), expected);
  EXPECT_EQ(thrown([&] { return try_lu(LU).status().kind(); }), expected);
  EXPECT_EQ(thrown([&] { return try_cholesky(varied(in_A, orders)).status().kind(); }), expected);
  const auto f = try_cholesky(ones);
  const auto g = try_cholesky(varied(in_A, orders));
  ASSERT_TRUE(f && g);
  EXPECT_EQ(thrown([&] { return try_solve(f, b).kind(); }), expected);
  EXPECT_EQ(thrown([&] { return try_solve(g, varied(in_B, orders, 1)).kind(); }), expected);
}

TEST(OtherScalars, BatchesOfDifferentSizesWithJitter) {
  using T = std::complex<long double>;
  const std::vector<index_t> orders = {2, 0, 3, 2};
  std::vector<T> A(4 * 9), X(4 * 3, T(1));
  std::vector<T*> in_A, in_X;
  for (std::size_t b = 0; b < 4; ++b) {
    in_A.push_back(A.data() + 9 * b);
    in_X.push_back(X.data() + 3 * b);
    for (index_t i = 0; i < orders[b]; ++i)
      in_A[b][i * (orders[b] + 1)] = b == 3 && i == 1 ? T(-1) : T(1);
  }
  const auto f = try_cholesky(varied(in_A, orders), {.jitter = {.first = 0.5}});
  ASSERT_TRUE(f) << f.status().message();
  EXPECT_EQ(f.shift(0), 0);
  EXPECT_EQ(f.shift(3), 5);  // 0.5 leaves −0.5
  EXPECT_TRUE(try_solve(f, varied(in_X, orders, 1)));
  EXPECT_EQ(in_X[2][2], T(1));
  EXPECT_EQ(in_X[3][2], T(1));  // beyond the solution
  EXPECT_LE(std::abs(in_X[3][1] - T(0.25L)), 1e-18L);
  EXPECT_TRUE(try_lu(varied(in_A, orders)));
}

}  // namespace
}  // namespace trifac::test
