#pragma once
// cholesky_solve() and lu_solve() of a batch: B := A⁻¹·B for each matrix, in one pass over the
// batch; one matrix serves all right-hand sides, and one matrix of right-hand sides all matrices.

#include <utility>

#include "trifac/engine/batch/cholesky.hpp"
#include "trifac/engine/batch/lu.hpp"
#include "trifac/engine/batch/run_systems.hpp"
#include "trifac/engine/batch/solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// `right`: what X is computed from, null where that is X.
template <class T>
status check_batch_system(const batch_view<T>& A, const batch_view<const T>* right,
                          const batch_view<T>& X) {
  const char* const name = right ? "X" : "B";
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  if (const status s = check_batch(X, name); !s) return s;
  if (X.batch() != A.batch() && A.batch() != 1)
    return status::argument(name, "must have as many matrices as A, unless that is one for all");
  if (X.rows() != A.rows()) return status::argument(name, "must have as many rows as A");
  if (batches_overlap<T>(A, X)) return status::argument(name, "overlaps A");
  if (right == nullptr) return {};
  if (const status s = check_sides(*right, X); !s) return s;
  return batches_overlap<T>(*right, A) ? status::argument("B", "overlaps A") : status();
}

/// Factors A and solves all of X with it, where that succeeded.
template <class B, class T, class Factor, class Options>
status solve_with_one(const B& backend, const Factor& f, const batch_view<const T>* right,
                      const batch_view<T>& X, const Options& options) {
  if (!f.ok() || X.empty()) return {};
  return run_solve_batch(
      backend, f, right, X,
      batch_solve_options{
          .workspace = options.workspace, .tuning = options.tuning, .floats = options.floats});
}

template <BatchBackend B, class T>
batch_outcome cholesky_solve_batch(const B& backend, const batch_view<T>& A,
                                   const batch_view<const T>* right, const batch_view<T>& X,
                                   batch_cholesky_options options) {
  options.tuning =
      tuned_batch(backend, options.tuning, options.profile, batch_operation::cholesky, A);
  status checked = check_batch_cholesky(A, options);
  if (checked) checked = check_batch_system(A, right, X);
  if (checked)
    checked = check_systems_tuning<T>(backend, options.tuning, batch_operation::cholesky, A.rows());
  if (checked)
    checked = check_batch_workspace<B, T>(options.workspace, A.rows(), A.cols(), X.cols());
  constexpr auto bad = status_kind::not_positive_definite;
  return with_info(options.info, A.batch(), bad, checked, [&](given_or_own& own) {
    const auto info = own.span();
    if (A.empty()) return succeeded(own);
    if (A.batch() != X.batch()) {
      const auto lower = options.part == triangle::upper ? A.transposed() : A;
      const status s = run_cholesky_batch(backend, lower, info, options);
      if (!s) return s;
      const batch_cholesky_factor<T> f(A, options.part,
                                       batch_outcome({}, given_or_own(info, 1), bad));
      return solve_with_one(backend, f, right, X, options);
    }
    return run_cholesky_systems(backend, A, right, X, info, options);
  });
}

template <BatchBackend B, class T>
batch_outcome lu_solve_batch(const B& backend, const batch_view<T>& A,
                             const batch_view<const T>* right, const batch_view<T>& X,
                             batch_lu_options options) {
  options.tuning = tuned_batch(backend, options.tuning, options.profile, batch_operation::lu, A);
  status checked = check_batch_lu(A, options);
  if (checked) checked = check_batch_system(A, right, X);
  if (checked)
    checked = check_systems_tuning<T>(backend, options.tuning, batch_operation::lu, A.rows());
  if (checked)
    checked = check_batch_workspace<B, T>(options.workspace, A.rows(), A.cols(), X.cols());
  const bool exchanges = options.pivoting == pivoting::partial;
  const auto bad = exchanges ? status_kind::singular : status_kind::zero_pivot;
  return with_info(options.info, A.batch(), bad, checked, [&](given_or_own& outcomes) {
    const auto info = outcomes.span();
    if (A.empty()) return succeeded(outcomes);
    given_or_own rows;
    if (exchanges)
      rows = given_or_own(options.interchanges,
                          batch_interchanges_size(A.batch(), A.rows(), A.cols()));
    if (A.batch() != X.batch()) {
      const status s = run_lu_batch(backend, A, rows.span(), info, options);
      if (!s) return s;
      const batch_lu_factor<T> f(A, options.pivoting, std::move(rows),
                                 batch_outcome({}, given_or_own(info, 1), bad));
      return solve_with_one(backend, f, right, X, options);
    }
    return run_lu_systems(backend, A, right, X, rows.span(), info, options);
  });
}

