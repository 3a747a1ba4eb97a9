#pragma once
// cholesky_solve() and lu_solve() of a batch: B := A⁻¹·B for each matrix, in one pass over the
// batch; one matrix serves all right-hand sides, and one matrix of right-hand sides all matrices.

#include "trifac/engine/batch/calls/cholesky.hpp"
#include "trifac/engine/batch/calls/lu.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// B := A⁻¹·B and A := L or U for each matrix, as try_cholesky(A, options) and try_solve of its
/// factor, with the same bits, in one pass: a group of lanes is solved with while it is in the
/// cache, or is in the device's memory. No exception leaves it.
/// @param A  batch × n × n, or one n × n matrix (or batch of one) that serves all of B
/// @param B  batch × n × r in any layout; the systems of bad matrices are unchanged
/// @return   status of the call, which finds all wrong arguments before anything is written, and
///           info for each matrix of A
/// n³/3 + 2n²·r flops for each; workspace: batch_workspace_bytes with r. LAPACK: posv for each.
template <BatchBackend Bk, SystemsForBatch M, WritableBatch N>
[[nodiscard]] batch_outcome try_cholesky_solve(
    const Bk& backend, M&& A, N&& B, const batch_cholesky_options& options = {}) noexcept {
  using T = detail::scalar_of_systems<M>;
  return detail::factor_and_solve_batch(
      backend, detail::cholesky_of_batch<T>{detail::matrices_of(A), options},
      detail::sides_of<T>(B));
}
template <SystemsForBatch M, WritableBatch N>
[[nodiscard]] batch_outcome try_cholesky_solve(
    M&& A, N&& B, const batch_cholesky_options& options = {}) noexcept {
  return try_cholesky_solve(backend::serial{}, A, B, options);
}
/// X := A⁻¹·B; B: batch × n × r, or one matrix, a vector, a batch of one for all. X of a bad matrix
/// is B or, where one matrix serves all, unchanged, as where memory runs out.
template <BatchBackend Bk, SystemsForBatch M, SidesForBatch R, WritableBatch N>
[[nodiscard]] batch_outcome try_cholesky_solve(
    const Bk& backend, M&& A, const R& right, N&& X,
    const batch_cholesky_options& options = {}) noexcept {
  using T = detail::scalar_of_systems<M>;
  return detail::factor_and_solve_batch(
      backend, detail::cholesky_of_batch<T>{detail::matrices_of(A), options},
      detail::sides_of<T>(right, X));
}
template <SystemsForBatch M, SidesForBatch R, WritableBatch N>
[[nodiscard]] batch_outcome try_cholesky_solve(
    M&& A, const R& right, N&& X, const batch_cholesky_options& options = {}) noexcept {
  return try_cholesky_solve(backend::serial{}, A, right, X, options);
}

/// B := A⁻¹·B and A := L\U with P·A = L·U for each matrix, else as above. The interchanges are kept
/// in options.interchanges, where that is given. 2n³/3 + 2n²·r flops for each. LAPACK: gesv for
/// each.
template <BatchBackend Bk, SystemsForBatch M, WritableBatch N>
[[nodiscard]] batch_outcome try_lu_solve(const Bk& backend, M&& A, N&& B,
                                         const batch_lu_options& options = {}) noexcept {
  using T = detail::scalar_of_systems<M>;
  return detail::factor_and_solve_batch(
      backend, detail::lu_of_batch<T>{detail::matrices_of(A), options}, detail::sides_of<T>(B));
}
template <SystemsForBatch M, WritableBatch N>
[[nodiscard]] batch_outcome try_lu_solve(M&& A, N&& B,
                                         const batch_lu_options& options = {}) noexcept {
  return try_lu_solve(backend::serial{}, A, B, options);
}
template <BatchBackend Bk, SystemsForBatch M, SidesForBatch R, WritableBatch N>
[[nodiscard]] batch_outcome try_lu_solve(const Bk& backend, M&& A, const R& right, N&& X,
                                         const batch_lu_options& options = {}) noexcept {
  using T = detail::scalar_of_systems<M>;
  return detail::factor_and_solve_batch(backend,
                                        detail::lu_of_batch<T>{detail::matrices_of(A), options},
                                        detail::sides_of<T>(right, X));
}
template <SystemsForBatch M, SidesForBatch R, WritableBatch N>
[[nodiscard]] batch_outcome try_lu_solve(M&& A, const R& right, N&& X,
                                         const batch_lu_options& options = {}) noexcept {
  return try_lu_solve(backend::serial{}, A, right, X, options);
}

#if TRIFAC_EXCEPTIONS
/// try_cholesky_solve and try_lu_solve that throw argument_error, backend_error or std::bad_alloc
/// where no matrix is to blame; bad matrices come back in the outcome.
template <BatchBackend Bk, SystemsForBatch M, WritableBatch N>
[[nodiscard]] batch_outcome cholesky_solve(const Bk& backend, M&& A, N&& B,
                                           const batch_cholesky_options& options = {}) {
  return detail::or_throw(try_cholesky_solve(backend, A, B, options));
}
template <SystemsForBatch M, WritableBatch N>
[[nodiscard]] batch_outcome cholesky_solve(M&& A, N&& B,
                                           const batch_cholesky_options& options = {}) {
  return cholesky_solve(backend::serial{}, A, B, options);
}
template <BatchBackend Bk, SystemsForBatch M, SidesForBatch R, WritableBatch N>
[[nodiscard]] batch_outcome cholesky_solve(const Bk& backend, M&& A, const R& right, N&& X,
                                           const batch_cholesky_options& options = {}) {
  return detail::or_throw(try_cholesky_solve(backend, A, right, X, options));
}
template <SystemsForBatch M, SidesForBatch R, WritableBatch N>
[[nodiscard]] batch_outcome cholesky_solve(M&& A, const R& right, N&& X,
                                           const batch_cholesky_options& options = {}) {
  return cholesky_solve(backend::serial{}, A, right, X, options);
}
template <BatchBackend Bk, SystemsForBatch M, WritableBatch N>
[[nodiscard]] batch_outcome lu_solve(const Bk& backend, M&& A, N&& B,
                                     const batch_lu_options& options = {}) {
  return detail::or_throw(try_lu_solve(backend, A, B, options));
}
template <SystemsForBatch M, WritableBatch N>
[[nodiscard]] batch_outcome lu_solve(M&& A, N&& B, const batch_lu_options& options = {}) {
  return lu_solve(backend::serial{}, A, B, options);
}
template <BatchBackend Bk, SystemsForBatch M, SidesForBatch R, WritableBatch N>
[[nodiscard]] batch_outcome lu_solve(const Bk& backend, M&& A, const R& right, N&& X,
                                     const batch_lu_options& options = {}) {
  return detail::or_throw(try_lu_solve(backend, A, right, X, options));
}
template <SystemsForBatch M, SidesForBatch R, WritableBatch N>
[[nodiscard]] batch_outcome lu_solve(M&& A, const R& right, N&& X,
                                     const batch_lu_options& options = {}) {
  return lu_solve(backend::serial{}, A, right, X, options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
