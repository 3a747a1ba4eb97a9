#pragma once
// From checked arguments to the nest that modifies a Cholesky factor.

#include "trifac/backend.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/modify/low_rank.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The lower triangle of L := that of the factor of L·Lᴴ ± X·Xᴴ; L: n×n, X: n×k, read before L is
/// written.
template <Backend B, class T>
status run_modification(const B& backend, modification how, const matrix_view<T>& L,
                        const operand<T>& X) {
  const index_t n = L.rows(), k = X.cols();
  // Columns of L per step; two cache lines of each row in row-major storage.
  const index_t b = min<index_t>(n, L.row_stride() == 1 ? 16 : simd::reflector_columns);
  const index_t rows = simd::whole_packets(b), groups = (k + reflector_width - 1) / reflector_width,
                ld = (n + 15) / 16 * 16 + 16, columns = groups * reflector_width;
  workspace memory({}, scratch_bytes<T>(ld * columns) + scratch_bytes<T>(rows * b) +
                           scratch_bytes<reflector<T>>(b * groups));
  if (!memory.ok()) return no_workspace();
  const auto copy = memory.take<T>(ld * columns), D = memory.take<T>(rows * b);
  const auto reflectors = memory.take<reflector<T>>(b * groups);
  const auto Y = column_major(copy.data(), n, k, ld);
  for (index_t c = 0; c < k; ++c)
    for (index_t i = 0; i < n; ++i) Y(i, c) = X(i, c);
  const double order = static_cast<double>(n);
  status outcome;
  run(backend, outcome, 2 * order * order * static_cast<double>(k),
      [&](auto& on) { modify_lower(on, how, L, Y, b, D.data(), reflectors.data()); });
  return outcome;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
