#pragma once
// How good a factorization or a solution is: the ratios of LAPACK's test programs and of HPL,
// computed from the stored factors themselves, in plain loops and in more precision than the result
// where the machine has it.

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <span>

#include "matrices.hpp"
#include "trifac/pivots.hpp"

namespace trifac::test {

/// LAPACK accepts its ratios below this.
inline constexpr double lapack_threshold = 30;
/// HPL accepts its ratio below this.
inline constexpr double hpl_threshold = 16;

/// The type in which residuals are summed: double for float, T itself otherwise.
template <class T>
struct wide_type {
  using type = T;
};
template <>
struct wide_type<float> {
  using type = double;
};
template <>
struct wide_type<std::complex<float>> {
  using type = std::complex<double>;
};
template <class T>
using wide_t = typename wide_type<std::remove_const_t<T>>::type;

/// A ratio passes where it is below the bound; NaN does not (it would pass LAPACK's own `ratio ≥
/// bound` test).
template <class R>
testing::AssertionResult within(const R& ratio, double bound = lapack_threshold) {
  if (ratio < R(bound)) return testing::AssertionSuccess() << "ratio " << ratio;
  return testing::AssertionFailure() << "ratio " << ratio << " is not below " << bound;
}

/// The larger one, NaN where one of them is NaN: std::max(a, b) is a where b is NaN.
template <class R>
R maximum(const R& a, const R& b) {
  return a != a || b <= a ? a : b;
}

// ---- norms
// ---------------------------------------------------------------------------------------------

/// Largest column sum of absolute values. NaN in A gives NaN.
template <class T>
real_t<wide_t<T>> norm_1(matrix_view<T> A) {
  using R = real_t<wide_t<T>>;
  R largest(0);
  for (index_t j = 0; j < A.cols(); ++j) {
    R sum(0);
    for (index_t i = 0; i < A.rows(); ++i) sum += detail::absolute(wide_t<T>(A(i, j)));
    largest = maximum(largest, sum);
  }
  return largest;
}

#ifdef TRIFAC_TEST_INSTANCES  // instances.cpp
TRIFAC_TEST_INSTANCES double norm_1(matrix_view<double>);
TRIFAC_TEST_INSTANCES double norm_1(matrix_view<const double>);
TRIFAC_TEST_INSTANCES double norm_1(matrix_view<std::complex<double>>);
TRIFAC_TEST_INSTANCES double norm_1(matrix_view<const std::complex<double>>);
TRIFAC_TEST_INSTANCES double norm_1(matrix_view<const float>);
TRIFAC_TEST_INSTANCES double norm_1(matrix_view<const std::complex<float>>);
#endif

template <class T>
auto norm_inf(matrix_view<T> A) {
  return norm_1(A.transposed());
}

/// NaN in A gives NaN.
template <class T>
auto max_abs(matrix_view<T> A) {
  real_t<wide_t<T>> largest(0);
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i)
      largest = maximum(largest, detail::absolute(wide_t<T>(A(i, j))));
  return largest;
}

/// A copy in more precision.
template <class T>
matrix<wide_t<T>> widened(matrix_view<T> A) {
  matrix<wide_t<T>> W(A.rows(), A.cols());
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) W(i, j) = wide_t<T>(A(i, j));
  return W;
}

template <class T>
matrix<T> copy_of(matrix_view<T> A) {
  return matrix<T>(matrix_view<const T>(A));
}

/// norm(residual) / (scale · ε · n), in LAPACK's order of operations, which does not underflow for
/// tiny matrices. A zero residual is good for any scale; a residual against a scale of zero is 1/ε.
template <class T, class R>
R ratio_of(const R& residual, const R& scale, index_t n) {
  const R eps = static_cast<R>(unit_roundoff<T>);
  if (residual == R(0)) return R(0);
  if (scale == R(0)) return R(1) / eps;
  return residual / static_cast<R>(std::max<index_t>(n, 1)) / scale / eps;
}

/// residual / size, where no residual is good for any size.
template <class R>
R relative(const R& residual, const R& size) {
  return residual == R(0) ? residual : residual / size;
}

// ---- factorizations
// ---------------------------------------------------------------------------------------------

