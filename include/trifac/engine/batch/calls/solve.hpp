#pragma once
// solve() of a batch: B := op(A)⁻¹·B for each matrix of a factor and each of B; one factor serves
// all right-hand sides, and one matrix of right-hand sides all factors.

#include <concepts>
#include <type_traits>
#include <utility>

#include "trifac/engine/batch/calls/run_solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// What cholesky() and lu() of a batch return.
template <class F>
concept BatchFactor = std::same_as<F, batch_cholesky_factor<typename F::value_type>> ||
    std::same_as<F, batch_lu_factor<typename F::value_type>>;

/// What solves a batch: its factor, that of one matrix for all of it, or the triangles of a batch's
/// factor.
template <class F>
concept BatchSolvable =
    BatchFactor<F> || Factor<F> || std::same_as<F, batch_triangular_view<typename F::value_type>>;

/// B := op(A)⁻¹·B for each matrix, in place; factor: batch × n × n, or that of one matrix for all,
/// as cholesky(A) and lu(A) or a batch of one have it; B: batch × n × r in any layout, any number r
/// of columns, apart from all factors. With f.L() or f.U() of a batch (of one, for all) B :=
/// op(L)⁻¹·B or op(U)⁻¹·B, on devices by kernels of lanes. On CPUs, real systems whose matrices
/// have contiguous columns or rows are solved one by one, with the bits of solve(f[b], B[b]), above
/// order 128; from 96 on with interchanges; from 48 on with as many right-hand sides as a vector
/// has lanes, from 16 on with more. One factor for several systems goes in lanes up to 128, with
/// the same bits in every layout of B. No exception leaves it.
/// @return  the call's own failure, B being unchanged then; else the factor's status: success, or
///          that of its first failed matrix. The systems of failed matrices, singular ones too, are
///          unchanged, all others are solved; above order 256 memory may run out after some. The
///          diagonal is not looked at, with a triangle either: a zero divides, as for one factor.
/// 2n²·r flops for each, n²·r with a triangle; workspace: batch_workspace_bytes with r. LAPACK:
/// potrs, getrs, trtrs for each.
template <BatchBackend B, BatchSolvable F, WritableBatch M>
status try_solve(const B& backend, const F& factor, M&& X, operation op = operation::none,
                 const batch_solve_options& options = {}) noexcept {
  using T = typename F::value_type;
  return detail::solve_with(backend, factor, detail::sides_of<T>(X), op, options);
}
template <BatchSolvable F, WritableBatch M>
status try_solve(const F& factor, M&& X, operation op = operation::none,
                 const batch_solve_options& options = {}) noexcept {
  return try_solve(backend::serial{}, factor, std::forward<M>(X), op, options);
}

/// X := op(A)⁻¹·B for each matrix; factor and X as the factor and B above; B: batch × n × r, or one
/// matrix, a vector, a batch of one for all. B and X share no memory.
/// @return  as above; X is unchanged where the call itself or the one factor of all failed, and B
///          for matrices of a batch that failed. A device that fails midway may leave B.
/// 2n²·r flops for each, and the copy.
template <BatchBackend B, BatchSolvable F, SidesForBatch R, WritableBatch M>
status try_solve(const B& backend, const F& factor, const R& right, M&& X,
                 operation op = operation::none, const batch_solve_options& options = {}) noexcept {
  using T = typename F::value_type;
  return detail::solve_with(backend, factor, detail::sides_of<T>(right, X), op, options);
}
template <BatchSolvable F, SidesForBatch R, WritableBatch M>
status try_solve(const F& factor, const R& right, M&& X, operation op = operation::none,
                 const batch_solve_options& options = {}) noexcept {
  return try_solve(backend::serial{}, factor, right, std::forward<M>(X), op, options);
}

#if TRIFAC_EXCEPTIONS
/// try_solve that throws what belongs to its status, numerical_error after the systems of the other
/// matrices were solved.
template <BatchBackend B, BatchSolvable F, WritableBatch M>
void solve(const B& backend, const F& factor, M&& X, operation op = operation::none,
           const batch_solve_options& options = {}) {
  detail::throw_unless_ok(try_solve(backend, factor, std::forward<M>(X), op, options));
}
template <BatchSolvable F, WritableBatch M>
void solve(const F& factor, M&& X, operation op = operation::none,
           const batch_solve_options& options = {}) {
  solve(backend::serial{}, factor, std::forward<M>(X), op, options);
}
template <BatchBackend B, BatchSolvable F, SidesForBatch R, WritableBatch M>
void solve(const B& backend, const F& factor, const R& right, M&& X, operation op = operation::none,
           const batch_solve_options& options = {}) {
  detail::throw_unless_ok(try_solve(backend, factor, right, std::forward<M>(X), op, options));
}
template <BatchSolvable F, SidesForBatch R, WritableBatch M>
void solve(const F& factor, const R& right, M&& X, operation op = operation::none,
           const batch_solve_options& options = {}) {
  solve(backend::serial{}, factor, right, std::forward<M>(X), op, options);
}

/// X = op(A)⁻¹·B for each matrix, B unchanged (or moved in): a batch in the layout of B where B is
/// one, else in chunks of a cache line. Throws what solve() does, for one bad matrix, too.
template <BatchBackend B, BatchSolvable F, class M>
requires BatchLike<M&>
[[nodiscard]] auto solved(const B& backend, const F& factor, M&& right,
                          operation op = operation::none, const batch_solve_options& options = {}) {
  using T = typename F::value_type;
  constexpr bool same = std::is_same_v<batch_scalar_t<M&>, T>;
  static_assert(same,
                "B has another scalar type than the factor: copy it into a batch of that type");
  if constexpr (same) {
    // Before memory for a copy is asked for.
    detail::throw_unless_ok(detail::check_batch<const T>(batch_view_of(right), "B"));
    batch<T> X(std::forward<M>(right));
    solve(backend, factor, X, op, options);
    return X;
  } else {
    return batch<T>();
  }
}
template <BatchSolvable F, class M>
requires BatchLike<M&>
[[nodiscard]] auto solved(const F& factor, M&& right, operation op = operation::none,
                          const batch_solve_options& options = {}) {
  return solved(backend::serial{}, factor, std::forward<M>(right), op, options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
