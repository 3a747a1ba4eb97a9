#pragma once
// T·X = B and Tᵀ·X = B with a distributed triangle T. T stays in place; blocks of X are sent to it.

#include <algorithm>

#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/distributed/agreement.hpp"
#include "trifac/engine/distributed/memory.hpp"
#include "trifac/engine/distributed/product.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// A triangle of a distributed matrix, as a factor of a solve.
template <class T>
struct triangle_of {
  local_part<T> A;
  triangle part;
  diagonal diag;
  operation op;  ///< with Tᵀ or Tᴴ; `transpose` and `adjoint` differ for complex types

  /// True if block rows are solved from the first to the last.
  bool forward() const { return (part == triangle::lower) == (op == operation::none); }
  operand<T> block(index_t i, index_t j, index_t m, index_t n) const {
    const operand<T> stored(A.local.block(i, j, m, n));
    if (op == operation::none) return stored;
    return {stored.view.transposed(), op == operation::adjoint && is_complex<T>};
  }
};

template <class T>
struct substitution_memory {
  /// Right-hand sides per pass.
  static constexpr index_t most_columns = 256;

  /// Empty for null matrices.
  substitution_memory(const local_part<T>& A, const local_part<T>& B) {
    if (A.grid == nullptr || B.grid == nullptr) return;
    columns = std::clamp<index_t>(B.cols.n, 1, most_columns);
    sums = buffer<T>(std::max(A.local.rows(), A.local.cols()) * columns);
    block = buffer<T>(A.rows.block * columns);
    known = buffer<T>(A.rows.block * columns);
  }
  bool ok() const { return sums.get() && block.get() && known.get(); }

  index_t columns = 1;
  buffer<T> sums;   ///< −Σ t·x over the known x, for the local rows (with Tᵀ: columns)
  buffer<T> block;  ///< a block row of X
  buffer<T> known;  ///< a block row of B
};

/// B := op(T)⁻¹·B. T: n×n in square blocks; the rows of B are distributed as those of T.
///
///     | T11           |        k: the block row being solved; T22 is on process (p, q)
/// T = | T21  T22      |        op = none: x_k is sent to process column q, which has T32;
///     | T31  T32  T33 |        else to process row p, which has T21
///
/// For each block, with messages of the size of x_k: one sum along process row p and broadcasts
/// along p and q; with Tᵀ or Tᴴ sums along p and q and a broadcast along p. n²r flops, r right-hand
/// sides.
template <class B, class T>
class substitution {
 public:
  substitution(const B& backend, process_executor& on, const triangle_of<T>& t,
               const local_part<T>& X, substitution_memory<T>& memory, traffic& moved)
      : backend_(backend), on_(on), t_(t), A_(t.A), X_(X), memory_(memory), moved_(moved) {}

  void run() {
    for (from_ = 0; from_ < X_.cols.n; from_ += memory_.columns) {
      columns_ = std::min(memory_.columns, X_.cols.n - from_);
      const bool by_rows = t_.op == operation::none;
      sums_ =
          column_major(memory_.sums.get(), by_rows ? A_.local.rows() : A_.local.cols(), columns_);
      std::fill_n(sums_.data(), sums_.rows() * columns_, T(0));
      const index_t blocks = A_.rows.blocks();
      for (index_t i = 0; i < blocks; ++i) solve(t_.forward() ? i : blocks - 1 - i);
    }
  }

 private:
  void solve(index_t k) {
    const axis &rows = A_.rows, &cols = A_.cols;
    const bool in_row = rows.mine(k), in_col = cols.mine(k), transposed = t_.op != operation::none;
    if (!in_row && !in_col) return;
    const index_t w = rows.width(k), top = rows.local(rows.first(k)),
                  left = cols.local(cols.first(k));
    const auto x = column_major(memory_.block.get(), w, columns_);
    const auto b = column_major(memory_.known.get(), w, columns_);
    const index_t count = w * columns_;

    std::fill_n(b.data(), count, T(0));
    if (in_row) {
      for (index_t l = first_column(); l < last_column(); ++l)
        for (index_t i = 0; i < w; ++i) b(i, X_.cols.global(l) - from_) = X_.local(top + i, l);
      if (!transposed) add(sums_.block(top, 0, w, columns_), b);
      cols.line->reduce_sum(b.data(), count, cols.owner(k), moved_);
    }
    if (transposed && in_col) {
      copy<T>(sums_.block(left, 0, w, columns_), x);
      rows.line->reduce_sum(x.data(), count, rows.owner(k), moved_);
    }
    if (in_row && in_col) {
      if (transposed) add(x, b);
      copy<T>(b, x);
      // Zeros on the diagonal are not detected here: the end of a solve finds the non-finite row.
      on_.record_mine(detail::substitute(backend_, t_.block(top, left, w, w),
                                         t_.forward() ? triangle::lower : triangle::upper, t_.diag,
                                         x));
    }
    if (in_row) {
      cols.line->broadcast(x.data(), count, cols.owner(k), moved_);
      for (index_t l = first_column(); l < last_column(); ++l)
        for (index_t i = 0; i < w; ++i) X_.local(top + i, l) = x(i, X_.cols.global(l) - from_);
    }
    if (!transposed && in_col) {
      rows.line->broadcast(x.data(), count, rows.owner(k), moved_);
      const index_t at = t_.forward() ? top + (in_row ? w : 0) : 0;
      const index_t end = t_.forward() ? A_.local.rows() : top;
      subtract(t_.block(at, left, end - at, w), x, sums_.block(at, 0, end - at, columns_));
    }
    if (transposed && in_row) {
      const index_t at = t_.forward() ? left + (in_col ? w : 0) : 0;
      const index_t end = t_.forward() ? A_.local.cols() : left;
      subtract(t_.block(top, at, w, end - at), x, sums_.block(at, 0, end - at, columns_));
    }
  }

  /// This process's columns of X in the current pass.
  index_t first_column() const { return X_.cols.local(from_); }
  index_t last_column() const { return X_.cols.local(from_ + columns_); }

  static void add(const trifac::matrix_view<T>& from, const trifac::matrix_view<T>& to) {
    for (index_t j = 0; j < to.cols(); ++j)
      for (index_t i = 0; i < to.rows(); ++i) to(i, j) += from(i, j);
  }
  void subtract(const operand<T>& A, const trifac::matrix_view<T>& x,
                const trifac::matrix_view<T>& sums) {
    if (!sums.empty())
      on_.record_mine(
          detail::calls_on<B, T>::subtract_product(detail::nest_backend<T>(backend_), A, x, sums));
  }

  const B& backend_;
  process_executor& on_;
  const triangle_of<T>& t_;
  const local_part<T>& A_;
  const local_part<T>& X_;
  substitution_memory<T>& memory_;
  traffic& moved_;
  trifac::matrix_view<T> sums_;
  index_t from_ = 0, columns_ = 0;
};

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac
