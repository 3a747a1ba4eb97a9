#pragma once
// The matrices of a piece of a batch one by one, where that is faster than packing them into lanes:
// from a medium order on, where their columns or rows are contiguous. Factorizations alone: solves
// are faster in lanes.

#include <cstddef>
#include <cstdint>
#include <span>

#include "trifac/batch/info.hpp"
#include "trifac/batch/interchanges.hpp"
#include "trifac/batch/plan.hpp"
#include "trifac/cholesky/run.hpp"
#include "trifac/lu/run.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Largest orders that go in lanes although they must be packed. One by one is, at n = 128 in
/// double, 1.4 times as fast for Cholesky and 1.25 for LU (Zen 3, AVX2; Zen 4 1.6 and 1.4), at 64
/// as fast; complex Cholesky at 128 1.1, complex LU never.
template <class T>
inline constexpr index_t largest_packed_cholesky = is_complex<T> ? 128 : 64;
template <class T>
inline constexpr index_t largest_packed_lu = is_complex<T> ? simd::largest_in_lanes : 48;

#if TRIFAC_SIMD

/// Columns or rows of each matrix are contiguous.
template <class T>
bool is_contiguous(const batch_view<T>& A) {
  return A.strides().row_stride == 1 || A.strides().col_stride == 1;
}

/// Matrices from … to−1 of A, whose lower triangles become L. memory: slot_bytes, more than
/// cholesky_workspace_bytes.
template <class T>
void factor_contiguous_cholesky(const batch_view<T>& A, index_t from, index_t to,
                                std::int32_t* info, std::byte* memory) {
  const std::span workspace(memory, slot_bytes<T>(A.rows(), A.cols(), 0));
  for (index_t b = from; b < to; ++b) {
    const matrix_view<T> L = A[b];
    info[b] = info_of(factor_cholesky<variant::best>(backend::serial{}, matrix_view<const T>(L), L,
                                                     {.workspace = workspace}));
  }
}

/// Matrices from … to−1 of A, which become L\U. memory: slot_bytes, more than lu_workspace_bytes.
template <class T>
void factor_contiguous_lu(const batch_view<T>& A, index_t from, index_t to,
                          const simd::lane_pivots& pivots, std::int32_t* info, std::byte* memory) {
  const lu_options options = {
      .pivoting = pivots.rows != nullptr ? pivoting::partial : pivoting::none,
      .workspace = {memory, slot_bytes<T>(A.rows(), A.cols(), 0)}};
  index_t rows[simd::largest_in_lanes];
  const std::span interchanges(rows, as_size(min(A.rows(), A.cols())));
  for (index_t b = from; b < to; ++b) {
    for (std::size_t k = 0; k < interchanges.size(); ++k) rows[k] = static_cast<index_t>(k);
    const status s = run_lu_plan<variant::best>(backend::serial{}, A[b], interchanges, options);
    info[b] = info_of(check_finite(A[b], s, options.block));
    if (pivots.rows != nullptr) store_pivots(pivots, b, interchanges);
  }
}

#endif

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