/// C −= A·B, plain loops.
template <class T>
void subtract_product(matrix<T>& C, const matrix<T>& A, const matrix<T>& B) {
  for (index_t j = 0; j < C.cols(); ++j)
    for (index_t k = 0; k < A.cols(); ++k)
      if (const T b = B(k, j); b != T(0))
        for (index_t i = 0; i < C.rows(); ++i)
          C(i, j) = detail::subtract_product(C(i, j), A(i, k), b);
}
#ifdef TRIFAC_TEST_INSTANCES  // instances.cpp
TRIFAC_TEST_INSTANCES void subtract_product(matrix<double>&, const matrix<double>&,
                                            const matrix<double>&);
TRIFAC_TEST_INSTANCES void subtract_product(matrix<std::complex<double>>&,
                                            const matrix<std::complex<double>>&,
                                            const matrix<std::complex<double>>&);
#endif

/// The unit lower trapezoid, m × min(m, n), of a stored LU factorization.
template <class T>
matrix<wide_t<T>> unit_lower(matrix_view<T> LU) {
  const index_t k = std::min(LU.rows(), LU.cols());
  matrix<wide_t<T>> L(LU.rows(), k);
  for (index_t j = 0; j < k; ++j) {
    L(j, j) = wide_t<T>(1);
    for (index_t i = j + 1; i < LU.rows(); ++i) L(i, j) = wide_t<T>(LU(i, j));
  }
  return L;
}

/// The upper trapezoid, min(m, n) × n, of a stored LU factorization.
template <class T>
matrix<wide_t<T>> upper(matrix_view<T> LU) {
  matrix<wide_t<T>> U(std::min(LU.rows(), LU.cols()), LU.cols());
  for (index_t j = 0; j < U.cols(); ++j)
    for (index_t i = 0; i <= std::min(j, U.rows() - 1); ++i) U(i, j) = wide_t<T>(LU(i, j));
  return U;
}

/// ratio, or NaN where the stored factors are not finite: where a row of U is zero, L·U does not
/// show its column of L.
template <class T, class R>
R if_finite(matrix_view<const T> LU, const R& ratio) {
  for (index_t j = 0; j < LU.cols(); ++j)
    for (index_t i = 0; i < LU.rows(); ++i)
      if (!detail::is_finite(LU(i, j))) return std::numeric_limits<R>::quiet_NaN();
  return ratio;
}

/// ‖P·A − L·U‖₁ / (n · ‖A‖₁ · ε) for the m × n matrix A and its factorization as stored. LAPACK:
/// dget01.
template <class T>
auto lu_ratio(matrix_view<const T> A, matrix_view<const T> LU,
              std::span<const index_t> interchanges) {
  auto residual = widened(A);
  trifac::apply_interchanges(interchanges, residual.view());
  subtract_product(residual, unit_lower(LU), upper(LU));
  return if_finite<T>(LU, ratio_of<T>(norm_1(residual.view()), norm_1(A), A.cols()));
}

/// The same residual measured against ‖ |L|·|U| ‖₁, which bounds it whatever the growth: Higham,
/// theorem 9.3.
template <class T>
auto lu_growth_free_ratio(matrix_view<const T> A, matrix_view<const T> LU,
                          std::span<const index_t> interchanges) {
  auto residual = widened(A);
  trifac::apply_interchanges(interchanges, residual.view());
  auto L = unit_lower(LU), U = upper(LU);
  subtract_product(residual, L, U);
  for (auto* factor : {&L, &U})
    for (index_t j = 0; j < factor->cols(); ++j)
      for (index_t i = 0; i < factor->rows(); ++i)
        (*factor)(i, j) = wide_t<T>(detail::absolute((*factor)(i, j)));
  matrix<wide_t<T>> bound(A.rows(), A.cols());
  subtract_product(bound, L, U);
  return if_finite<T>(LU, ratio_of<T>(norm_1(residual.view()), norm_1(bound.view()), A.cols()));
}

/// The lower triangular factor, whichever triangle it is stored in (A = L·Lᴴ, or A = Uᴴ·U with L =
/// Uᴴ).
template <class T>
matrix<wide_t<T>> cholesky_factor_of(triangle part, matrix_view<T> stored) {
  matrix<wide_t<T>> L(stored.rows(), stored.cols());
  for (index_t j = 0; j < L.cols(); ++j)
    for (index_t i = j; i < L.rows(); ++i)
      L(i, j) = part == triangle::lower ? wide_t<T>(stored(i, j))
                                        : detail::conjugate(wide_t<T>(stored(j, i)));
  return L;
}

