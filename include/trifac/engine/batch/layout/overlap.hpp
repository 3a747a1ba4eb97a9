#pragma once
// Whether two batches have memory in common.

#include <cstdint>

#include "trifac/batch_view.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/call/lattice.hpp"
#include "trifac/engine/call/overlap.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Whether f(lattice) is true for a part of A: each matrix by pointers; else all, or what is in the
/// first chunk, the full ones and the last.
template <class T, class F>
bool any_part(const batch_view<const T>& A, F f) {
  const auto& strides = A.strides();
  const auto part = [&](const T* data, index_t lanes, index_t chunks) {
    return lattice(data, {{chunks, strides.chunk_stride},
                          {lanes, strides.lane_stride},
                          {A.rows(), strides.row_stride},
                          {A.cols(), strides.col_stride}});
  };
  if (A.has_pointers()) {
    for (index_t b = 0; b < A.batch(); ++b)
      if (f(lattice(A[b]))) return true;
    return false;
  }
  if (strides.chunk == 1) return f(part(A.data(), 1, A.batch()));
  const index_t head = strides.first == 0 ? 0 : min(strides.chunk - strides.first, A.batch());
  const index_t full = (A.batch() - head) / strides.chunk;
  const index_t tail = A.batch() - head - full * strides.chunk;
  return (head > 0 && f(part(A.data(), head, 1))) ||
         (full > 0 && f(part(A.address(head), strides.chunk, full))) ||
         (tail > 0 && f(part(A.address(A.batch() - tail), tail, 1)));
}

/// Matrices whose address ranges meet one matrix's; with more it is compared with the first ones.
inline constexpr index_t most_neighbours = 64;

/// Both by pointers. Where addresses ascend in both, each matrix and those of the other batch whose
/// ranges meet its own; else its neighbours.
template <class V>
bool pointers_meet(const V& A, const V& B) {
  const auto ascend = [](const V& all) {
    for (index_t b = 1; b < all.batch(); ++b)
      if (all.address(b) < all.address(b - 1)) return false;
    return true;
  };
  const bool sorted = ascend(A) && ascend(B);
  for (index_t i = 0, first = 0; i < A.batch(); ++i) {
    const lattice X(A[i]);
    if (sorted)
      while (first < B.batch() && lattice(B[first]).end() <= X.first()) ++first;
    const index_t from = sorted ? first : max<index_t>(0, i - 1);
    const index_t to = min(B.batch(), sorted ? first + most_neighbours : i + 2);
    for (index_t k = from; k < to; ++k) {
      const lattice Y(B[k]);
      if (sorted && Y.first() >= X.end()) break;
      if (X.meets(Y)) return true;
    }
  }
  return false;
}

/// Of batches whose hulls meet.
template <class T>
[[gnu::noinline]] bool matrices_meet(const batch_view<const T>& A, const batch_view<const T>& B) {
  if (A.has_pointers() && B.has_pointers() && A.batch() > 1 && B.batch() > 1)
    return pointers_meet(A, B);
  return any_part(A, [&](const lattice& X) {
    return any_part(B, [&](const lattice& Y) { return X.meets(Y); });
  });
}

/// From the lowest byte to the highest, or more.
template <class T>
footprint::interval hull_of(const batch_view<const T>& A) {
  const auto& strides = A.strides();
  footprint::address low = 0, high = 0;
  const auto add = [&](index_t from, index_t to, index_t stride) {
    low += min(from * stride, to * stride);
    high += max(from * stride, to * stride);
  };
  add(0, A.rows() - 1, strides.row_stride);
  add(0, A.cols() - 1, strides.col_stride);
  auto first = reinterpret_cast<std::uintptr_t>(A.has_pointers() ? A.address(0) : A.data());
  auto last = first;
  if (A.has_pointers()) {
    for (index_t b = 1; b < A.batch(); ++b) {
      const auto one = reinterpret_cast<std::uintptr_t>(A.address(b));
      first = min(first, one);
      last = max(last, one);
    }
  } else if (strides.chunk == 1) {
    add(0, A.batch() - 1, strides.chunk_stride);
  } else if (strides.first + A.batch() <= strides.chunk) {
    add(0, A.batch() - 1, strides.lane_stride);
  } else {
    add(-strides.first, strides.chunk - 1 - strides.first, strides.lane_stride);
    add(0, (strides.first + A.batch() - 1) / strides.chunk, strides.chunk_stride);
  }
  const auto size = static_cast<footprint::address>(sizeof(T));
  return {static_cast<footprint::address>(first) + low * size,
          static_cast<footprint::address>(last) + high * size + size - 1};
}

/// True where a matrix of A and one of B, whichever, share memory; both passed check_batch. The
/// hulls decide in nearly all cases, O(1), of pointers O(batch). Else exact but for two batches by
/// pointers (pointers_meet). Blocks of the same matrices and lanes of the same chunks have nothing
/// in common.
template <class T>
bool batches_overlap(const batch_view<const T>& A, const batch_view<const T>& B) {
  if (A.empty() || B.empty()) return false;
  const auto x = hull_of(A), y = hull_of(B);
  return x.first <= y.last && y.first <= x.last && matrices_meet(A, B);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
