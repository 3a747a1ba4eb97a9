#pragma once
// The matrices of a piece of a batch in lanes: factored in place where they lie so, else packed and
// unpacked.

#include "trifac/batch/info.hpp"
#include "trifac/batch/lanes_of.hpp"

#if TRIFAC_SIMD

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Matrices from … to−1 of A, whose lower triangles become L.
template <class Target, class T>
void factor_cholesky_piece(Target target, const batch_view<T>& A, index_t from, index_t to,
                           std::int32_t* info, std::byte* memory, float_model floats) {
  constexpr index_t w = Target::vector_bytes / index_t{sizeof(real_t<T>)};
  for (index_t b = from; b < to;) {
    if (const auto here = simd::groups_in_place(target, A, b, to); here.count > 0) {
      factor_cholesky_lanes(target, here, info + b, floats);
      b += here.count * w;
      continue;
    }
    const auto lanes = simd::packed_lanes<Target, T>(target, reinterpret_cast<real_t<T>*>(memory),
                                                     A.rows(), A.cols());
    simd::lane_info found[simd::most_lanes] = {};
    simd::pack(target, A, b, to, simd::lane_part::lower, lanes);
    factor_cholesky_lanes(target, simd::lane_groups<T>{lanes}, found, floats);
    simd::unpack(target, lanes, A, b, to, ~0u, simd::lane_part::lower);
    for (index_t l = 0; l < w && b < to; ++l, ++b) info[b] = found[l];
  }
}

/// Matrices from … to−1 of A, which become L\U.
template <class Target, class T>
void factor_lu_piece(Target target, const batch_view<T>& A, index_t from, index_t to,
                     const simd::lane_pivots& pivots, std::int32_t* info, std::byte* memory) {
  constexpr index_t w = Target::vector_bytes / index_t{sizeof(real_t<T>)};
  for (index_t b = from; b < to;) {
    if (const auto here = simd::groups_in_place(target, A, b, to); here.count > 0) {
      factor_lu_lanes(target, here, pivots, b, info + b);
      b += here.count * w;
      continue;
    }
    const auto lanes = simd::packed_lanes<Target, T>(target, reinterpret_cast<real_t<T>*>(memory),
                                                     A.rows(), A.cols());
    simd::lane_info found[simd::most_lanes] = {};
    simd::pack(target, A, b, to, simd::lane_part::whole, lanes);
    factor_lu_lanes(target, simd::lane_groups<T>{lanes}, pivots, b, found);
    simd::unpack(target, lanes, A, b, to, ~0u, simd::lane_part::whole);
    for (index_t l = 0; l < w && b < to; ++l, ++b) info[b] = found[l];
  }
  if (A.rows() != A.cols()) check_finite_piece(A, from, to, pivots.rows != nullptr, info);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

#endif
