#pragma once
// The pivots of a panel whose rows are on several processes, a process column: by a tournament of
// candidate rows, or column by column.

#include <cstdint>
#include <cstring>
#include <span>

#include "trifac/blas/divide.hpp"
#include "trifac/blas/tournament.hpp"
#include "trifac/distributed/agreement.hpp"
#include "trifac/distributed/interchange.hpp"
#include "trifac/lu.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// The interchanges that bring the rows candidates[0], candidates[1], … to first, first + 1, …
inline void interchanges_of(std::span<const index_t> candidates, index_t first,
                            std::span<index_t> interchanges) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    index_t at = candidates[i];  // and where the steps before have brought it
    for (std::size_t j = 0; j < i; ++j)
      if (at == first + static_cast<index_t>(j)) at = interchanges[j];
    interchanges[i] = at;
  }
}

/// Candidate rows of a tournament, as a message: how many, which of the matrix, their elements.
template <class T>
class candidate_rows {
 public:
  /// At most b rows of b elements.
  static index_t elements(index_t b) { return head(b) + b * b; }

  candidate_rows(T* message, index_t b) : message_(message), b_(b) {}

  T* data() const { return message_; }
  index_t count() const { return number(0); }
  void set_count(index_t count) const { set(0, count); }
  index_t row(index_t i) const { return number(1 + i); }
  void set_row(index_t i, index_t row) const { set(1 + i, row); }
  trifac::matrix_view<T> values() const { return column_major(message_ + head(b_), b_, b_); }

 private:
  static index_t head(index_t b) {
    return elements_for<T>(detail::as_size(1 + b) * sizeof(std::int64_t));
  }
  index_t number(index_t i) const {
    index_t x;
    unpack(&x, message_, sizeof x, i);
    return x;
  }
  void set(index_t i, index_t x) const { pack(message_, &x, sizeof x, i); }

  T* message_;
  index_t b_;
};

template <class T>
struct search_memory {
  search_memory() = default;
  search_memory(index_t rows, index_t b, int processes)
      : copy(rows * b),
        saved(rows * b),
        stacked(2 * b * b),
        candidates(candidate_rows<T>::elements(b)),
        others(candidate_rows<T>::elements(b)),
        both(candidate_rows<T>::elements(b)),
        order(rows + 2 * b),
        found((processes + 1) * (pivot_head + 2 * b)) {}
  bool ok() const {
    return copy.get() && saved.get() && stacked.get() && candidates.get() && others.get() &&
           both.get() && order.get() && found.get();
  }

  static constexpr index_t pivot_head = elements_for<T>(2 * sizeof(std::int64_t));
  buffer<T> copy, saved, stacked, candidates, others, both;
  buffer<index_t> order;
  buffer<T> found;  ///< of one process, then of all
};

/// This process's rows of a panel: b columns from row `first` of the matrix on, its diagonal block on the
/// process `root` of the line, whole; at least one block row below it.
template <class T>
struct split_panel {
  axis rows;
  trifac::matrix_view<T> column;  ///< all local rows
  index_t first, top;             ///< top: the first local row of the panel
  int root;

  index_t width() const { return column.cols(); }
  trifac::matrix_view<T> here() const {
    return column.block(top, 0, column.rows() - top, column.cols());
  }
  bool at_root() const { return rows.line->rank() == root; }
};

/// A local LU with partial pivoting of W: order[0], order[1], … are the rows that it brings to the top.
template <class B, class T>
void local_lu(const B& backend, together& on, const trifac::matrix_view<T>& W,
              std::span<index_t> order) {
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<index_t>(i);
  pivots p;
  on.record_mine(trifac::try_lu(backend, W, p).status());
  for (index_t i = 0; i < p.size(); ++i)
    std::swap(order[detail::as_size(i)], order[detail::as_size(p[i])]);
}

/// The b pivot rows of the panel and the factor of their block, in ⌈log₂ p⌉ rounds:
///
///   process       0      1      2      3      4        local LU of all rows: b candidates
///   round 1       0 <--- 1      2 <--- 3      4        local LU of 2b rows: b of them stay
///   round 2       0 <---------- 2             4
///   round 3       0 <------------------------ 4        process 0 has the diagonal block
///
/// The result is broadcast, its rows those of the interchanges; with no rows where a pivot is zero or not
/// finite. Source: Grigori, Demmel, Xiang, CALU, SIMAX 32(4), 2011.
template <class B, class T>
candidate_rows<T> tournament(const B& backend, together& on, const split_panel<T>& panel,
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

/// The panel := [L11\U11; L21], its rows interchanged, by a tournament. False, with the panel as it was,
/// where a pivot is zero or not finite, or some |l_ij| is larger than max_l; the same on all processes
/// of the line.
template <class B, class T>
bool factor_by_tournament(const B& backend, together& on, const split_panel<T>& panel, double max_l,
                          std::span<index_t> interchanges, search_memory<T>& memory,
                          interchange_memory<T>& exchanged, traffic& moved) {
  const auto A = panel.here();
  const index_t b = panel.width();
  const candidate_rows<T> winners = tournament(backend, on, panel, max_l, memory, moved);
  if (winners.count() == 0) return false;
  for (index_t i = 0; i < b; ++i) interchanges[detail::as_size(i)] = winners.row(i);

  const auto saved = column_major(memory.saved.get(), A.rows(), b);
  copy<T>(A, saved);
  interchange(panel.rows, exchanged.moves_of(interchanges, panel.first, false), panel.column,
              panel.column.block(0, 0, 0, 0), exchanged, moved);
  const index_t done = panel.at_root() ? b : 0;
  copy<T>(winners.values().block(0, 0, done, b), A.block(0, 0, done, b));
  const auto A21 = A.block(done, 0, A.rows() - done, b);
  if (!A21.empty())  // A21 := A21·U11⁻¹, transposed
    on.record_mine(detail::run_triangular_solve(backend, operand<T>(winners.values().transposed()),
                                                triangle::lower, diagonal::general,
                                                A21.transposed()));
  std::int64_t good[] = {blas::is_bounded<T>(
                             A21, [](index_t) { return index_t(0); }, max_l)
                             ? 1
                             : 0};
  panel.rows.line->least(good, moved);
  if (good[0] == 0) copy<T>(saved, A);
  return good[0] != 0;
}

/// The same by partial pivoting: for each column, each process gives its largest element with its row,
/// and the root the diagonal's row. Status as trifac::lu, its index that of the matrix.
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
    rows.line->gather(mine, count, all, moved);

    const T* winner = all;
    for (int p = 0; p < rows.size(); ++p) {
      candidate next;
      unpack(&next, all + p * count, sizeof next);
      if (p > 0 && !(next.size > best.size || next.size != next.size) &&
          !(next.size == best.size && next.row < best.row))
        continue;
      best = next;
      winner = all + p * count;
      if (next.size != next.size) break;
    }
    const T* const pivot_row = winner + head;
    const T* const old_row = all + panel.root * count + head + b;
    const T pivot = pivot_row[k];
    interchanges[detail::as_size(k)] = best.row;
    if (!detail::is_finite(pivot)) return status::at(status_kind::not_finite, diagonal_row);
    if (pivot == T(0)) {
      if (outcome.ok()) outcome = status::at(status_kind::singular, diagonal_row);
      interchanges[detail::as_size(k)] = diagonal_row;
      continue;
    }
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
