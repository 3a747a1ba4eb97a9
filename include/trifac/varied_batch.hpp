#pragma once
// Many matrices of different sizes: cholesky(), lu(), solve(), cholesky_solve() and lu_solve() of a
// varied_view, in groups of one size in the lanes of vectors. docs/batched.md has an example.

#include "trifac/batch.hpp"
#include "trifac/engine/batch/varied/factor.hpp"
#include "trifac/engine/batch/varied/run.hpp"
#include "trifac/engine/batch/varied/view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// A := L or U of each matrix, as try_cholesky of a batch of its size, with the same bits and,
/// where it fails, the same contents. No exception leaves it.
/// @param backend  serial, openmp or threads; without it serial
/// @param A  square matrices, varied(pointers, sizes [, lds]); neighbours in the view and in a
///           group of one size and leading dimension must not overlap
/// @param options  as of a batch, with info in the order of the view; jitter too: f.shift(b)
/// @return   a factor: status of the call, which finds all wrong arguments before anything is
///           written, and info for each matrix
/// Matrices are sorted by order and leading dimension, O(batch·log(batch)); those of one group are
/// factored in lanes as a batch by pointers is: a group of fewer matrices than lanes takes the time
/// of a full vector. n_b³/3 flops for each; workspace: batch_workspace_bytes of the largest order
/// that goes in lanes. LAPACK: potrf for each.
template <PackingBackend B, class T>
[[nodiscard]] varied_cholesky_factor<T> try_cholesky(
    const B& backend, const varied_view<T>& A,
    const batch_cholesky_options& options = {}) noexcept {
  return detail::factor_varied<detail::cholesky_of_batch<T>>(backend, A, options);
}
template <class T>
[[nodiscard]] varied_cholesky_factor<T> try_cholesky(
    const varied_view<T>& A, const batch_cholesky_options& options = {}) noexcept {
  return try_cholesky(backend::serial{}, A, options);
}

/// A := L\U with P·A = L·U of each m_b × n_b matrix, else as above. options.interchanges must be
/// empty: f[b].interchanges(). LAPACK: getrf for each.
template <PackingBackend B, class T>
[[nodiscard]] varied_lu_factor<T> try_lu(const B& backend, const varied_view<T>& A,
                                         const batch_lu_options& options = {}) noexcept {
  return detail::factor_varied<detail::lu_of_batch<T>>(backend, A, options);
}
template <class T>
[[nodiscard]] varied_lu_factor<T> try_lu(const varied_view<T>& A,
                                         const batch_lu_options& options = {}) noexcept {
  return try_lu(backend::serial{}, A, options);
}

/// X := op(A)⁻¹·X for each matrix, in place, with the bits of try_solve of a batch of its size.
/// Fastest where the right-hand sides of a group have one number of columns and, where these are
/// more than one, one leading dimension. No exception leaves it.
/// @param X  n_b × r_b matrices, varied(pointers, sizes, r [, lds]), apart from the factors
/// @return   the call's own failure, X being unchanged then, but for out_of_memory of orders above
///           256, where some may be solved; else the factor's status. The systems
///           of failed matrices are unchanged, all others are solved.
/// 2n_b²·r_b flops for each; workspace: batch_workspace_bytes with r. LAPACK: potrs, getrs.
template <PackingBackend B, class F>
status try_solve(const B& backend, const varied_factor<F>& factor,
                 const varied_view<typename F::value_type>& X, operation op = operation::none,
                 const batch_solve_options& options = {}) noexcept {
  return detail::solve_varied(backend, factor, X, op, options);
}
template <class F>
status try_solve(const varied_factor<F>& factor, const varied_view<typename F::value_type>& X,
                 operation op = operation::none, const batch_solve_options& options = {}) noexcept {
  return try_solve(backend::serial{}, factor, X, op, options);
}

