#pragma once
// cholesky_solve() and lu_solve() of a batch: B := A⁻¹·B for each matrix, in one pass over the batch.

#include <algorithm>
#include <utility>

#include "trifac/batch/cholesky.hpp"
#include "trifac/batch/lu.hpp"
#include "trifac/batch/solve.hpp"
#include "trifac/factor_solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <class T>
status check_batch_system(const batch_view<T>& A, const batch_view<T>& X) {
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  if (const status s = check_batch(X, "B"); !s) return s;
  if (X.batch() != A.batch()) return status::argument("B", "must have as many matrices as A");
  if (X.rows() != A.rows()) return status::argument("B", "must have as many rows as A");
  if (batches_overlap<T>(A, X)) return status::argument("B", "overlaps A");
  return {};
}

/// Matrices that are factored and then solved with: whole groups, so many that they stay in a
/// first-level cache with their right-hand sides.
template <class T>
index_t batch_step(index_t n, index_t sides, index_t lanes) {
  constexpr index_t cache = index_t{16} << 10;
  const index_t group = lanes * n * (n + sides) * index_t{sizeof(T)};
  return lanes * max<index_t>(1, cache / max<index_t>(1, group));
}

/// factor(from, to, memory), then solve(from, to, memory), for a step of a piece after another.
template <Backend B, class T, class Factor, class Solve>
status run_batch_systems(const B& backend, const batch_view<T>& A, const batch_view<T>& X,
                         double flops, std::span<std::byte> workspace, const Factor& factor,
                         const Solve& solve) {
  const index_t lanes = lanes_for<T>(A.rows(), A.cols());
  const index_t step = lanes > 0 ? batch_step<T>(A.rows(), X.cols(), lanes) : 1;
  return run_batch<T>(backend, A.batch(), max<index_t>(1, lanes), flops,
                      lanes > 0 ? slot_bytes<T>(A.rows(), A.cols(), X.cols()) : 0, workspace,
                      [&](index_t from, index_t to, std::byte* memory) {
                        for (; from < to; from += step) {
                          const index_t end = min(to, from + step);
                          factor(from, end, memory);
                          if (!X.empty()) solve(from, end, memory);
                        }
                      });
}

template <Backend B, class T>
batch_outcome cholesky_solve_batch(const B& backend, const batch_view<T>& given,
                                   const batch_view<T>& X, const batch_cholesky_options& options) {
  status checked = check_batch_cholesky(given, options);
  if (checked)
    checked = check_batch_tuning<B>(options.tuning, batch_operation::cholesky, given.rows());
  if (checked) checked = check_batch_system(given, X);
  if (checked) checked = check_backend(backend);
  const bool upper = options.part == triangle::upper;
  const batch_view<T> A = upper ? given.transposed() : given;
  const double n = static_cast<double>(A.rows());
  const double flops =
      static_cast<double>(A.batch()) * (n * n * n / 3 + 2 * n * n * static_cast<double>(X.cols()));
  return with_info(
      options.info, A.batch(), status_kind::not_positive_definite, checked, [&](given_or_own& own) {
        const auto info = own.span();
        std::fill_n(info.data(), A.batch(), 0);
        if (A.empty()) return status();
        if (lanes_for<T>(A.rows(), A.cols()) > 0) {
          const batch_systems<T> S{A, X, info, operation::none, is_complex<T> && upper, false, {}};
          return run_batch_systems(
              backend, A, X, flops, options.workspace,
              [&](index_t from, index_t to, std::byte* memory) {
                factor_cholesky_in_lanes(A, from, to, info.data(), memory);
              },
              [&](index_t from, index_t to, std::byte* memory) {
                solve_in_lanes(S, from, to, memory);
              });
        }
        return run_batch_systems(
            backend, A, X, flops, options.workspace,
            [&](index_t from, index_t, std::byte*) {
              info[as_size(from)] =
                  info_of(try_cholesky_solve(given[from], X[from], {.part = options.part}));
            },
            [](index_t, index_t, std::byte*) {});
      });
}

