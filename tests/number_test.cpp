// Numbers of users, and those that only the compiler's library has, through every public call: a
// number with its derivative, one that counts its operations, long double.

#include <gtest/gtest.h>

#include <complex>

#include "support/every_call_suite.hpp"
#if TRIFAC_USE_KERNELS
  #include "support/scalar_suite.hpp"
#endif

namespace trifac::test {
namespace {

struct number_names {
  template <class T>
  static std::string GetName(int index) {
    if (std::is_same_v<T, dual>) return "dual";
    if (std::is_same_v<T, counted>) return "counted";
    return scalar_names::GetName<T>(index);
  }
};

// With the compiled library and without it, in the quick tier half of the types each.
#if !TRIFAC_TEST_TWO_SCALARS
using numbers = testing::Types<dual, counted, long double, std::complex<long double>>;
#elif TRIFAC_USE_KERNELS
using numbers = testing::Types<dual, std::complex<long double>>;
#else
using numbers = testing::Types<counted, long double>;
#endif
INSTANTIATE_TYPED_TEST_SUITE_P(Of, EveryCall, numbers, number_names);

#if TRIFAC_USE_KERNELS  // scalar_test has the others
using classes = testing::Types<dual, counted>;
INSTANTIATE_TYPED_TEST_SUITE_P(Of, OtherScalars, classes, number_names);
#endif

/// A(t) = A + t·S at t = 0.
matrix<dual> along(const matrix<double>& A, const matrix<double>& S) {
  matrix<dual> D(A.rows(), A.cols());
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) D(i, j) = dual(A(i, j), S(i, j));
  return D;
}
matrix<double> slopes(matrix_view<const dual> X) {
  matrix<double> S(X.rows(), X.cols());
  for (index_t j = 0; j < X.cols(); ++j)
    for (index_t i = 0; i < X.rows(); ++i) S(i, j) = X(i, j).slope;
  return S;
}

// Loops that skip zeros would lose the derivatives of a sparse matrix.
TEST(DualNumbers, CarryTheDerivativeOfTheSolution) {
  random_source random(1903);
  const index_t n = 40;
  matrix<double> sparse(n, n);
  for (index_t k = 0; k < n; ++k) sparse(k, k) = 2.0 * static_cast<double>(n);
  const matrix<double> full = random_spd<double>(random, n), S = random_spd<double>(random, n),
                       b = random_matrix<double>(random, n, 2);
  for (const matrix<double>& A : {full, sparse}) {
    matrix<dual> L = along(A, S), LU = L, X = along(b, matrix<double>(n, 2)), Y = X;
    const auto f = cholesky(L);
    const auto g = lu(LU);
    ASSERT_TRUE(f && g);
    solve(f, X);
    solve(g, Y);
    for (const matrix<dual>& solution : {X, Y}) {  // A·x' = −A'·x
      const matrix<double> x = widened<const dual>(solution.view());
      matrix<double> right = product<double>(S, x);
      for (index_t j = 0; j < 2; ++j)
        for (index_t i = 0; i < n; ++i) right(i, j) = -right(i, j);
      EXPECT_TRUE(within(solve_ratio<double>(A, slopes(solution.view()), right)));
    }
    // (log det A)' = trace(A⁻¹·A')
    matrix<double> C = A;
    const matrix<double> P = solved(cholesky(C), S);
    double trace = 0;
    for (index_t i = 0; i < n; ++i) trace += P(i, i);
    EXPECT_NEAR(log_determinant(f).log_abs.slope, trace, 1e-12 * trace);
    EXPECT_NEAR(log_determinant(g).log_abs.slope, trace, 1e-12 * trace);
  }
}

// The determinant overflows, its logarithm does not.
TEST(DualNumbers, LogarithmsOfLargeDeterminants) {
  const index_t n = 400;
  matrix<dual> A(n, n);
  for (index_t k = 0; k < n; ++k) A(k, k) = dual(1e3, 1);
  const auto f = lu(A);
  dual value;
  EXPECT_EQ(try_determinant(f, value).kind(), status_kind::not_finite);
  EXPECT_NEAR(log_determinant(f).log_abs.value, 400 * std::log(1e3), 1e-9);
  EXPECT_NEAR(log_determinant(f).log_abs.slope, 0.4, 1e-12);
}

TEST(CountedNumbers, CountTheOperationsOfTheTextbook) {
  random_source random(1904);
  const index_t n = 30;
  matrix<counted> A = random_spd<counted>(random, n), C = A;
  counted::reset();
  ASSERT_TRUE(cholesky<variant::banachiewicz>(A));
  EXPECT_EQ(counted::roots, n);
  EXPECT_EQ(counted::products, (n * n * n - n) / 6);
  EXPECT_EQ(counted::sums, counted::products + n);  // x − x tells whether a pivot is finite
  counted::reset();
  ASSERT_TRUE(lu<variant::unblocked>(C, {.pivoting = pivoting::none}));
  EXPECT_EQ(counted::roots, 0);
  EXPECT_EQ(counted::products, (n - 1) * n * (2 * n - 1) / 6);
}

}  // namespace
}  // namespace trifac::test