/// X := A⁻¹·X and A := L or U for each matrix, in one pass and with the bits of the two calls.
/// @return  status of the call, which finds all wrong arguments, jitter among them, before anything
///          is written, and info for each matrix; systems of bad matrices are unchanged
/// Matrices are sorted by the shape of their right-hand sides, too. n_b³/3 + 2n_b²·r_b flops for
/// each. LAPACK: posv for each.
template <PackingBackend B, class T>
[[nodiscard]] batch_outcome try_cholesky_solve(
    const B& backend, const varied_view<T>& A, const varied_view<T>& X,
    const batch_cholesky_options& options = {}) noexcept {
  return detail::factor_and_solve_varied<detail::cholesky_of_batch<T>>(backend, A, X, options);
}
template <class T>
[[nodiscard]] batch_outcome try_cholesky_solve(
    const varied_view<T>& A, const varied_view<T>& X,
    const batch_cholesky_options& options = {}) noexcept {
  return try_cholesky_solve(backend::serial{}, A, X, options);
}
/// The same with A := L\U. LAPACK: gesv for each.
template <PackingBackend B, class T>
[[nodiscard]] batch_outcome try_lu_solve(const B& backend, const varied_view<T>& A,
                                         const varied_view<T>& X,
                                         const batch_lu_options& options = {}) noexcept {
  return detail::factor_and_solve_varied<detail::lu_of_batch<T>>(backend, A, X, options);
}
template <class T>
[[nodiscard]] batch_outcome try_lu_solve(const varied_view<T>& A, const varied_view<T>& X,
                                         const batch_lu_options& options = {}) noexcept {
  return try_lu_solve(backend::serial{}, A, X, options);
}

#if TRIFAC_EXCEPTIONS
/// The calls above that throw argument_error, backend_error or std::bad_alloc where no matrix is to
/// blame; bad matrices come back in the outcome, but from solve(), which throws the status of the
/// first of them after the systems of the others were solved.
template <PackingBackend B, class T>
[[nodiscard]] varied_cholesky_factor<T> cholesky(const B& backend, const varied_view<T>& A,
                                                 const batch_cholesky_options& options = {}) {
  return detail::or_throw(try_cholesky(backend, A, options));
}
template <class T>
[[nodiscard]] varied_cholesky_factor<T> cholesky(const varied_view<T>& A,
                                                 const batch_cholesky_options& options = {}) {
  return cholesky(backend::serial{}, A, options);
}
template <PackingBackend B, class T>
[[nodiscard]] varied_lu_factor<T> lu(const B& backend, const varied_view<T>& A,
                                     const batch_lu_options& options = {}) {
  return detail::or_throw(try_lu(backend, A, options));
}
template <class T>
[[nodiscard]] varied_lu_factor<T> lu(const varied_view<T>& A,
                                     const batch_lu_options& options = {}) {
  return lu(backend::serial{}, A, options);
}
template <PackingBackend B, class F>
void solve(const B& backend, const varied_factor<F>& factor,
           const varied_view<typename F::value_type>& X, operation op = operation::none,
           const batch_solve_options& options = {}) {
  detail::throw_unless_ok(try_solve(backend, factor, X, op, options));
}
template <class F>
void solve(const varied_factor<F>& factor, const varied_view<typename F::value_type>& X,
           operation op = operation::none, const batch_solve_options& options = {}) {
  solve(backend::serial{}, factor, X, op, options);
}
template <PackingBackend B, class T>
[[nodiscard]] batch_outcome cholesky_solve(const B& backend, const varied_view<T>& A,
                                           const varied_view<T>& X,
                                           const batch_cholesky_options& options = {}) {
  return detail::or_throw(try_cholesky_solve(backend, A, X, options));
}
template <class T>
[[nodiscard]] batch_outcome cholesky_solve(const varied_view<T>& A, const varied_view<T>& X,
                                           const batch_cholesky_options& options = {}) {
  return cholesky_solve(backend::serial{}, A, X, options);
}
template <PackingBackend B, class T>
[[nodiscard]] batch_outcome lu_solve(const B& backend, const varied_view<T>& A,
                                     const varied_view<T>& X,
                                     const batch_lu_options& options = {}) {
  return detail::or_throw(try_lu_solve(backend, A, X, options));
}
template <class T>
[[nodiscard]] batch_outcome lu_solve(const varied_view<T>& A, const varied_view<T>& X,
                                     const batch_lu_options& options = {}) {
  return lu_solve(backend::serial{}, A, X, options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