template <Backend B, class T>
batch_outcome lu_solve_batch(const B& backend, const batch_view<T>& A, const batch_view<T>& X,
                             const batch_lu_options& options) {
  status checked = check_batch_lu(A, options);
  if (checked) checked = check_batch_tuning<B>(options.tuning, batch_operation::lu, A.rows());
  if (checked) checked = check_batch_system(A, X);
  if (checked) checked = check_backend(backend);
  const bool exchanges = options.pivoting == pivoting::partial;
  const auto bad = exchanges ? status_kind::singular : status_kind::zero_pivot;
  const double n = static_cast<double>(A.rows());
  const double flops = static_cast<double>(A.batch()) *
                       (2 * n * n * n / 3 + 2 * n * n * static_cast<double>(X.cols()));
  return with_info(options.info, A.batch(), bad, checked, [&](given_or_own& outcomes) {
    const auto info = outcomes.span();
    std::fill_n(info.data(), A.batch(), 0);
    if (A.empty()) return status();
    given_or_own rows;
    if (exchanges)
      rows = given_or_own(options.interchanges,
                          batch_interchanges_size(A.batch(), A.rows(), A.cols()));
    const simd::lane_pivots pivots = {exchanges ? rows.span().data() : nullptr, A.rows()};
    if (lanes_for<T>(A.rows(), A.cols()) > 0) {
      const batch_systems<T> S{A,
                               X,
                               info,
                               operation::none,
                               false,
                               true,
                               exchanges ? rows.span() : std::span<std::int32_t>()};
      return run_batch_systems(
          backend, A, X, flops, options.workspace,
          [&](index_t from, index_t to, std::byte* memory) {
            factor_lu_in_lanes(A, from, to, pivots.rows, info.data(), memory);
          },
          [&](index_t from, index_t to, std::byte* memory) {
            solve_in_lanes(S, from, to, memory);
          });
    }
    return run_batch_systems(
        backend, A, X, flops, options.workspace,
        [&](index_t from, index_t, std::byte*) {
          trifac::pivots p;
          info[as_size(from)] =
              info_of(try_lu_solve(A[from], p, X[from], {.pivoting = options.pivoting}));
          for (index_t k = 0; exchanges && k < p.size(); ++k)
            pivots.at(from)[k * simd::most_lanes] = static_cast<std::int32_t>(p[k]);
        },
        [](index_t, index_t, std::byte*) {});
  });
}

}  // namespace detail

/// B := A⁻¹·B and A := L or U for each matrix, as try_cholesky(A, options) and try_solve of its
/// factor, with the same bits, in one pass: a group of lanes is solved with while it is in the
/// cache. No exception leaves it.
/// @param B  batch × n × r in any layout; the systems of bad matrices are unchanged
/// @return   status of the call, which finds all wrong arguments before anything is written, and
///           info for each matrix
/// n³/3 + 2n²·r flops for each; workspace: batch_workspace_bytes with r. LAPACK: posv for each.
template <PackingBackend Bk, WritableBatch M, WritableBatch N>
[[nodiscard]] batch_outcome try_cholesky_solve(
    const Bk& backend, M&& A, N&& B, const batch_cholesky_options& options = {}) noexcept {
  constexpr bool same = std::is_same_v<batch_scalar_t<M>, batch_scalar_t<N>>;
  static_assert(same, "B has another scalar type than A: copy it into a batch of that type");
  if constexpr (same)
    return detail::cholesky_solve_batch(backend, batch_view_of(A), batch_view_of(B), options);
  else
    return {};
}
template <WritableBatch M, WritableBatch N>
[[nodiscard]] batch_outcome try_cholesky_solve(
    M&& A, N&& B, const batch_cholesky_options& options = {}) noexcept {
  return try_cholesky_solve(backend::serial{}, std::forward<M>(A), std::forward<N>(B), options);
}

/// B := A⁻¹·B and A := L\U with P·A = L·U for each matrix, else as above. The interchanges are kept
/// in options.interchanges, where that is given. 2n³/3 + 2n²·r flops for each. LAPACK: gesv for each.
template <PackingBackend Bk, WritableBatch M, WritableBatch N>
[[nodiscard]] batch_outcome try_lu_solve(const Bk& backend, M&& A, N&& B,
                                         const batch_lu_options& options = {}) noexcept {
  constexpr bool same = std::is_same_v<batch_scalar_t<M>, batch_scalar_t<N>>;
  static_assert(same, "B has another scalar type than A: copy it into a batch of that type");
  if constexpr (same)
    return detail::lu_solve_batch(backend, batch_view_of(A), batch_view_of(B), options);
  else
    return {};
}
template <WritableBatch M, WritableBatch N>
[[nodiscard]] batch_outcome try_lu_solve(M&& A, N&& B,
                                         const batch_lu_options& options = {}) noexcept {
  return try_lu_solve(backend::serial{}, std::forward<M>(A), std::forward<N>(B), options);
}

#if TRIFAC_EXCEPTIONS
/// try_cholesky_solve and try_lu_solve that throw argument_error, backend_error or std::bad_alloc
/// where no matrix is to blame; bad matrices come back in the outcome.
template <PackingBackend Bk, WritableBatch M, WritableBatch N>
batch_outcome cholesky_solve(const Bk& backend, M&& A, N&& B,
                             const batch_cholesky_options& options = {}) {
  return detail::throwing([&] { return try_cholesky_solve(backend, A, B, options); });
}
template <WritableBatch M, WritableBatch N>
batch_outcome cholesky_solve(M&& A, N&& B, const batch_cholesky_options& options = {}) {
  return cholesky_solve(backend::serial{}, A, B, options);
}
template <PackingBackend Bk, WritableBatch M, WritableBatch N>
batch_outcome lu_solve(const Bk& backend, M&& A, N&& B, const batch_lu_options& options = {}) {
  return detail::throwing([&] { return try_lu_solve(backend, A, B, options); });
}
template <WritableBatch M, WritableBatch N>
batch_outcome lu_solve(M&& A, N&& B, const batch_lu_options& options = {}) {
  return lu_solve(backend::serial{}, A, B, options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
