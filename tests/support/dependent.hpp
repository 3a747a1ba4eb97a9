#pragma once
// Matrices that are ill-conditioned by a few variables: ordinary in statistics, and hard for an
// estimate of the condition. Inverses and solutions of them in long double.

#include <cmath>
#include <complex>
#include <type_traits>
#include <utility>
#include <vector>

#include "matrices.hpp"

namespace trifac::test {

/// Which variables depend on which. Hermitian positive definite up to `two_factors`.
enum class dependence {
  point_twice,      ///< covariances of points in a plane, and a nugget
  column_twice,     ///< from here on XᴴX + λI with a random X, m×n: ridge regression
  column_negated,   ///< one column is −1 times another
  three_columns,    ///< that are equal
  mean_of_columns,  ///< at equal distances, as in an interpolation
  equal_blocks,
  two_factors,   ///< X: indicators of the levels of two factors; those of each factor sum to ones
  columns,       ///< from here on general: two nearly equal columns
  rows,          ///< two nearly equal rows
  columns_rows,  ///< both
  kahan,
  none  ///< random
};
inline constexpr dependence all_dependences[] = {
    dependence::point_twice,   dependence::column_twice,    dependence::column_negated,
    dependence::three_columns, dependence::mean_of_columns, dependence::equal_blocks,
    dependence::two_factors,   dependence::columns,         dependence::rows,
    dependence::columns_rows,  dependence::kahan,           dependence::none};
constexpr bool is_definite(dependence of) {
  return of <= dependence::two_factors;
}

/// XᴴX + λI.
template <class T>
matrix<T> normal_equations(const matrix<T>& X, double lambda) {
  matrix<T> A(X.cols(), X.cols());
  for (index_t j = 0; j < X.cols(); ++j)
    for (index_t i = 0; i < X.cols(); ++i) {
      T sum = number<T>(i == j ? lambda : 0);
      for (index_t k = 0; k < X.rows(); ++k)
        sum += detail::multiply(detail::conjugate(X(k, i)), X(k, j));
      A(i, j) = sum;
    }
  return A;
}

/// Covariances exp(−|p_i − p_j|) of random points, of which a and b are one, and a nugget.
template <class T>
matrix<T> covariances(random_source& random, index_t n, index_t a, index_t b, double nugget) {
  std::vector<std::complex<double>> points(static_cast<std::size_t>(n));
  for (auto& p : points) p = {20 * random.uniform(), 20 * random.uniform()};
  points[static_cast<std::size_t>(b)] = points[static_cast<std::size_t>(a)];
  matrix<T> A(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i)
      A(i, j) = number<T>(std::exp(-std::abs(points[static_cast<std::size_t>(i)] -
                                             points[static_cast<std::size_t>(j)])) +
                          (i == j ? nugget : 0));
  return A;
}

/// A matrix of random order, 9 … 32, and random dependent variables. `small`: λ, the nugget, or how
/// far rows and columns differ.
template <class T>
matrix<T> dependent_matrix(dependence of, random_source& random, double small) {
  const index_t n = 9 + random.below(24), half = n / 2, m = 2 * n;
  const index_t a = random.below(n), b = (a + 1 + random.below(n - 1)) % n;
  matrix<T> A = random_matrix<T>(random, n, n), X = random_matrix<T>(random, m, n);
  const auto set = [&](index_t column, auto element) {
    for (index_t i = 0; i < m; ++i) X(i, column) = element(i);
  };
  switch (of) {
    case dependence::point_twice:
      return covariances<T>(random, n, a, b, small);
    case dependence::three_columns:
      set((b + 1) % n == a ? (b + 2) % n : (b + 1) % n, [&](index_t i) { return X(i, a); });
      [[fallthrough]];
    case dependence::column_twice:
      set(b, [&](index_t i) { return X(i, a); });
      break;
    case dependence::column_negated:
      set(b, [&](index_t i) { return -X(i, a); });
      break;
    case dependence::mean_of_columns: {
      const index_t step = 1 + random.below((n - 1) / 2), k = random.below(n - 2 * step);
      set(k + step, [&](index_t i) { return (X(i, k) + X(i, k + 2 * step)) / T(2); });
      break;
    }
    case dependence::equal_blocks:
      for (index_t j = 0; j < half; ++j) set(half + j, [&](index_t i) { return X(i, j); });
      break;
    case dependence::two_factors:
      X = matrix<T>(m, n);
      for (index_t i = 0; i < m; ++i)
        X(i, random.below(half)) = X(i, half + random.below(n - half)) = T(1);
      break;
    case dependence::columns:
    case dependence::columns_rows:
      for (index_t i = 0; i < n; ++i) A(i, b) = A(i, a) + number<T>(small) * random.normal<T>();
      if (of == dependence::columns) return A;
      [[fallthrough]];
    case dependence::rows:
      for (index_t j = 0; j < n; ++j) A(b, j) = A(a, j) + number<T>(small) * random.normal<T>();
      return A;
    case dependence::kahan:
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < n; ++i)
          A(i, j) = number<T>(i > j ? 0 : std::pow(0.9, double(i)) * (i == j ? 1 : -0.436));
      return A;
    case dependence::none:
      return A;
  }
  return normal_equations(X, small);
}

template <class T>
using long_t = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;

/// A⁻¹·B by Gauss and Jordan in long double.
template <class T>
matrix<long_t<T>> long_solution(const matrix<T>& A, const matrix<T>& B) {
  const index_t n = A.rows(), all = n + B.cols();
  matrix<long_t<T>> M(n, all), X(n, B.cols());
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < all; ++j) M(i, j) = long_t<T>(j < n ? A(i, j) : B(i, j - n));
  for (index_t k = 0; k < n; ++k) {
    index_t pivot = k;
    for (index_t i = k; i < n; ++i)
      if (std::abs(M(i, k)) > std::abs(M(pivot, k))) pivot = i;
    for (index_t j = k; j < all; ++j) std::swap(M(pivot, j), M(k, j));
    for (index_t i = 0; i < n; ++i)
      if (i != k) {
        const long_t<T> l = M(i, k) / M(k, k);
        for (index_t j = k + 1; j < all; ++j)
          M(i, j) = detail::subtract_product(M(i, j), l, M(k, j));
      }
  }
  for (index_t k = 0; k < n; ++k)
    for (index_t j = 0; j < B.cols(); ++j) X(k, j) = M(k, n + j) / M(k, k);
  return X;
}

}  // namespace trifac::test
