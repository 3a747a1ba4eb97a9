#pragma once
// The panel of cholesky_blocked whose matrix is distributed: every process runs the nest, and does
// its part of each step.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trifac/cholesky.hpp"
#include "trifac/distributed/agreement.hpp"
#include "trifac/distributed/memory.hpp"
#include "trifac/distributed/product.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// Buffers of a process for one panel at a time.
template <class T>
struct cholesky_memory {
  /// Nothing for a null matrix.
  explicit cholesky_memory(const local_part<T>& A) {
    if (A.grid == nullptr) return;
    const index_t b = A.rows.block;
    diagonal = buffer<T>(b * b + header);
    column = buffer<T>(A.rows.local_count() * b);
    gathered = buffer<T>(A.cols.local_count() * b);
    row = buffer<T>(A.cols.local_count() * b);
    tile = buffer<T>(b * b);
    counts = buffer<int>(2 * A.rows.size());
  }
  bool ok() const {
    return diagonal.get() && column.get() && gathered.get() && row.get() && tile.get() &&
           counts.get();
  }

  static constexpr index_t header = elements_for<T>(2 * sizeof(std::int64_t));
  buffer<T> diagonal;  ///< status, L11
  buffer<T> column;    ///< L21, the rows of this process
  buffer<T> gathered;  ///< rows of L21 that belong to this process's columns, block by block
  buffer<T> row;       ///< the same conjugated, in order
  buffer<T> tile;      ///< a diagonal block's product
  buffer<int> counts;
};

/// Columns k·b … of the lower triangle A; b: the block of its distribution in both dimensions.
///
///                          who                          receives                  from
///   factor       A11       its process                  L11, status: everybody    that process
///   solve_below  A21       the process column of A11    L21: process rows         that column
///                                                       L21ᵀ: process columns     their own rows
///   update       A22       everybody
template <class B, class T>
class cholesky_panel {
 public:
  cholesky_panel(const B& backend, const local_part<T>& A, cholesky_memory<T>& memory,
                 traffic& moved)
      : backend_(&backend), A_(A), memory_(&memory), moved_(&moved) {}

  index_t rows_below() const { return A_.rows.n - A_.rows.first(k_ + 1); }
  cholesky_panel next() const {
    cholesky_panel p = *this;
    ++p.k_;
    return p;
  }

  void factor(process_executor& on) const {
    const index_t b = A_.cols.width(k_);
    T* const message = memory_->diagonal.get();
    std::int64_t found[2] = {};
    if (A_.rows.mine(k_) && A_.cols.mine(k_)) {
      const auto A11 =
          A_.local.block(A_.rows.local(A_.rows.first(k_)), A_.cols.local(A_.cols.first(k_)), b, b);
      const status s = try_cholesky(*backend_, A11).status();
      found[0] = static_cast<std::int64_t>(s.kind());
      found[1] = s.index() + A_.cols.first(k_);
      pack(message, found, sizeof found);
      copy<T>(A11, column_major(L11(), b, b));
    }
    const int root = A_.rank_of(A_.rows.owner(k_), A_.cols.owner(k_));
    A_.grid->all().broadcast(message, memory_->header + b * b, root, *moved_);
    unpack(found, message, sizeof found);
    on.record(status_of(found[0], found[1]));
  }

  /// A21 = A21·L11⁻ᴴ.
  void solve_below(process_executor& on) const {
    const index_t b = A_.cols.width(k_), from = local_row(k_ + 1), rows = A_.local.rows() - from;
    const auto W = column_major(memory_->column.get(), rows, b);
    if (A_.cols.mine(k_) && rows > 0) {
      const auto A21 = A_.local.block(from, local_col(k_), rows, b);
      const auto L = column_major<const T>(L11(), b, b);
      // The transposed equation: conj(L11)·X = A21ᵀ.
      on.record_mine(detail::run_triangular_solve(*backend_, conjugate(L), triangle::lower,
                                                  diagonal::general, A21.transposed()));
      copy<T>(A21, W);
    }
    A_.cols.line->broadcast(W.data(), rows * b, A_.cols.owner(k_), *moved_);
    gather_row();
  }

  /// A22 = A22 − A21·A21ᴴ, its lower triangle; the next A11 is factored.
  void update(process_executor& on, const cholesky_panel& next) const {
    subtract_lower(on, 0, block_columns(), A_.local.rows());
    next.factor(on);
  }

 private:
  T* L11() const { return memory_->diagonal.get() + memory_->header; }
  index_t local_row(index_t k) const { return A_.rows.local(A_.rows.first(k)); }
  index_t local_col(index_t k) const { return A_.cols.local(A_.cols.first(k)); }

