#pragma once
// The panel of lu_blocked for a distributed matrix: every process runs the nest and its part of
// each step.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/distributed/factor.hpp"
#include "trifac/engine/distributed/panel.hpp"
#include "trifac/engine/distributed/partial_pivoting.hpp"
#include "trifac/engine/distributed/product.hpp"
#include "trifac/engine/distributed/tournament.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// Buffers of a process for one panel at a time, and the interchanges of all panels.
template <class T>
struct lu_memory {
  /// Empty for a null matrix.
  explicit lu_memory(const local_part<T>& A) {
    if (A.grid == nullptr) return;
    const index_t b = std::min(A.rows.block, A.cols.block);
    const index_t m = A.rows.local_count(), n = A.cols.local_count();
    head = elements_for<T>(detail::as_size(numbers + b) * sizeof(std::int64_t));
    for (buffer<T>& column : columns) column = buffer<T>(head + m * A.cols.block);
    row = buffer<T>(b * n);
    steps = buffer<index_t>(b);
    has_room = make_room(interchanges, m);
    search = search_memory<T>(m, b, A.rows.size());
    exchanged = interchange_memory<T>(b, n, A.rows.size());
  }
  bool ok() const {
    return columns[0].get() && columns[1].get() && row.get() && steps.get() && has_room &&
           search.ok() && exchanged.ok();
  }

  static constexpr index_t numbers = 3;  ///< kind and index of the status, number of refactored
                                         ///< panels
  index_t head = 0;
  /// Of this and the next panel: numbers, interchanges; the local rows of L.
  buffer<T> columns[2];
  buffer<T> row;                      ///< the local columns of U12
  buffer<index_t> steps;              ///< interchanges of the panel
  std::vector<index_t> interchanges;  ///< of all local rows
  bool has_room = false;
  search_memory<T> search;
  interchange_memory<T> exchanged;
};

template <class B, class T>
struct lu_of : panels_of<B, T, lu_memory<T>> {
  array_lu_options options;
  index_t refactored = 0;
};

/// Columns k·b … of A from the diagonal on; b: the block of its distribution in both dimensions.
///
///                          computed by              received by                  from
///   factor     A11, A21    its process column       L11, L21: process rows       that column
///   eliminate  P           each process column      interchanged rows            its rows
///              A12         the process row of A11   U12: process columns         that row
///              A22         all processes
template <class B, class T>
class lu_panel : public panel_on_grid<lu_panel<B, T>, lu_of<B, T>> {
 public:
  using base = panel_on_grid<lu_panel, lu_of<B, T>>;
  using base::base;

  index_t columns_right() const { return steps() > 0 ? cols().n - cols().first(k_ + 1) : 0; }

  /// [A11; A21] = Pᵀ·[L11; L21]·U11.
  void begin_factor(process_executor& on) const {
    if (steps() == 0) return;
    const auto L = factored();
    if (cols().mine(k_)) {
      pack_status(message(), factor_column(on));
      pack(message(), &all_->refactored, sizeof(index_t), 2);
      for (index_t i = 0; i < steps(); ++i)
        pack(message(), memory().steps.get() + i, sizeof(index_t), memory().numbers + i);
      copy<T>(column().block(top(), 0, L.rows(), L.cols()), L);
    }
    begin_broadcast(memory().head + L.rows() * L.cols());
  }
  void finish_factor(process_executor& on) const {
    if (steps() == 0) return;
    finish_broadcast();
    on.record(unpack_status(message()));
    unpack(&all_->refactored, message(), sizeof(index_t), 2);
    for (index_t i = 0; i < steps(); ++i)
      unpack(memory().steps.get() + i, message(), sizeof(index_t), memory().numbers + i);
    if (rows().mine(k_))
      std::copy_n(memory().steps.get(), steps(), memory().interchanges.begin() + top());
  }

