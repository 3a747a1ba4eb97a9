#pragma once
// ‖L‖₁ and ‖L‖∞ of a lower triangle.

#include "trifac/engine/blas/column_sums.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// ‖L‖₁ or ‖L‖∞ of the lower trapezoid L: m×n, m ≥ n. LAPACK: lantr.
template <class T>
real_t<T> triangular_norm(const matrix_view<const T>& L, norm_kind kind, diagonal diag) {
  using R = real_t<T>;
  const bool by_columns = kind == norm_kind::one, unit = diag == diagonal::unit;
  const index_t m = L.rows(), n = L.cols();
  // Diagonal blocks D = L(from:, from:), `size` × `size`; sums[j] of column j, or of row j.
  const auto add_diagonal_block = [&](index_t from, index_t size, R* sums) {
    for (index_t j = 0; j < size; ++j) {
      if (unit) sums[j] = sums[j] + R(1);
      for (index_t i = unit ? j + 1 : j; i < size; ++i) {
        R& sum = sums[by_columns ? j : i];
        sum = sum + detail::absolute(L(from + i, from + j));
      }
    }
  };
  if (by_columns)
    return largest_sum<R>(n, [&](index_t from, index_t count, R* sums) {
      add_diagonal_block(from, count, sums);
      add_column_sums<T>(L.block(from + count, from, m - from - count, count), sums);
    });
  return largest_sum<R>(m, [&](index_t from, index_t count, R* sums) {
    const index_t left = detail::min(from, n), size = detail::min(count, n - left);
    add_column_sums<T>(L.block(from, 0, count, left).transposed(), sums);
    add_diagonal_block(left, size, sums);
    add_column_sums<T>(L.block(from + size, left, count - size, size).transposed(), sums + size);
  });
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
