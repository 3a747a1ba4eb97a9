#pragma once
// Cholesky of a batch with jitter: each matrix is copied before it is factored. Those that are not
// positive definite are factored again from their copies, all of a step in lanes together.

#include <cstddef>
#include <cstdint>
#include <span>

#include "trifac/engine/batch/checks/outcome.hpp"
#include "trifac/engine/batch/layout/matrices.hpp"
#include "trifac/engine/batch/pieces/plan.hpp"
#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/calls/batch_calls.hpp"
#include "trifac/engine/cholesky/jitter.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Lower triangles of the matrices of a step, in memory behind that of the kernels. A batch in
/// chunks of whole groups is copied to chunks, any other to one matrix after another.
template <LapackScalar T>
class lower_copies {
 public:
  /// memory: of a piece, with room for slot_bytes(n, n, n).
  lower_copies(const batch_view<T>& A, std::byte* memory) : n_(A.rows()) {
    const index_t lanes = batch_calls<T>::lanes(), each = n_ * n_ * index_t{sizeof(T)};
    const std::size_t slot = slot_bytes<T>(n_, n_, n_),
                      used = slot_bytes<T>(n_, n_, 0) * as_size(packed_groups<T>(n_, n_, 0));
    data_ = reinterpret_cast<T*>(memory + used);
    // Where the slot is on the stack, more than one group fits; half of the L1 cache is enough.
    const auto room = static_cast<index_t>((slot <= slot_on_stack ? slot_on_stack : slot) - used);
    const index_t most =
        min(max(lanes, min(room, half_of_l1_cache) / each), most_packed_groups * simd::most_lanes);
    const auto& s = A.strides();
    if (!A.has_pointers() && s.lane_stride == 1 && s.chunk <= most && s.chunk % lanes == 0)
      chunk_ = s.chunk;
    const index_t unit = max(lanes, chunk_);
    step_ = most / unit * unit;
  }

  /// Matrices of a step.
  index_t step() const { return step_; }
  /// Of so many matrices.
  batch_view<T> view(index_t count) const { return chunked(data_, count, n_, n_, chunk_); }

 private:
  T* data_;
  index_t n_, chunk_ = 1, step_ = 0;
};

/// Matrices from … from + copies.batch() − 1 of A, which have failed where their info is not 0:
/// from the copies, with one shift after another. One that no shift makes definite gets its copy
/// back.
template <LapackScalar T>
void factor_again(const cholesky_jitter& jitter, float_model floats, const batch_view<T>& A,
                  const batch_view<T>& copies, index_t from, std::span<std::int32_t> info,
                  std::span<real_t<T>> shifts, std::byte* memory) {
  constexpr index_t most = most_packed_groups * simd::most_lanes;
  index_t which[most];
  T* where[most];
  std::int32_t outcomes[most];
  double relative = jitter.first;
  for (int k = 0; k < jitter.tries; ++k, relative *= jitter.factor) {
    index_t count = 0;
    for (index_t l = 0; l < copies.batch(); ++l) {
      const index_t b = from + l;
      const matrix_view<T> copy = copies[l], L = A[b];
      if (info[as_size(b)] <= 0) continue;
      if (!size_of_diagonal(matrix_view<const T>(copy)).scale(relative, shifts[as_size(b)]))
        continue;
      blas::copy_lower<T>(copy, L);
      for (index_t i = 0; i < L.rows(); ++i)
        L(i, i) = T(real_part(copy(i, i)) + shifts[as_size(b)]);
      which[count] = b;
      where[count++] = L.data();
    }
    if (count == 0) break;
    const auto& s = A.strides();
    batch_calls<T>::factor_cholesky({where, count, A.rows(), A.cols(), s.row_stride, s.col_stride},
                                    0, count, outcomes, memory, floats);
    for (index_t i = 0; i < count; ++i) info[as_size(which[i])] = outcomes[i];
  }
  for (index_t l = 0; l < copies.batch(); ++l)
    if (info[as_size(from + l)] != 0) blas::copy_lower<T>(copies[l], A[from + l]);
}

/// Matrices from … to−1 of A, whose lower triangles become L or, of those that fail with all
/// shifts, stay. memory: of slot_bytes(n, n, n).
template <LapackScalar T>
void factor_with_jitter_in_lanes(const cholesky_jitter& jitter, float_model floats,
                                 const batch_view<T>& A, index_t from, index_t to,
                                 std::span<std::int32_t> info, std::span<real_t<T>> shifts,
                                 std::byte* memory) {
  const lower_copies<T> copies(A, memory);
  for (index_t end = 0; from < to; from = end) {
    end = min(to, from + copies.step());
    const batch_view<T> kept = copies.view(end - from);
    copy_lower(batch_view<const T>(A.matrices(from, end - from)), kept);
    batch_calls<T>::factor_cholesky(A, from, end, info.data(), memory, floats);
    if (first_failed(info.data(), from, end) < end)
      factor_again(jitter, floats, A, kept, from, info, shifts, memory);
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
