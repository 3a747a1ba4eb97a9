#pragma once
// The pivots of a panel on several processes by partial pivoting, column by column.

#include <cstdint>
#include <span>

#include "trifac/blas/divide.hpp"
#include "trifac/distributed/split_panel.hpp"
#include "trifac/status.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// [A11; A21] := [L11\U11; L21] by partial pivoting, rows interchanged. Per column one all-gather:
/// each process sends its largest element with its row, the root also the diagonal row. Status as
/// trifac::lu, with the index in the matrix; where it is not finite, the steps from there on
/// interchange nothing.
template <class T>
status factor_by_columns(const split_panel<T>& panel, std::span<index_t> interchanges,
                         search_memory<T>& memory, traffic& moved) {
  using R = real_t<T>;
  struct candidate {
    double size;
    std::int64_t row;
  };
  const axis& rows = panel.rows;
  const auto& A = panel.column;
  const index_t b = panel.width(), head = search_memory<T>::pivot_head, count = head + 2 * b;
  T *const mine = memory.found.get(), *const all = mine + count;
  status outcome;
  for (index_t k = 0; k < b; ++k) interchanges[detail::as_size(k)] = panel.first + k;
  for (index_t k = 0; k < b; ++k) {
    const index_t diagonal_row = panel.first + k, top = rows.local(diagonal_row);
    candidate best = {-1, rows.n};
    index_t at = top;
    for (index_t i = top; i < A.rows(); ++i)
      if (const R size = detail::pivot_size(A(i, k)); !(size <= R(best.size))) {
        best = {size, rows.global(i)};
        at = i;
        if (size != size) break;
      }
    pack(mine, &best, sizeof best);
    for (index_t j = 0; j < b; ++j) {
      mine[head + j] = best.row < rows.n ? A(at, j) : T(0);
      mine[head + b + j] = panel.at_root() ? A(top, j) : T(0);
    }
    rows.line->all_gather(mine, count, all, moved);

    const T* largest = all;
    for (int p = 0; p < rows.size(); ++p) {
      candidate next;
      unpack(&next, all + p * count, sizeof next);
      if (p > 0 && !(next.size > best.size || next.size != next.size) &&
          !(next.size == best.size && next.row < best.row))
        continue;
      best = next;
      largest = all + p * count;
      if (next.size != next.size) break;
    }
    const T* const pivot_row = largest + head;
    const T* const old_row = all + panel.root * count + head + b;
    const T pivot = pivot_row[k];
    if (!detail::is_finite(pivot)) return status::at(status_kind::not_finite, diagonal_row);
    if (pivot == T(0)) {
      if (outcome.ok()) outcome = status::at(status_kind::singular, diagonal_row);
      continue;
    }
    interchanges[detail::as_size(k)] = best.row;
    const index_t block = best.row / rows.block;
    if (rows.mine(block))
      for (index_t j = 0; j < b; ++j) A(rows.local(best.row), j) = old_row[j];
    if (panel.at_root())
      for (index_t j = 0; j < b; ++j) A(top, j) = pivot_row[j];
    const index_t below = rows.local(diagonal_row + 1), height = A.rows() - below;
    blas::divide_column(A.block(below, k, height, 1), pivot);
    for (index_t j = k + 1; j < b; ++j)
      for (index_t i = below; i < A.rows(); ++i)
        A(i, j) = detail::subtract_product(A(i, j), A(i, k), pivot_row[j]);
  }
  return outcome;
}

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
