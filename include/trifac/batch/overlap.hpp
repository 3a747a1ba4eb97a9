#pragma once
// Whether two batches have memory in common.

#include <cstdint>

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
  /// All matrices are the same distance apart.
  bool is_even() const { return regular_ && lanes_ == 1; }

  /// The i-th lowest, where is_sorted().
  footprint operator[](index_t i) const {
    if (falls_) i = count_ - 1 - i;
    if (!regular_) return footprint(A_[i]);
    const auto& at = A_.strides();
    const index_t skipped = at.chunk > 1 ? at.first : 0;  // lanes of chunk 0 before the batch
    const index_t from = i == 0 ? 0 : i * lanes_ - skipped;
    footprint F(matrix_view<const T>(A_.data() + i * at.chunk_stride - (i == 0 ? 0 : skipped),
                                     A_.rows(), A_.cols(), at.row_stride, at.col_stride));
    if (F.count * F.lines == 1) F.pitch = 0;  // the lanes of one element may be longer
    F.size *= min(A_.batch(), (i + 1) * lanes_ - skipped) - from;
    return F;
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
  index_t count_, lanes_ = 1;  // of a matrix
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
  const index_t stride = A.strides().chunk_stride;
  if (X.is_even() && Y.is_even() && stride != 0 && stride == B.strides().chunk_stride) {
    // i − k decides how matrix i lies to matrix k: those with which their hulls meet.
    const auto x = X[0].hull(), y = Y[0].hull();
    const auto step = distance(stride) * index_t{sizeof(T)};
    const index_t least = max(1 - Y.count(), (y.first - x.last) / step);
    const index_t most = min(X.count() - 1, (y.last - x.first) / step);
    for (index_t d = least; d <= most; ++d)
      if (overlap(X[max<index_t>(0, d)], Y[max<index_t>(0, -d)])) return true;
    return false;
  }
  for (index_t i = 0, k = 0; i < X.count() && k < Y.count();) {
    const footprint x = X[i], y = Y[k];
    if (overlap(x, y)) return true;
    ++(x.hull().last < y.hull().last ? i : k);
  }
  return false;
}

/// From the lowest byte to the highest, or more.
template <class T>
footprint::interval hull_of(const batch_view<const T>& A) {
  const auto& at = A.strides();
  footprint::address low = 0, high = 0;
  const auto add = [&](index_t from, index_t to, index_t stride) {
    low += min(from * stride, to * stride);
    high += max(from * stride, to * stride);
  };
  add(0, A.rows() - 1, at.row_stride);
  add(0, A.cols() - 1, at.col_stride);
  auto first = reinterpret_cast<std::uintptr_t>(A.has_pointers() ? A.address(0) : A.data());
  auto last = first;
  if (A.has_pointers()) {
    for (index_t b = 1; b < A.batch(); ++b) {
      const auto one = reinterpret_cast<std::uintptr_t>(A.address(b));
      first = min(first, one);
      last = max(last, one);
    }
  } else if (at.chunk == 1) {
    add(0, A.batch() - 1, at.chunk_stride);
  } else if (at.first + A.batch() <= at.chunk) {
    add(0, A.batch() - 1, at.lane_stride);
  } else {
    add(-at.first, at.chunk - 1 - at.first, at.lane_stride);
    add(0, (at.first + A.batch() - 1) / at.chunk, at.chunk_stride);
  }
  const auto size = static_cast<footprint::address>(sizeof(T));
  return {static_cast<footprint::address>(first) + low * size,
          static_cast<footprint::address>(last) + high * size + size - 1};
}

/// True where a matrix of A and one of B, whichever, share memory; both passed check_batch. The
/// hulls decide in nearly all cases, O(1), of pointers O(batch). Else exact for batches with the
/// same distance between matrices, O(1) but where hulls interlock, and for those whose matrices
/// (chunks) lie one behind the other, O(batch), as overlap() of two is. Blocks of the same matrices
/// and lanes of the same chunks have nothing in common.
template <class T>
bool batches_overlap(const batch_view<const T>& A, const batch_view<const T>& B) {
  if (A.empty() || B.empty()) return false;
  const auto x = hull_of(A), y = hull_of(B);
  return x.first <= y.last && y.first <= x.last && matrices_meet(A, B);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
