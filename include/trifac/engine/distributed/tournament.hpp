#pragma once
// Tournament pivoting of a panel on several processes.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "trifac/engine/blas/tournament.hpp"
#include "trifac/engine/distributed/agreement.hpp"
#include "trifac/engine/distributed/interchange.hpp"
#include "trifac/engine/distributed/product.hpp"
#include "trifac/engine/distributed/split_panel.hpp"
#include "trifac/lu.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// Local LU of W with partial pivoting: order[0], order[1], … are the rows moved to the top.
template <class B, class T>
void local_lu(const B& backend, process_executor& on, const trifac::matrix_view<T>& W,
              std::span<index_t> order) {
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<index_t>(i);
  pivots p;
  on.record_mine(trifac::try_lu(backend, W, p).status());
  for (index_t i = 0; i < p.size(); ++i)
    std::swap(order[detail::as_size(i)], order[detail::as_size(p[i])]);
}

/// Selects the b pivot rows of the panel and factors their block, in ⌈log₂ p⌉ rounds:
///
///   process       0      1      2      3      4        local LU of all rows: b candidates
///   round 1       0 <--- 1      2 <--- 3      4        local LU of 2b rows: b of them stay
///   round 2       0 <---------- 2             4
///   round 3       0 <------------------------ 4        process 0 has the diagonal block
///
/// Broadcasts the result with the row numbers for the interchanges; without rows if a pivot is zero
/// or not finite. Source: Grigori, Demmel, Xiang, CALU, SIMAX 32(4), 2011.
template <class B, class T>
candidate_rows<T> tournament(const B& backend, process_executor& on, const split_panel<T>& panel,
                             double max_l, search_memory<T>& memory, traffic& moved) {
  const communicator& line = *panel.rows.line;
  const auto A = panel.here();
  const index_t b = panel.width(), size = candidate_rows<T>::elements(b);
  const int processes = line.size(), me = (line.rank() - panel.root + processes) % processes;
  const auto rank = [&](int place) { return (place + panel.root) % processes; };
  candidate_rows<T> mine(memory.candidates.get(), b), both(memory.both.get(), b);
  const candidate_rows<T> others(memory.others.get(), b);
  const std::span<index_t> order(memory.order.get(), detail::as_size(A.rows() + 2 * b));
  auto L11 = column_major(memory.stacked.get(), b, b, 2 * b);

  const auto W = column_major(memory.copy.get(), A.rows(), b);
  copy<T>(A, W);
  local_lu(backend, on, W, order.first(detail::as_size(A.rows())));
  mine.set_count(std::min(b, A.rows()));
  for (index_t i = 0; i < mine.count(); ++i) {
    const index_t row = order[detail::as_size(i)];
    mine.set_row(i, panel.rows.global(panel.top + row));
    for (index_t j = 0; j < b; ++j) mine.values()(i, j) = A(row, j);
  }
  for (int step = 1; step < processes; step *= 2) {
    if ((me & step) != 0) {
      line.send(mine.data(), size, rank(me - step));
      break;
    }
    if (me + step >= processes) continue;
    line.receive(others.data(), size, rank(me + step), moved);
    const index_t count = mine.count(), all = count + others.count();
    const auto S = column_major(memory.stacked.get(), all, b, 2 * b);
    copy<T>(mine.values().block(0, 0, count, b), S.block(0, 0, count, b));
    copy<T>(others.values().block(0, 0, all - count, b), S.block(count, 0, all - count, b));
    local_lu(backend, on, S, order.first(detail::as_size(all)));
    both.set_count(std::min(b, all));
    for (index_t i = 0; i < both.count(); ++i) {
      const index_t at = order[detail::as_size(i)];
      const auto& from = at < count ? mine : others;
      const index_t row = at < count ? at : at - count;
      both.set_row(i, from.row(row));
      for (index_t j = 0; j < b; ++j) both.values()(i, j) = from.values()(row, j);
    }
    std::swap(mine, both);
  }
  if (panel.at_root()) {
    const bool good = blas::is_good_panel<T>(L11, L11.block(0, 0, 0, b), max_l);
    for (index_t i = 0; i < b; ++i) order[detail::as_size(i)] = mine.row(i);
    const auto interchanges = order.subspan(detail::as_size(b), detail::as_size(b));
    interchanges_of(order.first(detail::as_size(b)), panel.first, interchanges);
    mine.set_count(good ? b : 0);
    for (index_t i = 0; i < b; ++i) mine.set_row(i, interchanges[detail::as_size(i)]);
    copy<T>(L11, mine.values());
  }
  line.broadcast(mine.data(), size, panel.root, moved);
  return mine;
}

/// The panel := [L11\U11; L21] with rows interchanged, by a tournament. Returns false and restores
/// the panel if a pivot is zero or not finite, or some |l_ij| > max_l; the same on all processes of
/// the line.
template <class B, class T>
bool factor_by_tournament(const B& backend, process_executor& on, const split_panel<T>& panel,
                          double max_l, std::span<index_t> interchanges, search_memory<T>& memory,
                          interchange_memory<T>& exchanged, traffic& moved) {
  const auto A = panel.here();
  const index_t b = panel.width();
  const candidate_rows<T> pivot_rows = tournament(backend, on, panel, max_l, memory, moved);
  if (pivot_rows.count() == 0) return false;
  for (index_t i = 0; i < b; ++i) interchanges[detail::as_size(i)] = pivot_rows.row(i);

  const auto saved = column_major(memory.saved.get(), A.rows(), b);
  copy<T>(A, saved);
  interchange(panel.rows,
              exchanged.moves_of(interchanges, panel.first, detail::interchange_order::forward),
              panel.column, panel.column.block(0, 0, 0, 0), exchanged, moved);
  const index_t done = panel.at_root() ? b : 0;
  copy<T>(pivot_rows.values().block(0, 0, done, b), A.block(0, 0, done, b));
  const auto A21 = A.block(done, 0, A.rows() - done, b);
  if (!A21.empty())  // A21 := A21·U11⁻¹, transposed
    on.record_mine(
        detail::run_triangular_solve(backend, operand<T>(pivot_rows.values().transposed()),
                                     triangle::lower, diagonal::non_unit, A21.transposed()));
  std::int64_t good[] = {blas::is_bounded<T>(
                             A21, [](index_t) { return index_t(0); }, max_l)
                             ? 1
                             : 0};
  panel.rows.line->all_min(good, moved);
  if (good[0] == 0) copy<T>(saved, A);
  return good[0] != 0;
}

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
