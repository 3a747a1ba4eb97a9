#pragma once
// The panel of cholesky_blocked for a distributed matrix: every process runs the nest and its part
// of each step.

#include <algorithm>
#include <cstdint>

#include "trifac/cholesky.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/distributed/panel.hpp"
#include "trifac/engine/distributed/product.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// Buffers of a process for a panel and the next one.
template <class T>
struct cholesky_memory {
  /// Empty for a null matrix.
  explicit cholesky_memory(const local_part<T>& A) {
    if (A.grid == nullptr) return;
    const index_t b = A.rows.block;
    diagonal = buffer<T>(b * b + header);
    for (buffer<T>& column : columns) column = buffer<T>(header + A.rows.local_count() * b);
    gathered = buffer<T>(A.cols.local_count() * b);
    row = buffer<T>(A.cols.local_count() * b);
    tile = buffer<T>(b * b);
    counts = buffer<int>(2 * A.rows.size());
  }
  bool ok() const {
    return diagonal.get() && columns[0].get() && columns[1].get() && gathered.get() && row.get() &&
           tile.get() && counts.get();
  }

  static constexpr index_t header = elements_for<T>(2 * sizeof(std::int64_t));
  buffer<T> diagonal;    ///< status, L11
  buffer<T> columns[2];  ///< of this and the next panel: status; the local rows of L21
  buffer<T> gathered;    ///< rows of L21 for this process's columns, block by block
  buffer<T> row;         ///< the same conjugated, in order
  buffer<T> tile;        ///< product for a diagonal block
  buffer<int> counts;
};

template <class B, class T>
using cholesky_of = panels_of<B, T, cholesky_memory<T>>;

/// Columns k·b … of the lower triangle A; b: the block of its distribution in both dimensions.
///
///                       computed by                  received by                   from
///   factor       A11    its process                  L11, status: process column   that process
///                A21    the process column of A11    L21, status: process rows     that column
///   solve_below                                      L21ᵀ: process columns         their own rows
///   update       A22    all processes
template <class B, class T>
class cholesky_panel : public panel_on_grid<cholesky_panel<B, T>, cholesky_of<B, T>> {
 public:
  using base = panel_on_grid<cholesky_panel, cholesky_of<B, T>>;
  using base::base;

  index_t rows_below() const { return rows().n - rows().first(k_ + 1); }

  /// A11 = L11, A21 = A21·L11⁻ᴴ.
  void begin_factor(process_executor& on) const {
    const auto W = below();
    if (cols().mine(k_)) {
      const status s = factor_block();
      pack_status(message(), s);
      if (s && W.rows() > 0) {
        const auto A21 = local().block(local_row(k_ + 1), local_col(k_), W.rows(), W.cols());
        // The transposed equation: conj(L11)·X = A21ᵀ.
        on.record_mine(detail::run_triangular_solve(*all_->backend, conjugate(L11()),
                                                    triangle::lower, diagonal::non_unit,
                                                    A21.transposed()));
        copy<T>(A21, W);
      }
    }
    begin_broadcast(header + W.rows() * W.cols());
  }
  void finish_factor(process_executor& on) const {
    finish_broadcast();
    on.record(unpack_status(message()));
  }
  /// A21 was solved with the panel; sends its rows to the processes whose columns they update.
  void solve_below(process_executor&) const { gather_row(); }

  /// A22 = A22 − A21·A21ᴴ, lower triangle, by block columns.
  void update(process_executor& on, const cholesky_panel& next) const {
    update_around(on, next, cols().mine(k_ + 1) ? 1 : 0, block_columns(),
                  [&](index_t from, index_t to) { subtract_lower(on, from, to, local().rows()); });
  }

 private:
  using base::all_, base::k_, base::begin_broadcast, base::cols, base::finish_broadcast,
      base::local, base::local_col, base::local_row, base::memory, base::message, base::rows,
      base::update_around;
  static constexpr index_t header = cholesky_memory<T>::header;

  /// A11 = L11 on its process, broadcast in its process column.
  status factor_block() const {
    const index_t b = cols().width(k_);
    T* const block = memory().diagonal.get();
    if (rows().mine(k_)) {
      const auto A11 = local().block(local_row(k_), local_col(k_), b, b);
      pack_status(block, try_cholesky(*all_->backend, A11).status(), cols().first(k_));
      copy<T>(A11, column_major(block + header, b, b));
    }
    rows().line->broadcast(block, header + b * b, rows().owner(k_), *all_->moved);
    return unpack_status(block);
  }

