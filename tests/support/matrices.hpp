#pragma once
// Random test matrices: with given singular values or eigenvalues, LAPACK's types DGE 1–11 and DPO
// 1–9, and the plain ones. Matrices given by a formula are in gallery.hpp.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "random.hpp"
#include "trifac/matrix.hpp"

namespace trifac::test {

/// LAPACK's relative machine precision, DLAMCH('Epsilon'): 2⁻⁵³ for double.
template <class T>
inline const real_t<T> unit_roundoff = std::numeric_limits<real_t<T>>::epsilon() / real_t<T>(2);

/// The constants of LAPACK's dlatb4: two bad condition numbers, a tiny norm and a huge one.
template <class T>
struct lapack_constants {
  using R = real_t<T>;
  const R precision = std::numeric_limits<R>::epsilon();
  const R very_bad_condition = R(1) / (R(10) * precision);
  const R bad_condition = detail::square_root(very_bad_condition);
  const R tiny_norm = std::numeric_limits<R>::min() / precision / R(4);
  const R huge_norm = R(1) / tiny_norm;
};

/// m × n elements, uniform in (−1, 1), for complex types in both parts.
template <class T>
matrix<T> random_matrix(random_source& random, index_t m, index_t n) {
  matrix<T> A(m, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) A(i, j) = random.uniform<T>();
  return A;
}

/// A random matrix whose columns are strictly diagonally dominant: LU of it needs no pivoting.
template <class T>
matrix<T> dominant_matrix(random_source& random, index_t m, index_t n) {
  matrix<T> A = random_matrix<T>(random, m, n);
  for (index_t k = 0; k < std::min(m, n); ++k)
    A(k, k) = A(k, k) + number<T>(2.0 * static_cast<double>(std::max(m, n)));
  return A;
}

/// Makes A exactly Hermitian: the upper triangle from the lower one, the diagonal real.
template <class T>
void mirror_lower(matrix<T>& A) {
  for (index_t j = 0; j < A.cols(); ++j) {
    A(j, j) = T(detail::real_part(A(j, j)));
    for (index_t i = j + 1; i < A.rows(); ++i) A(j, i) = detail::conjugate(A(i, j));
  }
}

/// A random Hermitian matrix with off-diagonal elements from the unit square and a dominant
/// diagonal.
template <class T>
matrix<T> random_spd(random_source& random, index_t n) {
  matrix<T> A = random_matrix<T>(random, n, n);
  for (index_t k = 0; k < n; ++k)
    A(k, k) = number<T>(2.0 * static_cast<double>(n) + random.uniform());
  mirror_lower(A);
  return A;
}

/// A := (I − 2·v·vᴴ / vᴴv)·A for a vector v ≠ 0.
template <class T>
void reflect(const std::vector<T>& v, matrix_view<T> A) {
  real_t<T> squares(0);
  for (const T& x : v) squares += detail::squared_abs(x);
  for (index_t j = 0; j < A.cols(); ++j) {
    T sum(0);
    for (index_t i = 0; i < A.rows(); ++i)
      sum += detail::conjugate(v[static_cast<std::size_t>(i)]) * A(i, j);
    const T factor = sum * T(real_t<T>(2) / squares);
    for (index_t i = 0; i < A.rows(); ++i) A(i, j) -= v[static_cast<std::size_t>(i)] * factor;
  }
}

#ifdef TRIFAC_TEST_INSTANCES  // instances.cpp
TRIFAC_TEST_INSTANCES void reflect(const std::vector<float>&, matrix_view<float>);
TRIFAC_TEST_INSTANCES void reflect(const std::vector<double>&, matrix_view<double>);
TRIFAC_TEST_INSTANCES void reflect(const std::vector<std::complex<float>>&,
                                   matrix_view<std::complex<float>>);
TRIFAC_TEST_INSTANCES void reflect(const std::vector<std::complex<double>>&,
                                   matrix_view<std::complex<double>>);
#endif

/// A := A·(I − 2·v·vᴴ / vᴴv), as a reflection of Aᵀ by the conjugate of v.
template <class T>
void reflect_from_right(std::vector<T> v, matrix_view<T> A) {
  for (T& x : v) x = detail::conjugate(x);
  reflect(v, A.transposed());
}

template <class T>
std::vector<T> random_direction(random_source& random, index_t length) {
  std::vector<T> v(static_cast<std::size_t>(length));
  for (T& x : v) x = random.normal<T>();
  return v;
}

/// k numbers from `largest` down to largest / condition with a constant ratio. LAPACK: dlatm1,
/// mode 3.
template <class R>
std::vector<R> geometric_values(index_t k, const R& condition, const R& largest) {
  using std::pow;
  std::vector<R> values(static_cast<std::size_t>(k), largest);
  for (index_t i = 1; i < k; ++i)
    values[static_cast<std::size_t>(i)] =
        largest * pow(condition, -R(static_cast<int>(i)) / R(static_cast<int>(k - 1)));
  return values;
}

/// U·D·V, m × n, with random unitary U and V and the singular values D. LAPACK: dlagge.
template <class T>
matrix<T> with_singular_values(random_source& random, index_t m, index_t n,
                               const std::vector<real_t<T>>& values) {
  matrix<T> A(m, n);
  for (index_t k = 0; k < std::min(m, n); ++k) A(k, k) = T(values[static_cast<std::size_t>(k)]);
  for (index_t k = std::min(m, n) - 1; k >= 0; --k) {
    const auto rest = A.view().trailing(k);
    reflect(random_direction<T>(random, m - k), rest);
    reflect_from_right(random_direction<T>(random, n - k), rest);
  }
  return A;
}

/// U·D·Uᴴ, exactly Hermitian, with a random unitary U and the eigenvalues D. LAPACK: dlagsy.
template <class T>
matrix<T> with_eigenvalues(random_source& random, const std::vector<real_t<T>>& values) {
  const auto n = static_cast<index_t>(values.size());
  matrix<T> A(n, n);
  for (index_t k = 0; k < n; ++k) A(k, k) = T(values[static_cast<std::size_t>(k)]);
  for (index_t k = n - 1; k >= 0; --k) {
    const auto v = random_direction<T>(random, n - k);
    reflect(v, A.view().trailing(k));
    reflect_from_right(v, A.view().trailing(k));
  }
  mirror_lower(A);
  return A;
}

/// Turns A into an upper trapezoid by reflections from the left (a QR factorization without Q),
/// which keeps its singular values; the elements below the diagonal become exact zeros.
template <class T>
void make_upper(matrix_view<T> A) {
  for (index_t k = 0; k < std::min(A.rows() - 1, A.cols()); ++k) {
    std::vector<T> v(static_cast<std::size_t>(A.rows() - k));
    real_t<T> squares(0);
    for (index_t i = k; i < A.rows(); ++i)
      squares += detail::squared_abs(v[static_cast<std::size_t>(i - k)] = A(i, k));
    const real_t<T> size = detail::absolute(v[0]);
    v[0] += (size == real_t<T>(0) ? T(1) : v[0] / T(size)) * T(detail::square_root(squares));
    reflect(v, A.block(k, k, A.rows() - k, A.cols() - k));
    for (index_t i = k + 1; i < A.rows(); ++i) A(i, k) = T(0);
  }
}

/// A test matrix and what is known about it.
template <class T>
struct test_matrix {
  std::string name;
  matrix<T> A;
  index_t first_zero = -1;  ///< index of the first row or column that is exactly zero, −1: none
};

inline constexpr int dge_types = 11;
inline constexpr int dpo_types = 9;

/// Whether LAPACK's checker leaves this type out because the matrix is too small for it.
constexpr bool dge_skips(int type, index_t n) {
  return type >= 5 && type <= 7 && n < type - 4;
}
constexpr bool dpo_skips(int type, index_t n) {
  return type >= 3 && type <= 5 && n < type - 2;
}

/// LAPACK's general test matrix of type 1 … 11, m × n: 1 diagonal, 2 upper, 3 lower, 4 random, 5
/// first column zero, 6 last one, 7 the last half, 8 and 9 badly conditioned, 10 tiny, 11 huge.
/// LAPACK: dlatb4 and dlatms for dchkge.
template <class T>
test_matrix<T> dge_matrix(int type, random_source& random, index_t m, index_t n) {
  using R = real_t<T>;
  const lapack_constants<T> lapack;
  const index_t k = std::min(m, n);
  const R condition = type == 8   ? lapack.bad_condition
                      : type == 9 ? lapack.very_bad_condition
                                  : R(2);
  const R norm = type == 10 ? lapack.tiny_norm : type == 11 ? lapack.huge_norm : R(1);
  const auto values = geometric_values(k, condition, norm);
  test_matrix<T> made{"DGE type " + std::to_string(type), matrix<T>(m, n)};
  if (type == 1)
    for (index_t i = 0; i < k; ++i) made.A(i, i) = T(values[static_cast<std::size_t>(i)]);
  else
    made.A = with_singular_values<T>(random, m, n, values);
  if (type == 2) make_upper(made.A.view());
  if (type == 3) make_upper(made.A.view().transposed());
  if (type == 5) made.first_zero = 0;
  if (type == 6) made.first_zero = k - 1;
  if (type == 7) made.first_zero = k / 2;
  if (made.first_zero >= 0)
    for (index_t j = made.first_zero; j < (type == 7 ? n : made.first_zero + 1); ++j)
      for (index_t i = 0; i < m; ++i) made.A(i, j) = T(0);
  return made;
}

/// LAPACK's positive definite test matrix of type 1 … 9: 1 diagonal, 2 random, 3 first row and
/// column zero, 4 last, 5 middle, 6 and 7 badly conditioned, 8 tiny, 9 huge. LAPACK: dlatb4 and
/// dlatms for dchkpo.
template <class T>
test_matrix<T> dpo_matrix(int type, random_source& random, index_t n) {
  using R = real_t<T>;
  const lapack_constants<T> lapack;
  const R condition = type == 6   ? lapack.bad_condition
                      : type == 7 ? lapack.very_bad_condition
                                  : R(2);
  const R norm = type == 8 ? lapack.tiny_norm : type == 9 ? lapack.huge_norm : R(1);
  const auto values = geometric_values(n, condition, norm);
  test_matrix<T> made{"DPO type " + std::to_string(type), matrix<T>(n, n)};
  if (type == 1)
    for (index_t i = 0; i < n; ++i) made.A(i, i) = T(values[static_cast<std::size_t>(i)]);
  else
    made.A = with_eigenvalues<T>(random, values);
  if (type == 3) made.first_zero = 0;
  if (type == 4) made.first_zero = n - 1;
  if (type == 5) made.first_zero = n / 2;
  if (made.first_zero >= 0)
    for (index_t i = 0; i < n; ++i) made.A(i, made.first_zero) = made.A(made.first_zero, i) = T(0);
  return made;
}

}  // namespace trifac::test
