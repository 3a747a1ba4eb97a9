#pragma once
// How good a result is: LAPACK's ratios ‖R‖ / (n·‖A‖·ε) in the Frobenius norm. ‖R‖ is estimated by
// ‖R·x‖ for a random vector x of signs, whose square is ‖R‖² on average: O(n²), so that every
// benchmark can be checked, and no wrong element hides.

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "inputs.hpp"
#include "trifac/pivots.hpp"

namespace bench {

/// LAPACK's test programs accept ratios below this.
inline constexpr double ratio_limit = 30;

/// The larger one, NaN where one of them is NaN.
inline double larger(double a, double b) {
  return a != a || b <= a ? a : b;
}

/// Double precision, real or complex like T: what residuals are computed in.
template <class T>
using wide_t = std::conditional_t<trifac::is_complex<T>, std::complex<double>, double>;

template <class T>
using wide_vector = std::vector<wide_t<T>>;

/// A vector of signs.
template <class T>
wide_vector<T> random_signs(index_t n) {
  random_numbers random(0x5eed);
  wide_vector<T> x(static_cast<std::size_t>(n));
  for (auto& element : x) element = random.sign();
  return x;
}

/// y += A·x over the elements (i, j) of A that `part(i, j)` accepts.
template <class T, class Part>
void add_product(matrix_view<const T> A, const wide_vector<T>& x, wide_vector<T>& y, Part part) {
  for (index_t j = 0; j < A.cols(); ++j) {
    const auto [from, to] = part(j);
    const wide_t<T> factor = x[static_cast<std::size_t>(j)];
    for (index_t i = from; i < to; ++i)
      y[static_cast<std::size_t>(i)] += trifac::detail::multiply(wide_t<T>(A(i, j)), factor);
  }
}

struct row_range {
  index_t from, to;
};

/// A·x.
template <class T>
wide_vector<T> times(matrix_view<const T> A, const wide_vector<T>& x) {
  wide_vector<T> y(static_cast<std::size_t>(A.rows()));
  add_product(A, x, y, [&](index_t) { return row_range{0, A.rows()}; });
  return y;
}

/// L·(Lᴴ·x) with the lower triangle of `stored`.
template <class T>
wide_vector<T> times_cholesky(matrix_view<const T> stored, const wide_vector<T>& x) {
  const index_t n = stored.rows();
  wide_vector<T> y(x.size()), z(x.size());
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j; i < n; ++i)
      y[static_cast<std::size_t>(j)] += trifac::detail::multiply(
          trifac::detail::conjugate(wide_t<T>(stored(i, j))), x[static_cast<std::size_t>(i)]);
  add_product(stored, y, z, [n](index_t j) { return row_range{j, n}; });
  return z;
}

/// L·(U·x) with the two factors in `stored`, L with a unit diagonal.
template <class T>
wide_vector<T> times_lu(matrix_view<const T> stored, const wide_vector<T>& x) {
  const index_t n = stored.rows();
  wide_vector<T> y(x.size());
  add_product(stored, x, y, [](index_t j) { return row_range{0, j + 1}; });
  wide_vector<T> z = y;
  add_product(stored, y, z, [n](index_t j) { return row_range{j + 1, n}; });
  return z;
}

template <class T>
double norm(const std::vector<T>& x) {
  double sum = 0;
  for (const T& element : x) sum += trifac::detail::squared_abs(element);
  return std::sqrt(sum);
}

template <class T>
double frobenius_norm(matrix_view<const T> A) {
  double sum = 0;
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) sum += trifac::detail::squared_abs(wide_t<T>(A(i, j)));
  return std::sqrt(sum);
}

/// ‖y − z‖ / (n·‖A‖·ε), ε the unit roundoff of T. LAPACK: dget01, dpot01.
template <class T>
double ratio(matrix_view<const T> A, wide_vector<T> y, const wide_vector<T>& z) {
  if (A.rows() == 0) return 0;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] -= z[i];
  const double roundoff = std::numeric_limits<trifac::real_t<T>>::epsilon() / 2;
  return norm(y) / frobenius_norm(A) / static_cast<double>(A.rows()) / roundoff;
}

/// For A = L·Lᴴ, both triangles of A, L in the lower triangle of `stored`.
template <class T>
double cholesky_ratio(matrix_view<const T> A, matrix_view<const T> stored) {
  const auto x = random_signs<T>(A.rows());
  return ratio<T>(A, times(A, x), times_cholesky(stored, x));
}

/// For P·A = L·U with P as row interchanges counted from 0.
template <class T>
double lu_ratio(matrix_view<const T> A, matrix_view<const T> stored,
                std::span<const index_t> interchanges) {
  const auto x = random_signs<T>(A.rows());
  auto y = times(A, x);
  trifac::apply_interchanges(interchanges, trifac::column_major(y.data(), A.rows(), 1));
  return ratio<T>(A, y, times_lu(stored, x));
}

/// ‖I − A·X‖ / (n·‖A‖·‖X‖·ε) for an X that solves A·X = I. (LAPACK's dget03 has X·A, which is what
/// getri leaves small.)
template <class T>
double inverse_ratio(matrix_view<const T> A, matrix_view<const T> X) {
  const auto x = random_signs<T>(A.rows());
  return ratio<T>(A, times(A, times(X, x)), x) / frobenius_norm(X);
}

/// Largest ‖b − A·x‖ / (n·‖A‖·‖x‖·ε) over the columns of B and X. LAPACK: dpot02 (there without n).
template <class T>
double solve_ratio(matrix_view<const T> A, matrix_view<const T> X, matrix_view<const T> B) {
  double worst = 0;
  for (index_t j = 0; j < B.cols(); ++j) {
    wide_vector<T> x, b;
    for (index_t i = 0; i < B.rows(); ++i) {
      x.emplace_back(X(i, j));
      b.emplace_back(B(i, j));
    }
    const double here = ratio<T>(A, b, times(A, x)) / norm(x);
    worst = larger(worst, here);
  }
  return worst;
}

}  // namespace bench
