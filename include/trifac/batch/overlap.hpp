#pragma once
// Whether two batches have memory in common.

#include "trifac/batch_view.hpp"
#include "trifac/detail/min_max.hpp"
#include "trifac/detail/overlap.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A batch as matrices in the order of their addresses. Lanes that lie side by side are one matrix,
/// each element of it as long as all of them: the chunks of an interleaved batch, not its matrices,
/// lie one behind the other.
template <class T>
class batch_footprint {
 public:
  explicit batch_footprint(const batch_view<const T>& A) : A_(A), count_(A.batch()) {
    const auto& at = A.strides();
    if (A.has_pointers() || (at.chunk > 1 && at.lane_stride != 1)) return;
    regular_ = true;
    if (at.chunk > 1) {
      lanes_ = at.chunk;
      count_ = at.first + A.batch() <= at.chunk ? 1 : (at.first + A.batch() - 1) / at.chunk + 1;
    } else if (at.chunk_stride == 1) {
      lanes_ = A.batch();
      count_ = 1;
    }
    falls_ = at.chunk_stride < 0;
  }

  index_t count() const { return count_; }

  /// The i-th lowest, where is_sorted().
  footprint operator[](index_t i) const {
    if (falls_) i = count_ - 1 - i;
    if (!regular_) return footprint(A_[i]);
    const auto& at = A_.strides();
    const index_t skipped = at.chunk > 1 ? at.first : 0;  // lanes of chunk 0 before the batch
    const index_t from = i == 0 ? 0 : i * lanes_ - skipped;
    footprint F(matrix_view<const T>(A_.data() + i * at.chunk_stride - (i == 0 ? 0 : skipped),
                                     A_.rows(), A_.cols(), at.row_stride, at.col_stride));
    F.size *= min(A_.batch(), (i + 1) * lanes_ - skipped) - from;
    return F;
  }

  /// Of the batch. O(batch) for pointers, else O(1).
  footprint::interval hull() const {
    footprint::interval all = (*this)[0].hull();
    for (index_t i = regular_ ? count_ - 1 : 1; i < count_; ++i) {
      const footprint::interval one = (*this)[i].hull();
      all = {min(all.first, one.first), max(all.last, one.last)};
    }
    return all;
  }

  /// True where addresses ascend or descend throughout.
  bool is_sorted() {
    if (regular_) return true;
    falls_ = A_.address(0) > A_.address(count_ - 1);
    for (index_t i = 1; i < count_; ++i)
      if ((*this)[i].data < (*this)[i - 1].data) return false;
    return true;
  }

 private:
  batch_view<const T> A_;
  index_t count_, lanes_ = 1;
  bool regular_ = false, falls_ = false;
};

/// Of batches whose hulls meet. Pointers in no order: each matrix and its neighbours in the other
/// batch, one matrix and all of it.
template <class T>
[[gnu::noinline]] bool matrices_meet(const batch_view<const T>& A, const batch_view<const T>& B) {
  batch_footprint<T> X(A), Y(B);
  if (!X.is_sorted() || !Y.is_sorted()) {
    const index_t reach = A.batch() == 1 || B.batch() == 1 ? max(A.batch(), B.batch()) : 1;
    for (index_t i = 0; i < A.batch(); ++i)
      for (index_t k = max<index_t>(0, i - reach); k < B.batch() && k <= i + reach; ++k)
        if (overlap(A[i], part_in_use::whole, B[k], part_in_use::whole)) return true;
    return false;
  }
  for (index_t i = 0, k = 0; i < X.count() && k < Y.count();) {
    const footprint one = X[i], other = Y[k];
    const auto x = one.hull(), y = other.hull();
    if (x.last < y.first)
      ++i;
    else if (y.last < x.first)
      ++k;
    else if (lines_meet(one, other))
      return true;
    else
      ++(x.last < y.last ? i : k);
  }
  return false;
}

/// True where a matrix of A and one of B, whichever, share memory; both passed check_batch. Their
/// hulls decide in nearly all cases, O(1), of pointers O(batch); else the matrices in the order of
/// their addresses, O(batch), as overlap() of two has it: blocks of the same matrices and lanes of
/// the same chunks have nothing in common.
template <class T>
bool batches_overlap(const batch_view<const T>& A, const batch_view<const T>& B) {
  if (A.empty() || B.empty()) return false;
  const auto x = batch_footprint<T>(A).hull(), y = batch_footprint<T>(B).hull();
  return x.first <= y.last && y.first <= x.last && matrices_meet(A, B);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
