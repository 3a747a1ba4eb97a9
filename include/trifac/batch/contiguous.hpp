#pragma once
// The matrices of a piece of a batch one by one, where that is faster than packing them into lanes:
// from a medium order on, where their columns or rows are contiguous. Factorizations alone: solves
// are faster in lanes.

#include <cstddef>
#include <cstdint>
#include <span>

#include "trifac/backend/serial.hpp"
#include "trifac/batch/info.hpp"
#include "trifac/batch/interchanges.hpp"
#include "trifac/batch/lanes_of.hpp"
#include "trifac/cholesky/run.hpp"
#include "trifac/lu/run.hpp"

#if TRIFAC_SIMD

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

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

/// Matrices from … to−1 of A, which become L\U, by partial pivoting. memory: slot_bytes, more than
/// lu_workspace_bytes.
template <class T>
void factor_contiguous_lu(const batch_view<T>& A, index_t from, index_t to,
                          const simd::lane_pivots& pivots, std::int32_t* info, std::byte* memory) {
  const lu_options options = {.workspace = {memory, slot_bytes<T>(A.rows(), A.cols(), 0)}};
  index_t rows[simd::largest_in_lanes];
  const std::span interchanges(rows, as_size(min(A.rows(), A.cols())));
  for (index_t b = from; b < to; ++b) {
    for (std::size_t k = 0; k < interchanges.size(); ++k) rows[k] = static_cast<index_t>(k);
    const status s = run_lu_plan<variant::best>(backend::serial{}, A[b], interchanges, options);
    info[b] = info_of(check_finite(A[b], s, options.block));
    store_pivots(pivots, b, interchanges);
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

#endif
