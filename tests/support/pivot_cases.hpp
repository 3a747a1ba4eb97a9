#pragma once
// Matrices whose pivots are easily taken wrong, with the interchanges and the status that LU with
// partial pivoting owes them: exact ties, denormal numbers, complex numbers whose |Re| + |Im|
// overflows. Ties are in two forms: pivot_case has L and U by construction, with zero pivots and
// scales; matrices_with_ties() has any shape and more kinds, and textbook() eliminates.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "random.hpp"
#include "trifac/matrix.hpp"
#include "trifac/pivots.hpp"
#include "trifac/status.hpp"

namespace trifac::test {

/// LU: the factors where they are exact, else empty.
template <class T>
struct pivot_case {
  matrix<T> A, LU;
  pivots interchanges;
  status outcome;
};
template <class T>
using pivot_cases = std::vector<pivot_case<T>>;

/// A random number with |Re| + |Im| = size; of complex ones both parts, or one of them.
template <class T>
T of_size(random_source& random, double size) {
  const auto part = [&](double x) { return static_cast<real_t<T>>(random.below(2) == 0 ? x : -x); };
  if constexpr (is_complex<T>) {
    const index_t which = random.below(3);
    return which == 0   ? T(part(size), 0)
           : which == 1 ? T(0, part(size))
                        : T(part(size / 2), part(size / 2));
  } else {
    return part(size);
  }
}

/// P·A = L·U of an m×n matrix, exact in every type: numbers are multiples of 1/8 or 1/4 and small,
/// times `scale`, a power of two. L has elements of size 0, 1/2 and 1. Those of size 1 tie with the
/// pivot: they are in rows which lie behind the pivot's when it is chosen, so it is the first of
/// the largest. Pivots are zero in one of `zeros` columns, none where that is 0.
template <class T>
pivot_case<T> tied_case(random_source& random, index_t m, index_t n, index_t zeros,
                        real_t<T> scale = 1) {
  const index_t steps = std::min(m, n);
  pivot_case<T> c{matrix<T>(m, n), matrix<T>(m, n), pivots(steps), {}};
  matrix<T>&A = c.A, &LU = c.LU;
  for (index_t k = 0; k < steps; ++k) {
    const bool zero = zeros > 0 && random.below(zeros) == 0;
    const index_t pivot = zero ? k : k + random.below(m - k);
    c.interchanges[k] = pivot;
    for (index_t i = k + 1; i < m && !zero; ++i)  // after the exchange
      if (const index_t kind = random.below(3); kind > 0)
        LU(i, k) = of_size<T>(random, kind == 2 && i > pivot ? 1 : 0.5);
    for (index_t j = 0; j < k; ++j) std::swap(LU(k, j), LU(pivot, j));
    LU(k, k) = zero ? T(0) : of_size<T>(random, 1 + static_cast<double>(random.below(2)));
    for (index_t j = k + 1; j < n; ++j)
      if (random.below(2) == 0) LU(k, j) = of_size<T>(random, 1);
  }
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < m; ++i) {
      T sum = i <= j ? LU(i, j) : T(0);
      for (index_t k = 0; k < std::min(i, j + 1); ++k) sum += LU(i, k) * LU(k, j);
      A(i, j) = sum * scale;
    }
  for (index_t k = steps - 1; k >= 0; --k) {
    if (LU(k, k) == T(0)) c.outcome = status::at(status_kind::singular, k);
    for (index_t j = 0; j < n; ++j) std::swap(A(k, j), A(c.interchanges[k], j));
  }
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i <= std::min(j, m - 1); ++i) LU(i, j) *= scale;
  return c;
}
/// The scale that makes these numbers denormal, with ten bits to spare: kernels that multiply by
/// the inverses of 8×8 blocks of L have products that are multiples of 2⁻⁷ of theirs.
template <class T>
real_t<T> denormal_scale() {
  return 8 * 1024 * std::numeric_limits<real_t<T>>::denorm_min();
}

/// What the columns of size_case() are made of.
enum class sizes { denormal, around_least, around_largest, all };
inline constexpr sizes all_sizes[] = {sizes::denormal, sizes::around_least, sizes::around_largest,
                                      sizes::all};

/// An n×n matrix of the columns of I before one in the middle, and of zeros behind it. That has
/// elements of many sizes from its diagonal on. LAPACK compares |Re| + |Im|, rounded; where one of
/// these overflows, halves are compared.
template <class T>
pivot_case<T> size_case(random_source& random, index_t n, sizes which) {
  using R = real_t<T>;
  using limits = std::numeric_limits<R>;
  constexpr R tiny = limits::denorm_min(), least = limits::min(), most = limits::max(),
              next = 1 + limits::epsilon();
  const std::vector<R> parts[] = {
      {0, tiny, 2 * tiny, 3 * tiny, 4 * tiny, 5 * tiny},
      {0, 3 * tiny, least - tiny, least, least + tiny, 2 * least - 2 * tiny, 2 * least,
       2 * least * next, 8 * least, 8 * least * next},
      {0, 1, most / 8, most / 4, most / 2, most / 2 * next, R(0.55) * most, R(0.6) * most, most}};
  const auto part = [&] {
    const auto& from = parts[which == sizes::all ? random.below(3) : static_cast<index_t>(which)];
    const R x = from[static_cast<std::size_t>(random.below(static_cast<index_t>(from.size())))];
    return random.below(2) == 0 ? x : -x;
  };
  const index_t j = n > 1 ? n / 2 - 1 : 0;
  pivot_case<T> c{matrix<T>(n, n), {}, pivots(n), {}};
  for (index_t k = 0; k < j; ++k) c.A(k, k) = T(1);
  for (index_t i = j; i < n; ++i) {
    if constexpr (is_complex<T>)
      c.A(i, j) = T(part(), part());
    else
      c.A(i, j) = part();
  }
  const auto first_largest = [&](R factor) {
    index_t best = j;
    for (index_t i = j + 1; i < n; ++i)
      if (detail::pivot_size(T(c.A(i, j) * factor)) > detail::pivot_size(T(c.A(best, j) * factor)))
        best = i;
    return best;
  };
  index_t best = first_largest(1);
  if (!std::isfinite(detail::pivot_size(c.A(best, j)))) best = first_largest(R(0.5));
  c.interchanges[j] = best;
  const index_t zero = c.A(best, j) == T(0) ? j : j + 1;
  if (zero < n) c.outcome = status::at(status_kind::singular, zero);
  return c;
}

/// What a factorization has made of the case; LU: its factors.
template <class T>
void expect_pivots(const pivot_case<T>& expected, const status& outcome, const pivots& interchanges,
                   matrix_view<const T> LU) {
  EXPECT_EQ(outcome, expected.outcome)
      << outcome.message() << ", not " << expected.outcome.message();
  for (index_t k = 0; k < expected.interchanges.size(); ++k)
    ASSERT_EQ(interchanges[k], expected.interchanges[k]) << "step " << k;
  for (index_t j = 0; j < expected.LU.cols(); ++j)
    for (index_t i = 0; i < expected.LU.rows(); ++i)
      ASSERT_EQ(LU(i, j), expected.LU(i, j)) << "element (" << i << ", " << j << ")";
}

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

/// Elimination with rows exchanged as they are chosen. Nothing is rounded as long as all numbers
/// are multiples of 2⁻⁶ below 2⁸, whose products float holds, and pivots have exact reciprocals.
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
