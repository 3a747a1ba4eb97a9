#pragma once
// solve() of a batch: B := op(A)⁻¹·B for each matrix of a factor and each of B; one factor serves
// all right-hand sides, and one matrix of right-hand sides all factors.

#include <atomic>
#include <utility>
#include <vector>

#include "trifac/batch/batch_like.hpp"
#include "trifac/batch/call.hpp"
#include "trifac/batch/check.hpp"
#include "trifac/batch/on_device.hpp"
#include "trifac/batch/one_for_all.hpp"
#include "trifac/batch/overlap.hpp"
#include "trifac/batch/tuning.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The factor of a batch of square matrices, not empty; single matrices may have failed.
template <class Factor>
status check_batch_factor(const Factor& f) {
  const batch_outcome& outcome = outcome_of(f);
  const status call = outcome.first_failure() < 0 ? outcome.status() : status();
  if (call.kind() == status_kind::empty) return status::argument("factor", call.what());
  if (!call) return call;
  return f.rows() == f.cols() ? status() : status::argument("factor", "is not square");
}

/// `name`: of X.
template <class Factor, class T>
status check_batch_solve(const Factor& f, const batch_view<T>& X, const char* name, operation op) {
  if (const status s = check_batch_factor(f); !s) return s;
  if (const status s = check_batch(X, name); !s) return s;
  if (X.batch() != f.batch() && f.batch() != 1)
    return status::argument(name,
                            "must have as many matrices as the factored batch, unless that is one "
                            "matrix for all");
  if (X.rows() != f.rows())
    return status::argument(name, "must have as many rows as the factored matrices");
  if (batches_overlap<T>(f.matrices(), X))
    return status::argument(name, "overlaps the factored matrices");
  return check_operation(op);
}

/// X := op(A)⁻¹·B; `right`: B, null where that is X, which is not empty.
template <PackingBackend B, class Factor, class T>
status run_solve_batch(const B& backend, const Factor& f, const batch_view<const T>* right,
                       const batch_view<T>& X, const batch_solve_options& options) {
  const double n = static_cast<double>(X.rows());
  const double flops = 2 * n * n * static_cast<double>(X.cols()) * static_cast<double>(X.batch());
  const auto solve_in_pieces = [&](index_t lanes, std::size_t slot, const auto& piece) {
    return run_batch<T>(backend, X.batch(), lanes, flops, slot, options.workspace, piece);
  };
  if (const index_t lanes = lanes_for<T>(f.rows(), f.cols()); lanes > 0) {
    batch_systems<T> S = systems_of(f, X, options.op);
    std::vector<std::int32_t> rows;
    if (S.is_one_factor() && X.batch() > 1) {
      rows = interchanges_for(S, simd::most_lanes);
      S.interchanges = rows;
    }
    return solve_in_pieces(lanes, slot_bytes<T>(f.rows(), f.cols(), X.cols()),
                           [&](index_t from, index_t to, std::byte* memory) {
                             copy_sides(right, X, from, to);
                             solve_range(S, from, to, memory);
                           });
  }
  std::atomic<bool> complete = true;
  const status s = solve_in_pieces(1, 0, [&](index_t from, index_t to, std::byte*) {
    const auto solve_them = [&] {
      return solve_one_by_one(backend::serial{}, f, right, X, options.op, from, to);
    };
    if (!without_exceptions(solve_them)) complete = false;  // no exception may leave a piece
  });
  return complete ? s : status::failure(status_kind::out_of_memory, "workspace");
}