/// run(A, right, X) as views, where all have one scalar type; `right` may be nothing.
template <class M, class R, class N, class Run>
batch_outcome with_systems(M& A, const R& right, N& X, Run run) noexcept {
  using T = typename scalar_of_matrices<M&>::type;
  constexpr bool out_of_place = !std::is_same_v<R, std::nullptr_t>;
  constexpr bool same = std::is_same_v<T, batch_scalar_t<N&>>;
  static_assert(same || out_of_place,
                "B has another scalar type than A: copy it into a batch of that type");
  static_assert(same || !out_of_place,
                "X has another scalar type than A: make it a batch of that type");
  if constexpr (same && !out_of_place) {
    return run(matrices_of(A), static_cast<const batch_view<const T>*>(nullptr), batch_view_of(X));
  } else if constexpr (same) {
    constexpr bool same_B = has_sides_of<T, R>;
    static_assert(same_B, "B has another scalar type than A: copy it into a batch of that type");
    if constexpr (same_B) {
      const batch_view<const T> sides = sides_of<T>(right);
      return run(matrices_of(A), &sides, batch_view_of(X));
    }
  }
  return {};
}

}  // namespace detail

/// What cholesky_solve() and lu_solve() of a batch factor: a batch, or one matrix for all of it.
template <class M>
concept SystemsForBatch = WritableBatch<M> ||
    (MatrixLike<M> && !std::is_const_v<element_t<std::remove_reference_t<M>>>);

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
  return detail::with_systems(A, nullptr, B, [&](const auto& As, auto* right, const auto& X) {
    return detail::cholesky_solve_batch(backend, As, right, X, options);
  });
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
  return detail::with_systems(A, right, X, [&](const auto& As, auto* B, const auto& Xs) {
    return detail::cholesky_solve_batch(backend, As, B, Xs, options);
  });
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
  return detail::with_systems(A, nullptr, B, [&](const auto& As, auto* right, const auto& X) {
    return detail::lu_solve_batch(backend, As, right, X, options);
  });
}
template <SystemsForBatch M, WritableBatch N>
[[nodiscard]] batch_outcome try_lu_solve(M&& A, N&& B,
                                         const batch_lu_options& options = {}) noexcept {
  return try_lu_solve(backend::serial{}, A, B, options);
}
template <BatchBackend Bk, SystemsForBatch M, SidesForBatch R, WritableBatch N>
[[nodiscard]] batch_outcome try_lu_solve(const Bk& backend, M&& A, const R& right, N&& X,
                                         const batch_lu_options& options = {}) noexcept {
  return detail::with_systems(A, right, X, [&](const auto& As, auto* B, const auto& Xs) {
    return detail::lu_solve_batch(backend, As, B, Xs, options);
  });
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
batch_outcome cholesky_solve(const Bk& backend, M&& A, N&& B,
                             const batch_cholesky_options& options = {}) {
  return detail::throwing([&] { return try_cholesky_solve(backend, A, B, options); });
}
template <SystemsForBatch M, WritableBatch N>
batch_outcome cholesky_solve(M&& A, N&& B, const batch_cholesky_options& options = {}) {
  return cholesky_solve(backend::serial{}, A, B, options);
}
template <BatchBackend Bk, SystemsForBatch M, SidesForBatch R, WritableBatch N>
batch_outcome cholesky_solve(const Bk& backend, M&& A, const R& right, N&& X,
                             const batch_cholesky_options& options = {}) {
  return detail::throwing([&] { return try_cholesky_solve(backend, A, right, X, options); });
}
template <SystemsForBatch M, SidesForBatch R, WritableBatch N>
batch_outcome cholesky_solve(M&& A, const R& right, N&& X,
                             const batch_cholesky_options& options = {}) {
  return cholesky_solve(backend::serial{}, A, right, X, options);
}
template <BatchBackend Bk, SystemsForBatch M, WritableBatch N>
batch_outcome lu_solve(const Bk& backend, M&& A, N&& B, const batch_lu_options& options = {}) {
  return detail::throwing([&] { return try_lu_solve(backend, A, B, options); });
}
template <SystemsForBatch M, WritableBatch N>
batch_outcome lu_solve(M&& A, N&& B, const batch_lu_options& options = {}) {
  return lu_solve(backend::serial{}, A, B, options);
}
template <BatchBackend Bk, SystemsForBatch M, SidesForBatch R, WritableBatch N>
batch_outcome lu_solve(const Bk& backend, M&& A, const R& right, N&& X,
                       const batch_lu_options& options = {}) {
  return detail::throwing([&] { return try_lu_solve(backend, A, right, X, options); });
}
template <SystemsForBatch M, SidesForBatch R, WritableBatch N>
batch_outcome lu_solve(M&& A, const R& right, N&& X, const batch_lu_options& options = {}) {
  return lu_solve(backend::serial{}, A, right, X, options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