/// ‖A − L·Lᴴ‖₁ / (n · ‖A‖₁ · ε) for the full Hermitian matrix A and the triangle that holds the
/// factor. LAPACK: dpot01.
template <class T>
auto cholesky_ratio(matrix_view<const T> A, triangle part, matrix_view<const T> stored) {
  auto residual = widened(A);
  const auto L = cholesky_factor_of(part, stored);
  auto adjoint_of_L = L;
  for (index_t j = 0; j < L.cols(); ++j)
    for (index_t i = 0; i < L.rows(); ++i) adjoint_of_L(j, i) = detail::conjugate(L(i, j));
  subtract_product(residual, L, adjoint_of_L);
  return ratio_of<T>(norm_1(residual.view()), norm_1(A), A.rows());
}

// ---- solutions
// ---------------------------------------------------------------------------------------------

/// op(A) as a matrix of its own.
template <class T>
matrix<T> applied(operation op, matrix_view<const T> A) {
  if (op == operation::none) return matrix<T>(A);
  matrix<T> result(A.transposed());
  if (op == operation::adjoint)
    for (index_t j = 0; j < result.cols(); ++j)
      for (index_t i = 0; i < result.rows(); ++i) result(i, j) = detail::conjugate(result(i, j));
  return result;
}

/// A·X.
template <class T>
matrix<T> product(matrix_view<const T> A, matrix_view<const T> X) {
  matrix<wide_t<T>> negative(A.rows(), X.cols());
  subtract_product(negative, widened(A), widened(X));
  matrix<T> result(A.rows(), X.cols());
  for (index_t j = 0; j < result.cols(); ++j)
    for (index_t i = 0; i < result.rows(); ++i) result(i, j) = -static_cast<T>(negative(i, j));
  return result;
}

/// max over the columns of ‖b − A·x‖₁ / (‖A‖₁ · ‖x‖₁ · ε). LAPACK: dget02, dpot02.
template <class T>
auto solve_ratio(matrix_view<const T> A, matrix_view<const T> X, matrix_view<const T> B) {
  auto residual = widened(B);
  subtract_product(residual, widened(A), widened(X));
  real_t<wide_t<T>> worst(0);
  for (index_t j = 0; j < B.cols(); ++j) {
    const auto ratio =
        ratio_of<T>(relative(norm_1(residual.view().col(j)), norm_1(X.col(j))), norm_1(A), 1);
    worst = maximum(worst, ratio);
  }
  return worst;
}

/// ‖I − A·X‖₁ / (n · ‖A‖₁ · ‖X‖₁ · ε) for X, a computed inverse of A. LAPACK: dget03, dpot03.
template <class T>
auto inverse_ratio(matrix_view<const T> A, matrix_view<const T> X) {
  matrix<wide_t<T>> residual(A.rows(), A.cols());
  for (index_t k = 0; k < A.rows(); ++k) residual(k, k) = wide_t<T>(1);
  subtract_product(residual, widened(A), widened(X));
  return ratio_of<T>(relative(norm_1(residual.view()), norm_1(X)), norm_1(A), A.rows());
}

/// max over the columns of ‖x − x*‖∞ / (‖x*‖∞ · κ · ε) for the true solutions x*. LAPACK: dget04.
template <class T, class R>
auto error_ratio(matrix_view<const T> X, matrix_view<const T> exact, const R& condition) {
  auto difference = widened(X);
  real_t<wide_t<T>> worst(0);
  for (index_t j = 0; j < X.cols(); ++j) {
    for (index_t i = 0; i < X.rows(); ++i) difference(i, j) -= wide_t<T>(exact(i, j));
    const auto ratio =
        ratio_of<T>(norm_inf(difference.view().col(j)), max_abs(exact.col(j)) * condition, 1);
    worst = maximum(worst, ratio);
  }
  return worst;
}

/// ‖A·x − b‖∞ / (ε · (‖A‖∞ · ‖x‖∞ + ‖b‖∞) · n) for one right-hand side: the acceptance test of HPL.
template <class T>
auto hpl_ratio(matrix_view<const T> A, matrix_view<const T> x, matrix_view<const T> b) {
  auto residual = widened(b);
  subtract_product(residual, widened(A), widened(x));
  return ratio_of<T>(norm_inf(residual.view()), norm_inf(A) * norm_inf(x) + norm_inf(b), A.rows());
}

}  // namespace trifac::test