/// X := op(A)⁻¹·B; without B that of X.
template <BatchBackend B, class Factor, class T>
status solve_batch(const B& backend, const Factor& f, const batch_view<const T>* right,
                   const batch_view<T>& X, batch_solve_options options) {
  const batch_tuning asked = options.tuning;
  options.tuning =
      tuned_batch(backend, asked, options.profile, batch_operation::solve, f.matrices());
  if constexpr (std::same_as<Factor, batch_triangular_view<T>>) {
    if (asked.kernel == batch_kernel::groups)
      return status::argument("options.tuning.kernel", "groups have no solve with a triangle");
    if (options.tuning.kernel == batch_kernel::groups) options.tuning = {};  // of whole solves
  }
  if (const status s = check_batch_solve(f, X, right ? "X" : "B", options.op); !s) return s;
  if (const status s = check_floats(options.floats); !s) return s;
  if (right != nullptr)
    if (const status s = check_sides(*right, X); !s) return s;
  if (const status s = check_batch_tuning<T>(backend, options.tuning, batch_operation::solve,
                                             X.rows(), X.rows());
      !s)
    return s;
  if (const status s = check_batch_workspace<B, T>(options.workspace, f.rows(), f.cols(), X.cols());
      !s)
    return s;
  const status outcome = outcome_of(f).status();
  if (X.empty()) return outcome;
  if (f.batch() == 1 && !outcome) return outcome;
  const status s = run_solve_batch(backend, f, right, X, options);
  return s ? outcome : s;
}

/// The same with what a call has: the factor of a batch or of one matrix.
template <BatchBackend B, class F, class T>
status solve_batch_or_one(const B& backend, const F& f, const batch_view<const T>* right,
                          const batch_view<T>& X, const batch_solve_options& options) {
  if constexpr (requires { f.matrices(); }) {
    return solve_batch(backend, f, right, X, options);
  } else {
    if (const status s = check_square_factor(f); !s) return s;
    std::int32_t info = 0;
    return solve_batch(backend, as_batch(f, {&info, 1}), right, X, options);
  }
}

}  // namespace detail

/// What cholesky() and lu() of a batch return.
template <class F>
concept BatchFactor = std::same_as<F, batch_cholesky_factor<typename F::value_type>> ||
    std::same_as<F, batch_lu_factor<typename F::value_type>>;

/// What solves a batch: its factor, that of one matrix for all of it, or the triangles of a batch's
/// factor.
template <class F>
concept BatchSolvable =
    BatchFactor<F> || Factor<F> || std::same_as<F, batch_triangular_view<typename F::value_type>>;
/// Right-hand sides that a call reads: a batch, or a matrix or vector for all of it.
template <class R>
concept SidesForBatch = BatchLike<const R&> || RightHandSides<const R&>;

/// B := op(A)⁻¹·B for each matrix, in place; factor: batch × n × n, or that of one matrix for all,
/// as cholesky(A) and lu(A) or a batch of one have it; B: batch × n × r in any layout, any number r
/// of columns, apart from all factors. With f.L() or f.U() of a batch (of one, for all) B :=
/// op(L)⁻¹·B or op(U)⁻¹·B, on devices by kernels of lanes. One factor gives the bits of a batch of
/// its copies in its layout. On CPUs, real systems whose matrices have contiguous columns or rows
/// are solved one by one, with the bits of solve(f[b], B[b]): from order 16 on with more right-hand
/// sides than a vector has lanes, above 128 with any number. No exception leaves it.
/// @return  the call's own failure, B being unchanged then; else the factor's status: success, or
///          that of its first failed matrix. The systems of failed matrices, singular ones too, are
///          unchanged, all others are solved; above order 256 memory may run out after some.
/// 2n²·r flops for each, n²·r with a triangle; workspace: batch_workspace_bytes with r. LAPACK:
/// potrs, getrs, trtrs for each.
template <BatchBackend B, BatchSolvable F, WritableBatch M>
status try_solve(const B& backend, const F& factor, M&& X,
                 const batch_solve_options& options = {}) noexcept {
  using T = typename F::value_type;
  constexpr bool same = std::is_same_v<batch_scalar_t<M>, T>;
  static_assert(same,
                "B has another scalar type than the factor: copy it into a batch of that type");
  if constexpr (same)
    return detail::without_exceptions([&] {
      return detail::solve_batch_or_one<B, F, T>(backend, factor, nullptr, batch_view_of(X),
                                                 options);
    });
  else
    return {};
}
template <BatchSolvable F, WritableBatch M>
status try_solve(const F& factor, M&& X, const batch_solve_options& options = {}) noexcept {
  return try_solve(backend::serial{}, factor, std::forward<M>(X), options);
}

