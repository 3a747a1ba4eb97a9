#pragma once
// How good a factorization or a solution is: the ratios of LAPACK's test programs and of HPL, which
// are a few units for a good result whatever the matrix and its size.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "trifac/backend/openmp.hpp"
#include "trifac/engine/cholesky/factor.hpp"
#include "trifac/engine/lu/factor.hpp"
#include "trifac/engine/views/powers_of_two.hpp"
#include "trifac/pivots.hpp"
#include "trifac/refine.hpp"

namespace program {

using trifac::index_t;
using trifac::matrix;
using trifac::matrix_view;
using trifac::operand;
using trifac::detail::times_power_of_two;

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

/// The exponent of the power of two that is just above the largest part of an element; 0 where all
/// are below 1.
template <class T>
int exponent_of(matrix_view<const T> A) {
  double largest = 0;
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) {
      largest = std::max<double>(largest, std::abs(trifac::detail::real_part(A(i, j))));
      if constexpr (trifac::is_complex<T>)
        largest = std::max<double>(largest, std::abs(A(i, j).imag()));
    }
  int exponent = 0;
  static_cast<void>(std::frexp(largest, &exponent));
  return std::max(exponent, 0);
}

/// A · 2^power. Norms and residuals are formed of matrices whose elements are at most 1, so
/// that they do not overflow.
template <class T>
matrix<T> scaled(matrix_view<const T> A, int power) {
  matrix<T> S(A.rows(), A.cols());
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) S(i, j) = times_power_of_two(A(i, j), power);
  return S;
}

/// residual / (n · (scale · ε + η)). η is the smallest number: the rounding error where numbers
/// underflow.
template <class T>
double ratio(double residual, double scale, index_t n) {
  using limits = std::numeric_limits<trifac::real_t<T>>;
  constexpr double eps = limits::epsilon() / 2, smallest = limits::denorm_min();
  return residual / static_cast<double>(std::max<index_t>(n, 1)) / (scale * eps + smallest);
}

/// C := C − A·B on all cores, by the kernels of trifac. The residuals of solutions below use none
/// of them.
template <class T>
void subtract_product(matrix_view<T> C, matrix_view<const T> A, matrix_view<const T> B) {
  const trifac::backend::openmp on;
  const trifac::status outcome =
      trifac::calls<T>::subtract_product(team_for_call(on), operand<T>(A), B, C);
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
  const int half = (exponent_of(A) + 1) / 2;  // L has half of the exponent of A
  const matrix<T> L = scaled<T>(factor.L().dense(), -half);
  matrix<T> LH(n, n), R(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j; i < n; ++i) LH(j, i) = trifac::detail::conjugate(L(i, j));
  for (index_t j = 0; j < n; j += product_block) {
    const index_t b = std::min(product_block, n - j);
    subtract_product<T>(R.view().block(j, j, n - j, b), L.view().block(j, 0, n - j, j + b),
                        LH.view().block(0, j, j + b, b));
  }
  const matrix<T> scaled_A = scaled(A, -2 * half);
  add<T>(R.view(), scaled_A.view());
  return ratio<T>(norm_1_hermitian(R.view()), norm_1(scaled_A.view()), n);
}

/// ‖P·A − L·U‖₁ / (n·‖A‖₁·ε) for an m × n matrix. LAPACK: dget01.
template <class T>
double factor_ratio(matrix_view<const T> A, const trifac::lu_factor<T>& factor) {
  const int exponent = exponent_of(A);
  const matrix<T> L = factor.L().dense(), U = scaled<T>(factor.U().dense(), -exponent);
  matrix<T> R(A.rows(), A.cols()), PA = scaled(A, -exponent);
  for (index_t j = 0; j < A.cols(); j += product_block) {
    const index_t b = std::min(product_block, A.cols() - j);
    const index_t k = std::min(j + b, L.cols());  // below row k these columns of U are zero
    subtract_product<T>(R.view().block(0, j, A.rows(), b), L.view().block(0, 0, A.rows(), k),
                        U.view().block(0, j, k, b));
  }
  trifac::apply_interchanges(factor.interchanges().span(), PA.view());
  add<T>(R.view(), PA.view());
  return ratio<T>(norm_1(R.view()), norm_1(PA.view()), A.cols());
}

/// B = −A·X for random X, as LAPACK's test programs choose right-hand sides: the solution is of
/// ordinary size however large or small A is. No element of X is larger than 1/(2n), so that no sum
/// overflows.
template <class T, class Random>
matrix<T> right_hand_sides(matrix_view<const T> A, index_t count, Random& random) {
  const index_t n = A.rows();
  int power = 1;
  for (index_t k = 1; k < n; k *= 2) ++power;
  matrix<T> B(n, count);
  for (index_t c = 0; c < count; ++c)
    for (index_t j = 0; j < n; ++j) {
      const T x = times_power_of_two(random.template scalar<T>(), -power);
      for (index_t i = 0; i < n; ++i)
        B(i, c) = trifac::detail::subtract_product(B(i, c), A(i, j), x);
    }
  return B;
}

/// The worst column of ‖b − A·x‖∞ / ((‖A‖∞·‖x‖∞ + ‖b‖∞)·n·ε). HPL's acceptance test.
template <class T>
double solve_ratio(matrix_view<const T> A, matrix_view<const T> X, matrix_view<const T> B) {
  const int exponent = exponent_of(A);
  const matrix<T> scaled_A = scaled(A, -exponent), scaled_B = scaled(B, -exponent);
  matrix<T> R(scaled_B);
  const double norm_A = norm_1(scaled_A.view().transposed());
  double worst = 0;
  for (index_t c = 0; c < X.cols(); ++c) {
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i)
        R(i, c) = trifac::detail::subtract_product(R(i, c), scaled_A(i, j), X(j, c));
    const auto size = [c](matrix_view<const T> M) { return norm_1(M.col(c).transposed()); };
    const double of_column =
        ratio<T>(size(R.view()), norm_A * size(X) + size(scaled_B.view()), A.rows());
    if (of_column > worst || of_column != of_column) worst = of_column;  // NaN stays
  }
  return worst;
}

}  // namespace program
