#pragma once
// Sums of the sizes of columns, for ‖A‖₁ and ‖A‖∞.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// Columns summed together, so that elements are read in memory order.
inline constexpr index_t summed_columns = 64;

/// sums[j] += Σ |a_ij| over the rows of A, for at most summed_columns columns; four chains of sums
/// for a contiguous column.
template <class T>
void add_column_sums(const matrix_view<const T>& A, real_t<T>* sums) {
  using R = real_t<T>;
  const index_t m = A.rows();
  if (A.row_stride() != 1) {
    for (index_t i = 0; i < m; ++i)
      for (index_t j = 0; j < A.cols(); ++j) sums[j] = sums[j] + detail::absolute(A(i, j));
    return;
  }
  for (index_t j = 0; j < A.cols(); ++j) {
    R chain[4] = {R(0), R(0), R(0), R(0)};
    index_t i = 0;
    for (; i + 4 <= m; i += 4)
      for (index_t c = 0; c < 4; ++c) chain[c] = chain[c] + detail::absolute(A(i + c, j));
    for (; i < m; ++i) chain[0] = chain[0] + detail::absolute(A(i, j));
    sums[j] = sums[j] + ((chain[0] + chain[1]) + (chain[2] + chain[3]));
  }
}

/// The largest of the sums that add(from, count, sums) computes; NaN if any is NaN.
template <class R, class Add>
R largest_sum(index_t cols, Add add) {
  R most(0);
  for (index_t from = 0; from < cols && most == most; from += summed_columns) {
    const index_t count = detail::min(summed_columns, cols - from);
    R sums[summed_columns];
    for (index_t j = 0; j < count; ++j) sums[j] = R(0);
    add(from, count, sums);
    for (index_t j = 0; j < count && most == most; ++j)
      if (!(sums[j] <= most)) most = sums[j];
  }
  return most;
}

/// ‖A‖₁. LAPACK: lange.
template <class T>
real_t<T> norm_1(const matrix_view<const T>& A) {
  return largest_sum<real_t<T>>(A.cols(), [&](index_t from, index_t count, real_t<T>* sums) {
    add_column_sums<T>(A.block(0, from, A.rows(), count), sums);
  });
}

/// The size of a diagonal element of a Hermitian matrix, whose imaginary part is not read.
struct real_size {
  template <class T>
  real_t<T> operator()(const T& a) const {
    return detail::absolute(detail::real_part(a));
  }
};

/// ‖A‖₁ = ‖A‖∞ of a Hermitian (symmetric) A with its lower triangle stored. LAPACK: lanhe, lansy.
template <class T, class Size = real_size>
real_t<T> hermitian_norm_1(const matrix_view<const T>& A, const Size& of_diagonal = {}) {
  using R = real_t<T>;
  const index_t n = A.rows();
  return largest_sum<R>(n, [&](index_t from, index_t count, R* sums) {
    const index_t below = from + count;
    add_column_sums<T>(A.block(from, 0, count, from).transposed(), sums);
    for (index_t j = 0; j < count; ++j) {
      sums[j] = sums[j] + of_diagonal(A(from + j, from + j));
      for (index_t i = j + 1; i < count; ++i) {
        const R size = detail::absolute(A(from + i, from + j));
        sums[j] = sums[j] + size;
        sums[i] = sums[i] + size;
      }
    }
    add_column_sums<T>(A.block(below, from, n - below, count), sums);
  });
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
