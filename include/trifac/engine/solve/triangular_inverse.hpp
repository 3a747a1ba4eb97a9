#pragma once
// The inverse of a triangle by substitutions with the columns of I.

#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/solve/triangle.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The lower triangle of X := L⁻¹, n×n; X may be L: a step writes columns that no later one reads.
/// A zero on the diagonal divides.
///
///     |  .        |        |  .  |
/// L = |  .  L11   |    X = |  .  |    X1 = L11⁻¹·[I; 0], n−j rows and b columns
///     |           |        |  X1 |
///
/// n³/3 flops. LAPACK: trtri.
template <Backend B, class T>
status invert_by_substitutions(const B& backend, const matrix_view<const T>& L, diagonal diag,
                               const matrix_view<T>& X) {
  constexpr index_t block = 64;
  const index_t n = L.rows();
  const bool unit = diag == diagonal::unit;
  workspace memory({}, scratch_bytes<T>(n * min(n, block)));
  if (!memory.ok()) return no_workspace();
  T* const columns = memory.take<T>(n * min(n, block)).data();
  for (index_t j = 0; j < n; j += block) {
    const index_t rows = n - j, b = min(block, rows);
    const auto X1 = column_major(columns, rows, b);
    for (index_t c = 0; c < b; ++c)
      for (index_t i = 0; i < rows; ++i) X1(i, c) = T(i == c ? 1 : 0);
    if (const status s = substitute(backend, operand<T>(L.trailing(j)), triangle::lower, diag, X1);
        !s)
      return s;
    for (index_t c = 0; c < b; ++c)
      for (index_t i = unit ? c + 1 : c; i < rows; ++i) X(j + i, j + c) = X1(i, c);
  }
  return {};
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
