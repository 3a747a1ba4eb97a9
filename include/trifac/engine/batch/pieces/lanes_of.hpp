#pragma once
// From a batch in memory to groups of lanes: in place where its elements lie as the kernels read
// them, else as packed copies.

#include "trifac/batch_view.hpp"
#include "trifac/engine/batch/pieces/plan.hpp"
#include "trifac/engine/simd/batch/kernels.hpp"

#if TRIFAC_SIMD

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Interleaved matrices up to this distance (elements) are worked on in place; farther ones would
/// have each element on a page of its own.
inline constexpr index_t most_interleaved_in_place = 64;

/// Batches of more bytes, which no L3 cache holds, are prefetched when kernels work in place;
/// special path fetch-chunk. Chunks of fewer bytes are left to the processor's own prefetching.
inline constexpr index_t cached_batch = index_t{16} << 20, least_fetched_chunk = 2048;

/// The number of matrices b, b + 1, … that kernels can access in place, in whole groups of W: 0 for
/// complex types, whose kernels need real and imaginary parts in separate vectors.
template <class Target, class T>
lane_groups<std::remove_const_t<T>> groups_in_place(Target, const batch_view<T>& A, index_t b,
                                                    index_t end) {
  using S = std::remove_const_t<T>;
  constexpr index_t w = lanes_of_vector<Target, T>;
  const auto& s = A.strides();
  lane_groups<S> groups;
  groups.count = 0;
  if constexpr (!is_complex<T>) {
    if (A.has_pointers() || s.lane_stride != 1 || s.first != 0 || s.chunk % w != 0 ||
        s.chunk > most_interleaved_in_place)
      return groups;
    // The kernels write only what a factorization or a solve writes: T is const for factors that
    // a solve reads.
    groups.first = {const_cast<S*>(A.address(b)), A.rows(), A.cols(), s.row_stride, s.col_stride};
    const index_t whole = (end - b) / w;
    groups.count = s.chunk == w ? whole : detail::min(whole, (s.chunk - b % s.chunk) / w);
    groups.step = s.chunk == w ? s.chunk_stride : w;
    const index_t chunk_bytes = s.chunk_stride * index_t{sizeof(S)};
    if (chunk_bytes > least_fetched_chunk && A.batch() / s.chunk * chunk_bytes > cached_batch)
      groups.ahead = s.chunk_stride;
  }
  return groups;
}

/// Columns or rows of each matrix are contiguous.
template <class T>
bool is_contiguous(const batch_view<T>& A) {
  return A.strides().row_stride == 1 || A.strides().col_stride == 1;
}

/// Prefetches matrices b … end−1, which are packed next, into the L2 cache, as the L1 cache holds
/// those in hand; special path fetch-matrices. Inlined, since g++ removes calls of a function that
/// only prefetches.
template <class T>
TRIFAC_INLINE void prefetch(const batch_view<T>& A, index_t b, index_t end) {
  using S = std::remove_const_t<T>;
  constexpr index_t line = detail::max<index_t>(1, 64 / index_t{sizeof(S)});
  if (!is_contiguous(A) || A.rows() * A.cols() < 4 * line ||
      detail::slot_bytes<S>(A.rows(), A.cols(), 0) > detail::slot_on_stack)
    return;
  const auto& s = A.strides();
  const bool by_columns = s.row_stride == 1;
  const index_t ld = by_columns ? s.col_stride : s.row_stride;
  const index_t length = by_columns ? A.rows() : A.cols(), count = by_columns ? A.cols() : A.rows();
  const bool whole = ld == length;  // one run of memory
  for (index_t i = b; i < end; ++i) {
    const S* column = A.address(i);
    for (index_t j = 0; j < (whole ? 1 : count); ++j, column += ld)
      for (index_t k = 0; k < (whole ? length * count : length); k += line)
        __builtin_prefetch(column + k, 0, 2);
  }
}

/// The matrices of one group, W addresses.
template <class T>
struct lane_addresses {
  T* at[most_lanes];
  int count;

  lane_addresses(const batch_view<T>& A, index_t b, index_t end, index_t lanes)
      : count(static_cast<int>(detail::min(lanes, end - b))) {
    for (int l = 0; l < count; ++l) at[l] = A.address(b + l);
  }
};

/// Column-major lanes in memory of slot_bytes.
template <class Target, class T>
lane_matrix<T> packed_lanes(Target, real_t<T>* memory, index_t rows, index_t cols) {
  constexpr index_t step = lanes_of_vector<Target, T> * planes<T>;
  return {memory, rows, cols, step, detail::packed_ld<T>(rows) * step};
}

/// `lanes` := matrices b … end−1 of A, at most a group of them.
template <class Target, class T>
void pack(Target target, const batch_view<T>& A, index_t b, index_t end, lane_part part,
          const lane_matrix<std::remove_const_t<T>>& lanes) {
  constexpr index_t w = lanes_of_vector<Target, T>;
  lane_addresses<const std::remove_const_t<T>> from(A, b, end, w);
  pack_lanes(target, from.at, from.count, A.strides().row_stride, A.strides().col_stride, part,
             lanes);
}
/// The way back, for the lanes in the mask.
template <class Target, class T>
void unpack(Target target, const lane_matrix<T>& lanes, const batch_view<T>& A, index_t b,
            index_t end, unsigned mask, lane_part part) {
  constexpr index_t w = lanes_of_vector<Target, T>;
  lane_addresses<T> to(A, b, end, w);
  unpack_lanes(target, lanes, to.at, to.count, mask, A.strides().row_stride, A.strides().col_stride,
               part);
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#endif