  trifac::matrix_view<const T> L11() const {
    const index_t b = cols().width(k_);
    return column_major<const T>(memory().diagonal.get() + header, b, b);
  }
  /// The local rows of L21.
  trifac::matrix_view<T> below() const {
    return column_major(message() + header, local().rows() - local_row(k_ + 1), cols().width(k_));
  }

  /// The number of this process's block columns right of the panel, and the global number of the
  /// i-th.
  index_t block_columns() const {
    const index_t n = local().cols() - local_col(k_ + 1);
    return (n + cols().block - 1) / cols().block;
  }
  index_t block_column(index_t i) const {
    return cols().global(local_col(k_ + 1) + i * cols().block) / cols().block;
  }

  /// After the broadcast, the rows of L21 that this process's columns need are on the processes of
  /// its process column.
  void gather_row() const {
    const index_t b = cols().width(k_), right = local_col(k_ + 1), n = local().cols() - right;
    const auto W = below();
    int *const counts = memory().counts.get(), *const starts = counts + rows().size();
    std::fill_n(counts, 2 * rows().size(), 0);
    for (index_t i = 0; i < block_columns(); ++i) {
      const index_t j = block_column(i);
      counts[rows().owner(j)] += static_cast<int>(rows().width(j) * b);
    }
    for (int p = 1; p < rows().size(); ++p) starts[p] = starts[p - 1] + counts[p - 1];
    T *const all = memory().gathered.get(), *mine = all + starts[rows().line->rank()];
    for (index_t i = 0; i < block_columns(); ++i) {
      const index_t j = block_column(i), w = rows().width(j);
      if (!rows().mine(j)) continue;
      copy<T>(W.block(local_row(j) - local_row(k_ + 1), 0, w, b), column_major(mine, w, b));
      mine += w * b;
    }
    rows().line->all_gather(all, counts, starts, *all_->moved);

    // conj(L21), the rows for this process's columns: cols × b.
    const auto R = column_major(memory().row.get(), n, b);
    for (index_t i = 0; i < block_columns(); ++i) {
      const index_t j = block_column(i), w = rows().width(j), at = i * cols().block;
      int& start = starts[rows().owner(j)];
      const auto piece = column_major(all + start, w, b);
      for (index_t q = 0; q < b; ++q)
        for (index_t p = 0; p < w; ++p) R(at + p, q) = detail::conjugate(piece(p, q));
      start += static_cast<int>(w * b);
    }
  }

  /// Block columns from … to − 1 of this process, the lower part above local row `end`:
  /// recursively, one product below the first half, then each half.
  void subtract_lower(process_executor& on, index_t from, index_t to, index_t end) const {
    if (from >= to) return;
    if (to - from == 1) return subtract_column(on, from, end);
    const index_t middle = from + (to - from) / 2;
    const index_t top = local_row(block_column(middle));
    subtract(on, top, end, from, middle);
    subtract_lower(on, from, middle, top);
    subtract_lower(on, middle, to, end);
  }
  void subtract_column(process_executor& on, index_t i, index_t end) const {
    const index_t j = block_column(i), w = cols().width(j), top = local_row(j);
    index_t rest = top;
    if (rows().mine(j)) {
      const auto product = column_major(memory().tile.get(), w, w);
      std::fill_n(product.data(), w * w, T(0));
      subtract_from(product, on, top, top + w, i, i + 1);
      const auto C = local().block(top, local_col(j), w, w);
      for (index_t q = 0; q < w; ++q)
        for (index_t p = q; p < w; ++p) C(p, q) += product(p, q);
      rest += w;
    }
    subtract(on, rest, end, i, i + 1);
  }
  void subtract(process_executor& on, index_t top, index_t end, index_t from, index_t to) const {
    const index_t left = local_col(block_column(from)), n = columns(from, to);
    subtract_from(local().block(top, left, end - top, n), on, top, end, from, to);
  }
  /// C −= L21·L21ᴴ of local rows top … end − 1 and block columns from … to − 1.
  void subtract_from(const trifac::matrix_view<T>& C, process_executor& on, index_t top,
                     index_t end, index_t from, index_t to) const {
    const index_t b = cols().width(k_), above = local_row(k_ + 1);
    const auto W = below();
    const auto R = column_major<const T>(memory().row.get(), local().cols() - local_col(k_ + 1), b);
    if (end <= top) return;
    const auto right = R.block(from * cols().block, 0, columns(from, to), b).transposed();
    on.record_mine(detail::calls_on<B, T>::subtract_product(
        detail::nest_backend<T>(*all_->backend), operand<T>(W.block(top - above, 0, end - top, b)),
        right, C));
  }
  index_t columns(index_t from, index_t to) const {
    const index_t b = cols().block, all = local().cols() - local_col(k_ + 1);
    return std::min(to * b, all) - from * b;
  }
};

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
