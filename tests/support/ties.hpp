#pragma once
// Matrices whose columns have several largest candidates for the pivot, exactly, and the LU
// factorization of textbooks, which takes the first of them in the present order of the rows.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "random.hpp"
#include "trifac/matrix.hpp"

namespace trifac::test {

/// |x|, for complex x |Re x| + |Im x|, as LAPACK compares candidates.
template <class T>
double candidate_size(const T& x) {
  if constexpr (is_complex<T>)
    return candidate_size(x.real()) + candidate_size(x.imag());
  else
    return std::abs(static_cast<double>(x));
}

/// P·A = L·U, up to which interchange no rounding error decides, and whether there was none at all.
template <class T>
struct textbook_lu {
  matrix<T> LU;
  std::vector<index_t> interchanges = {};
  std::size_t certain = 0;
  bool exact = true;
};

/// Elimination with rows exchanged as they are chosen. Nothing is rounded as long as all numbers are
/// multiples of 2⁻⁶ below 2⁸, whose products float holds, and pivots have exact reciprocals.
template <class T>
textbook_lu<T> textbook(const matrix<T>& A) {
  textbook_lu<T> f{A};
  matrix<T>& LU = f.LU;
  const index_t m = A.rows(), n = A.cols();
  const auto note = [&](const T& x) {
    const auto is_short = [](const auto& part) {
      const double units = 64 * static_cast<double>(part);
      return std::abs(units) < 64 * 256 && units == std::nearbyint(units);
    };
    if constexpr (is_complex<T>)
      f.exact = f.exact && is_short(x.real()) && is_short(x.imag());
    else
      f.exact = f.exact && is_short(x);
  };
  for (index_t k = 0; k < std::min(m, n); ++k) {
    index_t pivot = k;
    for (index_t i = k + 1; i < m; ++i)
      if (candidate_size(LU(i, k)) > candidate_size(LU(pivot, k))) pivot = i;
    f.interchanges.push_back(pivot);
    if (f.exact) ++f.certain;
    for (index_t j = 0; j < n; ++j) std::swap(LU(k, j), LU(pivot, j));
    if (LU(k, k) == T(0)) continue;
    note(T(16) / LU(k, k));
    for (index_t i = k + 1; i < m; ++i) {
      const T l = LU(i, k) = LU(i, k) / LU(k, k);
      note(l);
      for (index_t j = k + 1; j < n; ++j) note(LU(i, j) = LU(i, j) - l * LU(k, j));
    }
  }
  return f;
}

/// D·M·U, m×n: each row of M has its ones in one piece, D is diagonal of numbers of size ½ and 1,
/// and U is upper triangular with ones on its diagonal. Minors of M are 0 or ±1 (Heller, Tompkins
/// 1956), so every candidate of a row is 0 or of the size of its d, and the elimination is exact.
/// With `regular` M has full rank, else columns of zeros are met.
template <class T>
matrix<T> matrix_with_ties(random_source& random, index_t m, index_t n, bool regular) {
  const index_t k = std::min(m, n);
  matrix<T> A(m, n), U(k, n);
  for (index_t i = 0; i < k; ++i)
    for (index_t j = i; j < n; ++j) U(i, j) = number<T>(j == i ? 1 : random.below(3) - 1.0);
  const auto unit = [&] {
    if constexpr (is_complex<T>) {
      if (random.below(2) == 0) return T(0, 1);
    }
    return T(1);
  };
  for (index_t i = 0; i < m; ++i) {
    // Full rank: the ones of row i end in column i, so M is triangular.
    const index_t end = regular && i < k ? i : random.below(k), begin = random.below(end + 1);
    const T d = unit() * number<T>((random.below(2) - 0.5) * (random.below(3) == 0 ? 1 : 2));
    for (index_t j = 0; j < n; ++j)
      for (index_t q = begin; q <= end; ++q) A(i, j) = A(i, j) + d * U(q, j);
  }
  for (index_t i = m - 1; i > 0; --i) {
    const index_t other = random.below(i + 1);
    for (index_t j = 0; j < n; ++j) std::swap(A(i, j), A(other, j));
  }
  return A;
}

/// Elements 1 and −1, with `zero` 0, too.
template <class T>
matrix<T> matrix_of_signs(random_source& random, index_t m, index_t n, bool zero) {
  matrix<T> A(m, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i)
      A(i, j) = number<T>(zero ? random.below(3) - 1.0 : 2.0 * random.below(2) - 1);
  return A;
}

/// Both, all ones, rows that come twice, and a column of zeros.
template <class T>
std::vector<matrix<T>> matrices_with_ties(random_source& random, index_t m, index_t n) {
  std::vector<matrix<T>> list = {
      matrix_with_ties<T>(random, m, n, true), matrix_with_ties<T>(random, m, n, false),
      matrix_of_signs<T>(random, m, n, false), matrix_of_signs<T>(random, m, n, true)};
  matrix<T> ones(m, n), twice = list[0], zeros = list[0];
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) {
      ones(i, j) = T(1);
      if (i >= (m + 1) / 2) twice(i, j) = twice(m - 1 - i, j);
      if (j == n / 2) zeros(i, j) = T(0);
    }
  list.insert(list.end(), {ones, twice, zeros});
  return list;
}

/// The interchanges of a factor with partial pivoting are those of textbooks, as far as no rounding
/// error decides; where there is none, so are L and U.
template <class T, class Interchanges>
testing::AssertionResult pivots_like(const textbook_lu<T>& expected, matrix_view<const T> LU,
                                     const Interchanges& interchanges) {
  for (std::size_t k = 0; k < expected.certain; ++k)
    if (const index_t row = interchanges[k]; row != expected.interchanges[k])
      return testing::AssertionFailure() << "interchange " << k << " of " << expected.certain
                                         << " is " << row << ", not " << expected.interchanges[k];
  for (index_t j = 0; j < LU.cols() && expected.exact; ++j)
    for (index_t i = 0; i < LU.rows(); ++i)
      if (LU(i, j) != expected.LU(i, j))
        return testing::AssertionFailure() << "element (" << i << ", " << j << ")";
  return testing::AssertionSuccess();
}

}  // namespace trifac::test