  /// A12 = L11⁻¹·P·A12, A22 = P·A22 − A21·A12; interchanges the columns left of the panel, too.
  void eliminate(process_executor& on, const lu_panel& next) const {
    interchange_rows(local_col(k_), local_col(k_ + 1));
    const auto& A = local();
    const index_t right = local_col(k_ + 1), n = A.cols() - right, s = steps();
    const index_t done = rows().mine(k_) ? s : 0, below = top() + done;
    const auto L = factored();
    const auto U = column_major(memory().row.get(), s, n);
    if (rows().mine(k_) && n > 0) {
      const auto A12 = A.block(top(), right, s, n);
      on.record_mine(detail::run_triangular_solve(*all_->backend, operand<T>(L.block(0, 0, s, s)),
                                                  triangle::lower, diagonal::unit, A12));
      copy<T>(A12, U);
    }
    rows().line->broadcast(U.data(), s * n, rows().owner(k_), *all_->moved);
    const auto subtract = [&](index_t from, index_t to) {
      if (below < A.rows() && from < to)
        on.record_mine(detail::calls_on<B, T>::subtract_product(
            detail::nest_backend<T>(*all_->backend),
            operand<T>(L.block(done, 0, A.rows() - below, s)), U.block(0, from, s, to - from),
            A.block(below, right + from, A.rows() - below, to - from)));
    };
    const index_t next_cols = next.steps() > 0 && cols().mine(k_ + 1) ? cols().width(k_ + 1) : 0;
    update_around(on, next, next_cols, n, subtract);
  }

  /// For the last panel only: eliminate() has done the others'.
  void interchange_left(process_executor& on) const {
    if (steps() > 0 && !on.stopped()) interchange_rows(local_col(k_), local().cols());
  }

 private:
  using base::all_, base::k_, base::begin_broadcast, base::cols, base::finish_broadcast,
      base::local, base::local_col, base::local_row, base::memory, base::message, base::rows,
      base::update_around;

  index_t first() const { return rows().first(k_); }
  index_t top() const { return local_row(k_); }
  /// Rows of its diagonal block; fewer than columns in the last panel of a wide matrix.
  index_t steps() const { return std::min(cols().width(k_), rows().width(k_)); }

  /// The panel's columns on the processes that own them: all local rows.
  trifac::matrix_view<T> column() const {
    return local().block(0, local_col(k_), local().rows(), cols().width(k_));
  }
  /// The local rows of the factored panel from the diagonal block on.
  trifac::matrix_view<T> factored() const {
    return column_major(message() + memory().head, local().rows() - top(), cols().width(k_));
  }

  void interchange_rows(index_t left, index_t right) const {
    const auto& A = local();
    const std::span<const index_t> interchanges(memory().steps.get(), detail::as_size(steps()));
    interchange(
        rows(),
        memory().exchanged.moves_of(interchanges, first(), detail::interchange_order::forward),
        A.block(0, 0, A.rows(), left), A.block(0, right, A.rows(), A.cols() - right),
        memory().exchanged, *all_->moved);
  }

  status factor_column(process_executor& on) const {
    const std::span<index_t> steps_here(memory().steps.get(), detail::as_size(steps()));
    const bool split = rows().size() > 1 && k_ + 1 < rows().blocks();
    if (!split) return factor_whole(steps_here);
    const split_panel<T> panel = {rows(), column(), first(), top(), rows().owner(k_)};
    if (all_->options.pivoting == pivoting::tournament) {
      const double most = std::numeric_limits<real_t<T>>::max();
      const double max_l = std::min(all_->options.max_l, most);
      if (factor_by_tournament(*all_->backend, on, panel, max_l, steps_here, memory().search,
                               memory().exchanged, *all_->moved))
        return {};
      ++all_->refactored;
    }
    return factor_by_columns(panel, steps_here, memory().search, *all_->moved);
  }

  /// A panel whose rows are all on one process.
  status factor_whole(std::span<index_t> steps_here) const {
    std::int64_t found[2] = {};
    if (rows().mine(k_)) {
      const auto A = column().block(top(), 0, local().rows() - top(), cols().width(k_));
      pivots p;
      pack_status(found, trifac::try_lu(*all_->backend, A, p).status(), first());
      for (index_t i = 0; i < steps(); ++i)
        steps_here[detail::as_size(i)] = first() + (i < p.size() ? p[i] : i);
    }
    rows().line->broadcast(found, 2, rows().owner(k_), *all_->moved);
    rows().line->broadcast(steps_here.data(), steps(), rows().owner(k_), *all_->moved);
    return unpack_status(found);
  }
};

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
