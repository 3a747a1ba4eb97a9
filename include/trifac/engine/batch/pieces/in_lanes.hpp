#pragma once
// The kernels for a piece of a batch, compiled here or linked from trifac::kernels.

#include <cstddef>
#include <cstdint>

#include "trifac/engine/batch/pieces/plan.hpp"
#include "trifac/engine/linked/batch_calls.hpp"
#if !TRIFAC_USE_KERNELS
  #include "trifac/engine/batch/pieces/contiguous.hpp"
  #include "trifac/engine/batch/pieces/factor.hpp"
  #include "trifac/engine/batch/pieces/solve.hpp"
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Matrices of a group on the instruction set in use; 0: there are no kernels.
template <class T>
index_t lanes_of_type() {
  index_t lanes = 0;
#if TRIFAC_USE_KERNELS
  if constexpr (LapackScalar<T>) lanes = linked::batch_calls<T>::lanes_of_type();
#endif
#if TRIFAC_SIMD && !TRIFAC_USE_KERNELS
  if constexpr (simd::has_kernels<T>)
    simd::with_isa(
        [&](auto target) { lanes = decltype(target)::vector_bytes / index_t{sizeof(real_t<T>)}; });
#endif
  return lanes;
}

/// The same for a batch of such matrices; 0: they are factored one by one.
template <class T>
index_t lanes_for(index_t rows, index_t cols) {
  return goes_in_lanes<T>(rows, cols) ? lanes_of_type<T>() : 0;
}

// Called only where lanes_for() is not 0: in lanes, but contiguous matrices of a larger order one
// by one. memory: slot_bytes.

/// The lower triangles of matrices from … to−1 := L; info is written for each.
template <class T>
void factor_cholesky_range([[maybe_unused]] const batch_view<T>& A, [[maybe_unused]] index_t from,
                           [[maybe_unused]] index_t to, [[maybe_unused]] std::int32_t* info,
                           [[maybe_unused]] std::byte* memory,
                           [[maybe_unused]] float_model floats) {
#if TRIFAC_USE_KERNELS
  if constexpr (LapackScalar<T>)
    linked::batch_calls<T>::factor_cholesky(A, from, to, info, memory, floats);
#endif
#if TRIFAC_SIMD && !TRIFAC_USE_KERNELS
  if constexpr (simd::has_kernels<T>) {
    if (simd::is_contiguous(A) && A.rows() > largest_packed_cholesky<T>)
      return factor_contiguous_cholesky(A, from, to, info, memory);
    simd::with_isa(
        [&](auto target) { factor_cholesky_piece(target, A, from, to, info, memory, floats); });
  }
#endif
}

/// Matrices from … to−1 := L\U, info as above; without interchanges (null) none are made.
template <class T>
void factor_lu_range([[maybe_unused]] const batch_view<T>& A, [[maybe_unused]] index_t from,
                     [[maybe_unused]] index_t to, [[maybe_unused]] std::int32_t* interchanges,
                     [[maybe_unused]] std::int32_t* info, [[maybe_unused]] std::byte* memory) {
#if TRIFAC_USE_KERNELS
  if constexpr (LapackScalar<T>)
    linked::batch_calls<T>::factor_lu(A, from, to, interchanges, info, memory);
#endif
#if TRIFAC_SIMD && !TRIFAC_USE_KERNELS
  if constexpr (simd::has_kernels<T>) {
    const simd::lane_pivots pivots = {interchanges, min(A.rows(), A.cols())};
    if (interchanges != nullptr && simd::is_contiguous(A) && pivots.steps > largest_packed_lu<T>)
      return factor_contiguous_lu(A, from, to, pivots, info, memory);
    simd::with_isa(
        [&](auto target) { factor_lu_piece(target, A, from, to, pivots, info, memory); });
  }
#endif
}

/// Systems from … to−1. Those whose factorization failed are left as they are.
template <class T>
void solve_range([[maybe_unused]] const linked::batch_systems<T>& S, [[maybe_unused]] index_t from,
                 [[maybe_unused]] index_t to, [[maybe_unused]] std::byte* memory) {
#if TRIFAC_USE_KERNELS
  if constexpr (LapackScalar<T>) linked::batch_calls<T>::solve(S, from, to, memory);
#endif
#if TRIFAC_SIMD && !TRIFAC_USE_KERNELS
  if constexpr (simd::has_kernels<T>) {
    if constexpr (!is_complex<T>) {
      const bool contiguous = simd::is_contiguous(S.factors) && simd::is_contiguous(S.sides);
      if (contiguous && S.what != linked::batch_systems<T>::task::invert &&
          solves_one_by_one(S.factors.rows(), S.sides.cols(), lanes_of_type<T>()))
        return solve_contiguous(S, from, to);
    }
    simd::with_isa([&](auto target) { solve_piece(target, S, from, to, memory); });
  }
#endif
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
