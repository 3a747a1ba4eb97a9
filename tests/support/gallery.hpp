#pragma once
// Test matrices given by a formula: those of Higham's gallery that are hard for Cholesky or for LU.
// All are real; for a complex T they are used as they are, or with a unitary diagonal scaling (see
// rotated()).

#include <numeric>

#include "matrices.hpp"
#include "trifac/engine/base/from_double.hpp"

namespace trifac::test {

/// Complex, with finite pivots whose |Re| + |Im| overflows: two such rows compete for the first
/// column, the larger one coming last. Diagonally dominant where n < 3.
template <class T>
requires is_complex<T> matrix<T> overflowing_pivots(random_source& random, index_t n) {
  using R = real_t<T>;
  const R large = std::numeric_limits<R>::max() / R(1.2);
  matrix<T> A = random_matrix<T>(random, n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) A(i, j) *= T(large / R(static_cast<int>(64 * n)));
  for (index_t k = 0; k < n; ++k) A(k, k) = T(large, k % 2 == 0 ? large / R(1.5) : -large);
  if (n < 3) return A;
  std::swap(A(0, 0), A(2, 0));
  std::swap(A(0, 2), A(2, 2));
  A(1, 0) = A(2, 0) * R(0.75);
  return A;
}

/// n × n with the element f(i, j), indices from 1 as in the literature.
template <class T, class Formula>
matrix<T> from_formula(index_t n, Formula f) {
  matrix<T> A(n, n);
  for (index_t j = 1; j <= n; ++j)
    for (index_t i = 1; i <= n; ++i) A(i - 1, j - 1) = T(f(i, j));
  return A;
}

/// x as a real number of T's precision; whole numbers stay exact.
template <class T>
real_t<T> real_number(index_t x) {
  return detail::from_index<real_t<T>>(x);
}

// ---- symmetric positive definite
// -------------------------------------------------------------------------------------

/// 1 / (i + j − 1): condition about e^(3.5·n).
template <class T>
matrix<T> hilbert(index_t n) {
  return from_formula<T>(
      n, [](index_t i, index_t j) { return real_number<T>(1) / real_number<T>(i + j - 1); });
}

/// min(i, j) / max(i, j).
template <class T>
matrix<T> lehmer(index_t n) {
  return from_formula<T>(n, [](index_t i, index_t j) {
    return real_number<T>(std::min(i, j)) / real_number<T>(std::max(i, j));
  });
}

/// min(i, j): its factor is all ones.
template <class T>
matrix<T> minij(index_t n) {
  return from_formula<T>(n, [](index_t i, index_t j) { return real_number<T>(std::min(i, j)); });
}

/// L·Lᵀ for L with ones on and −1 below the diagonal: one tiny eigenvalue, about 4^(−n).
template <class T>
matrix<T> moler(index_t n) {
  return from_formula<T>(
      n, [](index_t i, index_t j) { return real_number<T>(i == j ? i : std::min(i, j) - 2); });
}

/// Binomial coefficients; its factor holds them too, and its determinant is 1.
template <class T>
matrix<T> pascal(index_t n) {
  matrix<T> A(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) A(i, j) = i == 0 || j == 0 ? T(1) : A(i - 1, j) + A(i, j - 1);
  return A;
}

/// Kac, Murdock and Szegő: ρ^|i − j|.
template <class T>
matrix<T> kac_murdock_szego(index_t n, double rho = 0.99) {
  return from_formula<T>(n, [rho](index_t i, index_t j) {
    real_t<T> power(1);
    for (index_t k = std::min(i, j); k < std::max(i, j); ++k) power *= static_cast<real_t<T>>(rho);
    return power;
  });
}

/// α·I + all ones.
template <class T>
matrix<T> pei(index_t n, double alpha = 0x1p-10) {
  return from_formula<T>(n, [alpha](index_t i, index_t j) {
    return real_number<T>(1) + (i == j ? static_cast<real_t<T>>(alpha) : real_number<T>(0));
  });
}

/// The second difference −1, 2, −1.
template <class T>
matrix<T> second_difference(index_t n) {
  return from_formula<T>(n, [](index_t i, index_t j) {
    return real_number<T>(i == j ? 2 : (i - j == 1 || j - i == 1) ? -1 : 0);
  });
}

/// Greatest common divisors.
template <class T>
matrix<T> gcd_matrix(index_t n) {
  return from_formula<T>(n, [](index_t i, index_t j) { return real_number<T>(std::gcd(i, j)); });
}

/// D·A·D for the well-conditioned A = second difference + 1 on the diagonal and d_i = 2^(−i):
/// graded, condition 4^n.
template <class T>
matrix<T> graded(index_t n) {
  matrix<T> A = second_difference<T>(n);
  real_t<T> row_scale(1);
  for (index_t i = 0; i < n; ++i, row_scale /= real_number<T>(2)) {
    A(i, i) += T(1);
    for (index_t j = 0; j < n; ++j) {
      A(i, j) *= T(row_scale);
      A(j, i) *= T(row_scale);
    }
  }
  return A;
}

// ---- general
// ---------------------------------------------------------------------------------------------

/// Wilkinson's growth matrix: 1 on the diagonal and in the last column, −1 below. Partial pivoting
/// moves no row, and the last column of U is 1, 2, 4, …, 2^(n−1).
template <class T>
matrix<T> wilkinson_growth(index_t n) {
  return from_formula<T>(n, [n](index_t i, index_t j) {
    return real_number<T>(i == j || j == n ? 1 : i > j ? -1 : 0);
  });
}

/// Foster 1994: a Volterra equation by the trapezoidal rule, kh = 2/3, c = 1, where the diagonal 1
/// − kh/2 equals kh. Partial pivoting moves no row if it keeps the first of equal candidates;
/// growth (2/3)·(2^(n−1) − 1).
template <class T>
matrix<T> foster(index_t n) {
  const real_t<T> kh = real_number<T>(2) / real_number<T>(3);
  const real_t<T> half = kh / real_number<T>(2);
  return from_formula<T>(n, [n, kh, half](index_t i, index_t j) {
    const real_t<T> one = real_number<T>(1), zero = real_number<T>(0);
    if (i == 1) return j == 1 ? one : j == n ? -one : zero;
    if (j == n) return i == n ? one - one - half : -one;
    if (j == 1) return -half;
    return i == j ? kh : i > j ? -kh : zero;
  });
}

/// Wright 1993: multiple shooting for a two-point boundary value problem; 2 × 2 blocks, I on the
/// diagonal, −exp(M·h) below it and I in the upper right corner, M = (−1/6, 1; 1, −1/6), h = 0.3.
/// For odd n the last row and column are e_n.
template <class T>
matrix<T> wright(index_t n) {
  const double decay = std::exp(-0.05), same = decay * std::cosh(0.3),
               cross = decay * std::sinh(0.3);
  const index_t even = n / 2 * 2;
  return from_formula<T>(n, [=](index_t i, index_t j) {
    if (i == j) return real_number<T>(1);
    if (i > even || j > even) return real_number<T>(0);
    if (j <= even && j > 2 && i == j - even + 2) return real_number<T>(1);
    if ((i - 1) / 2 != (j - 1) / 2 + 1) return real_number<T>(0);
    return static_cast<real_t<T>>(-((i - j) % 2 == 0 ? same : cross));
  });
}

/// Kahan: upper triangular, s^(i−1)·(1 on the diagonal, −c right of it), c = 0.6, s = 0.8.
template <class T>
matrix<T> kahan(index_t n) {
  return from_formula<T>(n, [](index_t i, index_t j) {
    real_t<T> scale(1);
    for (index_t k = 1; k < i; ++k) scale *= static_cast<real_t<T>>(0.8);
    return i == j ? scale : i < j ? -static_cast<real_t<T>>(0.6) * scale : real_number<T>(0);
  });
}

/// Frank: upper Hessenberg, determinant 1, ill-conditioned eigenvalues.
template <class T>
matrix<T> frank(index_t n) {
  return from_formula<T>(n, [n](index_t i, index_t j) {
    return real_number<T>(j < i - 1 ? 0 : n + 1 - std::max(i, j));
  });
}

/// Lotkin: the Hilbert matrix with a first row of ones.
template <class T>
matrix<T> lotkin(index_t n) {
  matrix<T> A = hilbert<T>(n);
  for (index_t j = 0; j < n; ++j) A(0, j) = T(1);
  return A;
}

/// Symmetric orthogonal sine matrix: growth of about (n + 1) / 2 with complete pivoting too.
template <class T>
matrix<T> orthogonal_sine(index_t n) {
  const double angle = 3.14159265358979323846 / static_cast<double>(n + 1);
  return from_formula<T>(n, [=](index_t i, index_t j) {
    return static_cast<real_t<T>>(std::sqrt(2.0 / static_cast<double>(n + 1)) *
                                  std::sin(static_cast<double>(i * j) * angle));
  });
}

/// Hadamard–Sylvester for n a power of two; else its leading part, which may be singular.
template <class T>
matrix<T> hadamard(index_t n) {
  return from_formula<T>(n, [](index_t i, index_t j) {
    int sign = 1;
    for (index_t common = (i - 1) & (j - 1); common != 0; common &= common - 1) sign = -sign;
    return real_number<T>(sign);
  });
}

/// Grcar: −1 below the diagonal, 1 on it and on three diagonals above.
template <class T>
matrix<T> grcar(index_t n) {
  return from_formula<T>(n, [](index_t i, index_t j) {
    return real_number<T>(i == j + 1 ? -1 : i <= j && j <= i + 3 ? 1 : 0);
  });
}

/// Fiedler: |i − j|, a zero diagonal, so that nothing works without interchanges.
template <class T>
matrix<T> fiedler(index_t n) {
  return from_formula<T>(
      n, [](index_t i, index_t j) { return real_number<T>(i > j ? i - j : j - i); });
}

/// Riemann: row i is i where i + 1 divides j + 1, else −1.
template <class T>
matrix<T> riemann(index_t n) {
  return from_formula<T>(
      n, [](index_t i, index_t j) { return real_number<T>((j + 1) % (i + 1) == 0 ? i : -1); });
}

/// The inverse of an upper Hessenberg matrix with x_j = j: a_ij = j for j ≤ i and −i above.
template <class T>
matrix<T> inverse_hessenberg(index_t n) {
  return from_formula<T>(n, [](index_t i, index_t j) { return real_number<T>(j <= i ? j : -i); });
}

/// Parter: 1 / (i − j + 1/2), a Toeplitz matrix with most singular values near π.
template <class T>
matrix<T> parter(index_t n) {
  return from_formula<T>(
      n, [](index_t i, index_t j) { return real_number<T>(2) / real_number<T>(2 * (i - j) + 1); });
}

/// Demmel: 10^14 on the diagonal of a matrix of noise relative to it; here in the precision of T.
template <class T>
matrix<T> demmel(index_t n) {
  random_source random(static_cast<std::uint64_t>(n));
  return from_formula<T>(n, [&random](index_t i, index_t j) {
    const real_t<T> noise =
        static_cast<real_t<T>>(random.uniform()) * unit_roundoff<T> * real_number<T>(100);
    return (i == j ? real_number<T>(1) : real_number<T>(0)) + noise;
  });
}

// ---- lists
// ---------------------------------------------------------------------------------------------

template <class T>
struct gallery_entry {
  const char* name;
  matrix<T> (*make)(index_t n);
};

template <class T>
std::vector<gallery_entry<T>> definite_gallery() {
  return {{"hilbert", hilbert<T>},
          {"lehmer", lehmer<T>},
          {"minij", minij<T>},
          {"moler", moler<T>},
          {"pascal", pascal<T>},
          {"kac_murdock_szego", [](index_t n) { return kac_murdock_szego<T>(n); }},
          {"pei", [](index_t n) { return pei<T>(n); }},
          {"second_difference", second_difference<T>},
          {"gcd", gcd_matrix<T>},
          {"graded", graded<T>}};
}

template <class T>
std::vector<gallery_entry<T>> general_gallery() {
  return {{"wilkinson_growth", wilkinson_growth<T>},
          {"foster", foster<T>},
          {"wright", wright<T>},
          {"kahan", kahan<T>},
          {"frank", frank<T>},
          {"lotkin", lotkin<T>},
          {"orthogonal_sine", orthogonal_sine<T>},
          {"hadamard", hadamard<T>},
          {"grcar", grcar<T>},
          {"fiedler", fiedler<T>},
          {"riemann", riemann<T>},
          {"inverse_hessenberg", inverse_hessenberg<T>},
          {"parter", parter<T>},
          {"demmel", demmel<T>},
          {"hilbert", hilbert<T>},
          {"moler", moler<T>}};
}

/// For a complex T: D·A·Dᴴ with the unitary diagonal d_k = i^k, which is exact and makes a real
/// matrix truly complex; Hermitian stays Hermitian. For a real T: A.
template <class T>
matrix<T> rotated(matrix<T> A) {
  if constexpr (is_complex<T>) {
    const T powers[] = {T(1), T(0, 1), T(-1), T(0, -1)};
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i) A(i, j) *= powers[((i - j) % 4 + 4) % 4];
  }
  return A;
}

}  // namespace trifac::test
