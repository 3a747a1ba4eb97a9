#pragma once
// The matrices of a piece of a batch in lanes: factored in place where they lie so, else packed and
// unpacked.

#include <algorithm>

#include "trifac/engine/batch/checks/outcome.hpp"
#include "trifac/engine/batch/pieces/lanes_of.hpp"
#include "trifac/engine/lu/check_finite.hpp"

#if TRIFAC_SIMD

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Packs groups of matrices from b on, before `to`, calls work(groups, b, outcomes) and unpacks
/// them. Returns the first matrix behind them.
template <class Target, class T, class Work>
index_t on_packed_groups(Target target, const batch_view<T>& A, index_t b, index_t to,
                         simd::lane_part part, std::int32_t* info, std::byte* memory, Work work) {
  constexpr index_t w = simd::lanes_of_vector<Target, T>;
  simd::lane_groups<T> lanes{simd::packed_lanes<Target, T>(
      target, reinterpret_cast<real_t<T>*>(memory), A.rows(), A.cols())};
  lanes.step = lanes.first.col_stride * A.cols();
  lanes.count = min(packed_groups<T>(A.rows(), A.cols(), 0), (to - b + w - 1) / w);
  simd::lane_info lane_outcomes[most_packed_groups * simd::most_lanes] = {};
  for (index_t g = 0; g < lanes.count; ++g) simd::pack(target, A, b + g * w, to, part, lanes[g]);
  const index_t end = min(to, b + lanes.count * w);
  simd::prefetch(A, end, min(to, end + lanes.count * w));
  work(lanes, b, lane_outcomes);
  for (index_t g = 0; g < lanes.count; ++g)
    simd::unpack(target, lanes[g], A, b + g * w, to, ~0u, part);
  for (index_t i = b; i < end; ++i) info[i] = lane_outcomes[i - b];
  return end;
}

/// Matrices from … to−1 of A by groups, in place where they lie so, else as packed copies:
/// work(groups, the first matrix, outcomes).
template <class Target, class T, class Work>
void on_groups(Target target, const batch_view<T>& A, index_t from, index_t to,
               simd::lane_part part, std::int32_t* info, std::byte* memory, Work work) {
  constexpr index_t w = simd::lanes_of_vector<Target, T>;
  for (index_t b = from; b < to;) {
    if (const auto in_place = simd::groups_in_place(target, A, b, to); in_place.count > 0) {
      const index_t end = b + in_place.count * w;
      std::fill(info + b, info + end, 0);
      work(in_place, b, info + b);
      b = end;
    } else {
      b = on_packed_groups(target, A, b, to, part, info, memory, work);
    }
  }
}

/// Matrices from … to−1 of A, whose lower triangles become L; info is written for each.
template <class Target, class T>
void factor_cholesky_piece(Target target, const batch_view<T>& A, index_t from, index_t to,
                           std::int32_t* info, std::byte* memory, float_model floats) {
  on_groups(target, A, from, to, simd::lane_part::lower, info, memory,
            [&](const auto& lanes, index_t, simd::lane_info* lane_outcomes) {
              factor_cholesky_lanes(target, lanes, lane_outcomes, floats);
            });
}

/// What the pivots of matrices that are not square do not show: numbers that are not finite.
template <class T>
void check_finite_piece(const batch_view<T>& A, index_t from, index_t to,
                        const simd::lane_pivots& pivots, std::int32_t* info) {
  const bool goes_on = pivots.rows != nullptr;  // after a pivot of zero
  for (index_t b = from; b < to; ++b)
    if (info[b] == 0 || (info[b] > 0 && goes_on)) {
      const status s = check_finite(A[b], status(), 1);  // 1: assumes no multiples of eight
      if (!s) info[b] = info_of(s);
    }
}

/// Matrices from … to−1 of A, which become L\U; info is written for each.
template <class Target, class T>
void factor_lu_piece(Target target, const batch_view<T>& A, index_t from, index_t to,
                     const simd::lane_pivots& pivots, std::int32_t* info, std::byte* memory) {
  on_groups(target, A, from, to, simd::lane_part::whole, info, memory,
            [&](const auto& lanes, index_t b, simd::lane_info* lane_outcomes) {
              factor_lu_lanes(target, lanes, pivots, b, lane_outcomes);
            });
  if (A.rows() != A.cols()) check_finite_piece(A, from, to, pivots, info);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

#endif
