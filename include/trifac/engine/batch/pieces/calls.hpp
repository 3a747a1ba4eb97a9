#pragma once
// The definitions of batch_calls<T>: the kernels for a piece of a batch.

#include "trifac/engine/batch/pieces/contiguous.hpp"
#include "trifac/engine/batch/pieces/factor.hpp"
#include "trifac/engine/batch/pieces/plan.hpp"
#include "trifac/engine/batch/pieces/solve.hpp"
#include "trifac/engine/calls/batch_calls.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/calls/defined.hpp"

namespace trifac {
inline namespace TRIFAC_CALLS {

#if TRIFAC_SIMD

template <class T>
index_t batch_calls<T>::lanes() noexcept {
  index_t lanes = 0;
  simd::with_isa([&](auto target) { lanes = simd::lanes_of_vector<decltype(target), T>; });
  return lanes;
}

template <class T>
void batch_calls<T>::factor_cholesky(const batch_view<T>& A, index_t from, index_t to,
                                     std::int32_t* info, std::byte* memory,
                                     float_model floats) noexcept {
  if (simd::is_contiguous(A) && A.rows() > detail::largest_packed_cholesky<T>)
    return detail::factor_contiguous_cholesky(A, from, to, info, memory);
  simd::with_isa([&](auto target) {
    detail::factor_cholesky_piece(target, A, from, to, info, memory, floats);
  });
}

template <class T>
void batch_calls<T>::partial_cholesky(const batch_view<T>& A, index_t columns, index_t from,
                                      index_t to, std::int32_t* info, std::byte* memory) noexcept {
  simd::with_isa([&](auto target) {
    detail::on_groups(target, A, from, to, simd::lane_part::lower, info, memory,
                      [&](const auto& lanes, index_t, simd::lane_info* lane_outcomes) {
                        partial_cholesky_lanes(target, lanes, columns, lane_outcomes);
                      });
  });
}

template <class T>
void batch_calls<T>::factor_lu(const batch_view<T>& A, index_t from, index_t to,
                               std::int32_t* interchanges, std::int32_t* info,
                               std::byte* memory) noexcept {
  const simd::lane_pivots pivots = {interchanges, detail::min(A.rows(), A.cols())};
  if (interchanges != nullptr && simd::is_contiguous(A) &&
      pivots.steps > detail::largest_packed_lu<T>)
    return detail::factor_contiguous_lu(A, from, to, pivots, info, memory);
  simd::with_isa(
      [&](auto target) { detail::factor_lu_piece(target, A, from, to, pivots, info, memory); });
}

template <class T>
void batch_calls<T>::solve(const batch_systems<T>& S, index_t from, index_t to,
                           std::byte* memory) noexcept {
  if constexpr (!is_complex<T>) {
    using task = typename batch_systems<T>::task;
    const bool contiguous = simd::is_contiguous(S.factors) && simd::is_contiguous(S.sides);
    if (contiguous && (S.what == task::solve || S.what == task::solve_triangle) &&
        detail::solves_one_by_one(S, lanes()))
      return detail::solve_contiguous(S, from, to);
  }
  simd::with_isa([&](auto target) { detail::solve_piece(target, S, from, to, memory); });
}

#else

template <class T>
index_t batch_calls<T>::lanes() noexcept {
  return 0;
}
// With no lanes never called.
template <class T>
void batch_calls<T>::factor_cholesky(const batch_view<T>&, index_t, index_t, std::int32_t*,
                                     std::byte*, float_model) noexcept {}
template <class T>
void batch_calls<T>::partial_cholesky(const batch_view<T>&, index_t, index_t, index_t,
                                      std::int32_t*, std::byte*) noexcept {}
template <class T>
void batch_calls<T>::factor_lu(const batch_view<T>&, index_t, index_t, std::int32_t*, std::int32_t*,
                               std::byte*) noexcept {}
template <class T>
void batch_calls<T>::solve(const batch_systems<T>&, index_t, index_t, std::byte*) noexcept {}

#endif

}  // namespace TRIFAC_CALLS
}  // namespace trifac