/// X := op(A)⁻¹·B for each matrix; factor and X as the factor and B above; B: batch × n × r, or one
/// matrix, a vector, a batch of one for all. B and X share no memory.
/// @return  as above; X is unchanged where the call itself or the one factor of all failed, and B
///          for matrices of a batch that failed. A device that fails midway may leave B.
/// 2n²·r flops for each, and the copy.
template <BatchBackend B, BatchSolvable F, SidesForBatch R, WritableBatch M>
status try_solve(const B& backend, const F& factor, const R& right, M&& X,
                 const batch_solve_options& options = {}) noexcept {
  using T = typename F::value_type;
  constexpr bool same_B = detail::has_sides_of<T, R>, same = std::is_same_v<batch_scalar_t<M>, T>;
  static_assert(same_B,
                "B has another scalar type than the factor: copy it into a batch of that type");
  static_assert(same || !same_B,
                "X has another scalar type than the factor: make it a batch of that type");
  if constexpr (same_B && same) {
    const batch_view<const T> sides = detail::sides_of<T>(right);
    return detail::without_exceptions([&] {
      return detail::solve_batch_or_one<B, F, T>(backend, factor, &sides, batch_view_of(X),
                                                 options);
    });
  } else {
    return {};
  }
}
template <BatchSolvable F, SidesForBatch R, WritableBatch M>
status try_solve(const F& factor, const R& right, M&& X,
                 const batch_solve_options& options = {}) noexcept {
  return try_solve(backend::serial{}, factor, right, std::forward<M>(X), options);
}

#if TRIFAC_EXCEPTIONS
/// try_solve that throws what belongs to its status, numerical_error after the systems of the other
/// matrices were solved.
template <BatchBackend B, BatchSolvable F, WritableBatch M>
void solve(const B& backend, const F& factor, M&& X, const batch_solve_options& options = {}) {
  if (const status s = try_solve(backend, factor, std::forward<M>(X), options); !s)
    detail::throw_status(s);
}
template <BatchSolvable F, WritableBatch M>
void solve(const F& factor, M&& X, const batch_solve_options& options = {}) {
  solve(backend::serial{}, factor, std::forward<M>(X), options);
}
template <BatchBackend B, BatchSolvable F, SidesForBatch R, WritableBatch M>
void solve(const B& backend, const F& factor, const R& right, M&& X,
           const batch_solve_options& options = {}) {
  if (const status s = try_solve(backend, factor, right, std::forward<M>(X), options); !s)
    detail::throw_status(s);
}
template <BatchSolvable F, SidesForBatch R, WritableBatch M>
void solve(const F& factor, const R& right, M&& X, const batch_solve_options& options = {}) {
  solve(backend::serial{}, factor, right, std::forward<M>(X), options);
}

/// X = op(A)⁻¹·B for each matrix, B unchanged (or moved in): a batch in the layout of B where B is
/// one, else in chunks of a cache line. Throws what solve() does, for one bad matrix, too.
template <BatchBackend B, BatchSolvable F, class M>
requires BatchLike<M&>
[[nodiscard]] auto solved(const B& backend, const F& factor, M&& right,
                          const batch_solve_options& options = {}) {
  using T = typename F::value_type;
  constexpr bool same = std::is_same_v<batch_scalar_t<M&>, T>;
  static_assert(same,
                "B has another scalar type than the factor: copy it into a batch of that type");
  if constexpr (same) {
    // Before memory for a copy is asked for.
    if (const status s = detail::check_batch<const T>(batch_view_of(right), "B"); !s)
      detail::throw_status(s);
    batch<T> X(std::forward<M>(right));
    solve(backend, factor, X, options);
    return X;
  } else {
    return batch<T>();
  }
}
template <BatchSolvable F, class M>
requires BatchLike<M&>
[[nodiscard]] auto solved(const F& factor, M&& right, const batch_solve_options& options = {}) {
  return solved(backend::serial{}, factor, std::forward<M>(right), options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
