#pragma once
// The matrices of a piece of a batch one by one, where that is faster than packing them into lanes:
// from a medium order on, where their columns or rows are contiguous.

#include <cstddef>
#include <cstdint>
#include <span>

#include "trifac/engine/batch/checks/outcome.hpp"
#include "trifac/engine/batch/layout/interchanges.hpp"
#include "trifac/engine/batch/pieces/lanes_of.hpp"
#include "trifac/engine/calls/batch_calls.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/cholesky/calls.hpp"
#include "trifac/engine/lu/calls.hpp"
#include "trifac/engine/lu/check_finite.hpp"
#include "trifac/engine/solve/calls.hpp"

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
    info[b] = info_of(calls<T>::cholesky(variant::best, {}, L, L, {.workspace = workspace}));
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
    const status s = calls<T>::lu(variant::best, {}, A[b], rows, options);
    info[b] = info_of(check_finite(A[b], s, options.block));
    store_pivots(pivots, b, interchanges);
  }
}

/// X := op(A)⁻¹·X of one system.
template <class T>
status solve_contiguous_system(const batch_systems<T>& S, const matrix_view<const T>& A,
                               std::span<const index_t> interchanges, const matrix_view<T>& X) {
  if (S.what == batch_systems<T>::task::solve_triangle)
    return calls<T>::substitute({}, operand<T>(A), S.part, S.diag, X);
  if (S.is_lu) return calls<T>::solve_lu({}, A, interchanges, X, S.op);
  return calls<T>::solve_cholesky({}, operand<T>(A), X);
}

/// Real systems from … to−1, no inverses. Those whose factorization failed are left as they are.
template <class T>
requires(!is_complex<T>) void solve_contiguous(const batch_systems<T>& S, index_t from,
                                               index_t to) {
  const bool one = S.is_one_factor();
  const index_t n = S.factors.rows();
  index_t rows[simd::largest_in_lanes];
  for (index_t k = 0; k < n; ++k) rows[k] = k;
  for (index_t b = from; b < to; ++b) {
    if (S.info_of(b) != 0) continue;
    if (!S.interchanges.empty()) load_pivots(S.interchanges, one ? 0 : b, {rows, as_size(n)});
    const status s =
        solve_contiguous_system<T>(S, S.factors[one ? 0 : b], {rows, as_size(n)}, S.sides[b]);
    static_cast<void>(s);  // a solve with a completed factor on one thread does not fail
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

#endif