  /// This process's block columns on the right of the panel, and which of the matrix the i-th is.
  index_t block_columns() const {
    const index_t cols = A_.local.cols() - local_col(k_ + 1);
    return (cols + A_.cols.block - 1) / A_.cols.block;
  }
  index_t block_column(index_t i) const {
    return A_.cols.global(local_col(k_ + 1) + i * A_.cols.block) / A_.cols.block;
  }

  /// The rows of L21 that this process's columns need are, after the broadcast, on the processes of
  /// its own process column.
  void gather_row() const {
    const axis& rows = A_.rows;
    const index_t b = A_.cols.width(k_), right = local_col(k_ + 1), cols = A_.local.cols() - right;
    const auto W = column_major(memory_->column.get(), A_.local.rows() - local_row(k_ + 1), b);
    T* const mine = memory_->row.get();
    int* const counts = memory_->counts.get();
    int* const starts = counts + rows.size();
    std::fill_n(counts, 2 * rows.size(), 0);
    index_t packed = 0;
    for (index_t i = 0; i < block_columns(); ++i) {
      const index_t j = block_column(i), w = rows.width(j);
      counts[rows.owner(j)] += static_cast<int>(w * b);
      if (!rows.mine(j)) continue;
      copy<T>(W.block(local_row(j) - local_row(k_ + 1), 0, w, b),
              column_major(mine + packed, w, b));
      packed += w * b;
    }
    for (int p = 1; p < rows.size(); ++p) starts[p] = starts[p - 1] + counts[p - 1];
    T* const all = memory_->gathered.get();
    rows.line->all_gather(mine, all, counts, starts, *moved_);

    // conj(L21) by rows of this process's columns: cols × b.
    const auto R = column_major(memory_->row.get(), cols, b);
    for (index_t i = 0; i < block_columns(); ++i) {
      const index_t j = block_column(i), w = rows.width(j), at = i * A_.cols.block;
      int& start = starts[rows.owner(j)];
      const auto piece = column_major(all + start, w, b);
      for (index_t q = 0; q < b; ++q)
        for (index_t p = 0; p < w; ++p) R(at + p, q) = detail::conjugate(piece(p, q));
      start += static_cast<int>(w * b);
    }
  }

  /// The block columns from … to − 1 of this process, their lower part above the local row `end`:
  /// one product below the halves, then each half.
  void subtract_lower(process_executor& on, index_t from, index_t to, index_t end) const {
    if (from >= to) return;
    if (to - from == 1) return subtract_column(on, from, end);
    const index_t middle = from + (to - from) / 2;
    const index_t rows = local_row(block_column(middle));
    subtract(on, rows, end, from, middle);
    subtract_lower(on, from, middle, rows);
    subtract_lower(on, middle, to, end);
  }
  void subtract_column(process_executor& on, index_t i, index_t end) const {
    const index_t j = block_column(i), w = A_.cols.width(j), top = local_row(j);
    index_t below = top;
    if (A_.rows.mine(j)) {
      const auto product = column_major(memory_->tile.get(), w, w);
      std::fill_n(product.data(), w * w, T(0));
      multiply(on, top, top + w, i, i + 1, product);
      const auto C = A_.local.block(top, local_col(j), w, w);
      for (index_t q = 0; q < w; ++q)
        for (index_t p = q; p < w; ++p) C(p, q) += product(p, q);
      below += w;
    }
    subtract(on, below, end, i, i + 1);
  }
  void subtract(process_executor& on, index_t top, index_t end, index_t from, index_t to) const {
    const index_t left = local_col(block_column(from)), cols = columns(from, to);
    multiply(on, top, end, from, to, A_.local.block(top, left, end - top, cols));
  }
  /// C −= L21·L21ᴴ of local rows top … end − 1 and block columns from … to − 1.
  void multiply(process_executor& on, index_t top, index_t end, index_t from, index_t to,
                const trifac::matrix_view<T>& C) const {
    const index_t b = A_.cols.width(k_), above = local_row(k_ + 1);
    const auto W = column_major<const T>(memory_->column.get(), A_.local.rows() - above, b);
    const auto R =
        column_major<const T>(memory_->row.get(), A_.local.cols() - local_col(k_ + 1), b);
    if (end <= top) return;
    const auto right = R.block(from * A_.cols.block, 0, columns(from, to), b).transposed();
    on.record_mine(detail::run_subtract_product(
        *backend_, operand<T>(W.block(top - above, 0, end - top, b)), right, C));
  }
  index_t columns(index_t from, index_t to) const {
    const index_t b = A_.cols.block, all = A_.local.cols() - local_col(k_ + 1);
    return std::min(to * b, all) - from * b;
  }

  const B* backend_;
  local_part<T> A_;
  cholesky_memory<T>* memory_;
  traffic* moved_;
  index_t k_ = 0;
};

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
