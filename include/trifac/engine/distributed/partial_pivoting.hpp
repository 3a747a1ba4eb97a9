#pragma once
// Partial pivoting of a panel on several processes, column by column.

#include <span>

#include "trifac/engine/blas/divide.hpp"
#include "trifac/engine/blas/factor_panel.hpp"
#include "trifac/engine/distributed/split_panel.hpp"
#include "trifac/status.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// [A11; A21] := [L11\U11; L21] with partial pivoting and row interchanges. One all-gather per
/// column: each process sends the row with its largest element and that row's number, the root also
/// the diagonal row. Of equal elements, the one in the first row of the matrix is the pivot, as on
/// one process. Status as trifac::lu, with the index in the matrix; from a non-finite pivot on, the
/// interchanges are identities.
template <class T>
status factor_by_columns(const split_panel<T>& panel, std::span<index_t> interchanges,
                         search_memory<T>& memory, traffic& moved) {
  const axis& rows = panel.rows;
  const auto& A = panel.column;
  const index_t b = panel.width(), head = search_memory<T>::pivot_head, count = head + 2 * b;
  T *const mine = memory.found.get(), *const all = mine + count;
  status outcome;
  for (index_t k = 0; k < b; ++k) interchanges[detail::as_size(k)] = panel.first + k;
  for (index_t k = 0; k < b; ++k) {
    const index_t diagonal_row = panel.first + k, top = rows.local(diagonal_row);
    const auto candidates = A.block(top, k, A.rows() - top, 1);
    index_t at = top, row = rows.n;
    if (!candidates.empty()) {
      at += blas::find_pivot<T>(candidates, nullptr);
      row = rows.global(at);
    }
    pack(mine, &row, sizeof row);
    for (index_t j = 0; j < b; ++j) {
      mine[head + j] = row < rows.n ? A(at, j) : T(0);
      mine[head + b + j] = panel.at_root() ? A(top, j) : T(0);
    }
    rows.line->all_gather(mine, count, all, moved);

    const auto row_of = [&](int p) {
      index_t found;
      unpack(&found, all + p * count, sizeof found);
      return found;
    };
    // As blas::find_pivot: NaN is larger than all numbers; halves are compared if the largest |Re|
    // + |Im| overflows.
    const auto first_largest = [&](auto size_of) {
      int best = 0;
      for (int p = 1; p < rows.size(); ++p) {
        const auto size = size_of(all[p * count + head + k]),
                   largest = size_of(all[best * count + head + k]);
        if (largest == largest &&
            (!(size <= largest) || (size == largest && row_of(p) < row_of(best))))
          best = p;
      }
      return best;
    };
    int best = first_largest([](const T& x) { return detail::pivot_size(x); });
    if constexpr (is_complex<T>)
      if (!detail::is_finite(detail::pivot_size(all[best * count + head + k])))
        best = first_largest([](const T& x) { return detail::pivot_size(blas::halved(x)); });
    const index_t pivot_number = row_of(best);
    const T* const pivot_row = all + best * count + head;
    const T* const old_row = all + panel.root * count + head + b;
    const T pivot = pivot_row[k];
    if (!detail::is_finite(pivot)) return status::at(status_kind::not_finite, diagonal_row);
    if (pivot == T(0)) {
      if (outcome.ok()) outcome = status::at(status_kind::singular, diagonal_row);
      continue;
    }
    interchanges[detail::as_size(k)] = pivot_number;
    const index_t block = pivot_number / rows.block;
    if (rows.mine(block))
      for (index_t j = 0; j < b; ++j) A(rows.local(pivot_number), j) = old_row[j];
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
