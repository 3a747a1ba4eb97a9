#pragma once
// How good a factorization or a solution is: the ratios of LAPACK's test programs and of HPL, which
// are a few units for a good result whatever the matrix and its size.

#include <algorithm>
#include <limits>
#include <vector>

#include "trifac/backend/openmp.hpp"
#include "trifac/cholesky/factor.hpp"
#include "trifac/lu/factor.hpp"
#include "trifac/pivots.hpp"
#include "trifac/refine.hpp"

namespace program {

using trifac::index_t;
using trifac::matrix;
using trifac::matrix_view;
using trifac::operand;

/// Results are good below this bound, LAPACK's. NaN is not below it.
inline constexpr double good_ratio = 30;

/// Columns of a product that are formed at once.
inline constexpr index_t product_block = 256;

/// Largest column sum of absolute values; NaN where the matrix has one.
template <class T>
double norm_1(matrix_view<T> A) {
  double largest = 0;
  for (index_t j = 0; j < A.cols(); ++j) {
    double sum = 0;
    for (index_t i = 0; i < A.rows(); ++i) sum += trifac::detail::absolute(A(i, j));
    if (!(sum <= largest)) largest = sum;
    if (sum != sum) return sum;
  }
  return largest;
}

/// The same of a Hermitian matrix, of which the lower triangle is read.
template <class T>
double norm_1_hermitian(matrix_view<T> A) {
  std::vector<double> sums(static_cast<std::size_t>(A.cols()), 0);
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = j; i < A.rows(); ++i) {
      const double size = trifac::detail::absolute(A(i, j));
      sums[j] += size;
      if (i != j) sums[i] += size;
    }
  return norm_1(matrix_view<const double>(sums.data(), 1, A.cols(), 1));
}

/// residual / (n · scale · ε) in an order that does not underflow.
template <class T>
double ratio(double residual, double scale, index_t n) {
  constexpr double eps = std::numeric_limits<trifac::real_t<T>>::epsilon() / 2;
  if (residual == 0) return 0;
  return residual / static_cast<double>(std::max<index_t>(n, 1)) / scale / eps;
}

/// C := C − A·B on all cores, by the kernels of trifac. The residuals of solutions below use none
/// of them.
template <class T>
void subtract_product(matrix_view<T> C, matrix_view<const T> A, matrix_view<const T> B) {
  const trifac::status outcome =
      trifac::detail::run_subtract_product(trifac::backend::openmp{}, operand<T>(A), B, C);
  if (!outcome) trifac::detail::throw_status(outcome);
}

template <class T>
void add(matrix_view<T> C, matrix_view<const T> A) {
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) C(i, j) += A(i, j);
}

/// ‖A − L·Lᴴ‖₁ / (n·‖A‖₁·ε). LAPACK: dpot01.
/// The product is formed first and A added to it afterwards: subtracting term by term from A would
/// repeat the steps of the factorization, rounding errors included, and flatter it.
template <class T>
double factor_ratio(matrix_view<const T> A, const trifac::cholesky_factor<T>& factor) {
  const index_t n = A.rows();
  const matrix<T> L = factor.L().dense();
  matrix<T> LH(n, n), R(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j; i < n; ++i) LH(j, i) = trifac::detail::conjugate(L(i, j));
  for (index_t j = 0; j < n; j += product_block) {
    const index_t b = std::min(product_block, n - j);
    subtract_product<T>(R.view().block(j, j, n - j, b), L.view().block(j, 0, n - j, j + b),
                        LH.view().block(0, j, j + b, b));
  }
  add(R.view(), A);
  return ratio<T>(norm_1_hermitian(R.view()), norm_1(A), n);
}

/// ‖P·A − L·U‖₁ / (n·‖A‖₁·ε) for an m × n matrix. LAPACK: dget01.
template <class T>
double factor_ratio(matrix_view<const T> A, const trifac::lu_factor<T>& factor) {
  const matrix<T> L = factor.L().dense(), U = factor.U().dense();
  matrix<T> R(A.rows(), A.cols()), PA(A);
  for (index_t j = 0; j < A.cols(); j += product_block) {
    const index_t b = std::min(product_block, A.cols() - j);
    const index_t k = std::min(j + b, L.cols());  // below row k these columns of U are zero
    subtract_product<T>(R.view().block(0, j, A.rows(), b), L.view().block(0, 0, A.rows(), k),
                        U.view().block(0, j, k, b));
  }
  trifac::apply_interchanges(factor.interchanges().span(), PA.view());
  add<T>(R.view(), PA.view());
  return ratio<T>(norm_1(R.view()), norm_1(A), A.cols());
}

/// The worst column of ‖b − A·x‖∞ / ((‖A‖∞·‖x‖∞ + ‖b‖∞)·n·ε). HPL's acceptance test.
template <class T>
double solve_ratio(matrix_view<const T> A, matrix_view<const T> X, matrix_view<const T> B) {
  matrix<T> R(B);
  const double norm_A = norm_1(A.transposed());
  double worst = 0;
  for (index_t c = 0; c < X.cols(); ++c) {
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i)
        R(i, c) = trifac::detail::subtract_product(R(i, c), A(i, j), X(j, c));
    const auto size = [c](matrix_view<const T> M) { return norm_1(M.col(c).transposed()); };
    const double of_column = ratio<T>(size(R.view()), norm_A * size(X) + size(B), A.rows());
    if (of_column > worst || of_column != of_column) worst = of_column;  // NaN stays
  }
  return worst;
}

}  // namespace program
