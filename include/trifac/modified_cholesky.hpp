#pragma once
// modified_cholesky(): Pᵀ·(A + E)·P = L·Lᴴ of an indefinite A, with a small diagonal E; solve().

#include <concepts>
#include <utility>
#include <vector>

#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/cholesky/modified_factor.hpp"
#include "trifac/engine/cholesky/modified_options.hpp"
#include "trifac/pivoted_cholesky.hpp"
#include "trifac/solve.hpp"
#include TRIFAC_DEFINITIONS(cholesky, modified_calls)

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// E: in the row order of A.
template <Backend B, class T>
status modified_cholesky_checked(const B& backend, const matrix_view<T>& A,
                                 const modified_cholesky_options& options, pivots& p,
                                 std::vector<real_t<T>>& E, index_t& phase_two) {
  if (const status s = check_pivoted(backend, A, options); !s) return s;
  TRIFAC_TRY {
    p = pivots(A.rows());
    if (A.empty()) return {};
    std::vector<index_t> order(as_size(A.rows()));
    std::vector<real_t<T>> all(order.size()), found(order.size());
    const status s =
        calls_on<B, T>::modified_cholesky(nest_backend<T>(backend), lower_view(A, options.part),
                                          options.block, p.span(), std::span(found), phase_two);
    if (!s) return s;
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<index_t>(i);
    apply_interchanges(p, order);
    for (std::size_t i = 0; i < order.size(); ++i) all[as_size(order[i])] = found[i];
    E = std::move(all);
    return s;
  }
  TRIFAC_CATCH
}

}  // namespace detail

/// A := L with Pᵀ·(A + E)·P = L·Lᴴ (options.part = lower), or Lᴴ in the upper triangle, in place;
/// E: diagonal, E ≥ 0, 0 if A is safely positive definite, else small: docs/numerics.md lists ‖E‖∞
/// / |λmin| for the paper's matrices. So −(A + E)⁻¹·g is a descent direction for a Hessian A. Does
/// not throw. On serial, threads and openmp.
/// @param A  n×n Hermitian, float, double, long double or complex of these; the named triangle is
///           read and overwritten. The result owns a matrix passed as a temporary or moved in, as
///           for cholesky().
/// @return   success for any A of finite numbers, unless they overflow: not_finite with the first
///           invalid column of L; with index 0, and A unchanged, where its diagonal is not finite.
///           invalid_argument, out_of_memory: A is unchanged.
/// n³/3 flops. Source: Schnabel, Eskow, SIAM J. Optim. 9(4), 1999: τ = ∛ε, τ̄ = τ², μ = 0.1.
template <Backend B, MatrixLike M>
[[nodiscard]] auto try_modified_cholesky(const B& backend, M&& A,
                                         const modified_cholesky_options& options = {}) noexcept {
  using T = detail::scalar_or_double<M>;
  using R = real_t<T>;
  using factor = modified_cholesky_factor<T>;
  using pivoted = pivoted_cholesky_factor<T>;
  constexpr bool is_known = std::floating_point<R>;
  detail::check_factored<M>();
  static_assert(NestBackend<B, T>, "modified_cholesky runs on serial, threads and openmp");
  static_assert(is_known,
                "modified_cholesky is for float, double, long double and complex of these");
  if constexpr (detail::can_be_factored<M> && NestBackend<B, T> && is_known) {
    matrix<T> copy;
    pivots p;
    std::vector<R> E;
    index_t phase_two = 0;
    status s;
    auto&& kept = detail::factored_in<M>(A, "A", copy, s);
    if (!s) return factor(pivoted(matrix_view<T>(), options.part, pivots(), 0, s), {}, 0);
    const matrix_view<T> view = view_of(kept);
    s = detail::modified_cholesky_checked(backend, view, options, p, E, phase_two);
    const index_t rank = s ? view.rows() : 0;
    return factor(detail::make_factor<pivoted>(kept, s, options.part, std::move(p), rank, s),
                  std::move(E), phase_two);
  } else {
    return factor();
  }
}
template <MatrixLike M>
[[nodiscard]] auto try_modified_cholesky(M&& A,
                                         const modified_cholesky_options& options = {}) noexcept {
  return try_modified_cholesky(backend::serial{}, std::forward<M>(A), options);
}

/// B := op(A + E)⁻¹·B in place, op(A + E) = A + E, (A + E)ᵀ or (A + E)ᴴ; B: n×r. The factor's
/// status if that failed, invalid_argument or backend_failure; B is then unchanged. 2n²r flops.
/// LAPACK: potrs, after laswp.
template <Backend B, class T, RightHandSides M>
status try_solve(const B& backend, const modified_cholesky_factor<T>& f, M&& X,
                 operation op = operation::none) noexcept {
  detail::check_solved<T, M>();
  if constexpr (detail::can_be_solved<T, M>) {
    const matrix_view<T> view = detail::right_hand_sides(X);
    for (const status& s : {detail::check_solve(f, view), detail::check_operation(op)})
      if (!s) return s;
    apply_interchanges(f.interchanges().span(), view);
    const status s =
        try_solve(backend, cholesky_factor<T>(f.matrix(), f.part(), f.status()), view, op);
    undo_interchanges(f.interchanges().span(), view);
    return s;
  } else {
    return {};
  }
}
template <class T, RightHandSides M>
status try_solve(const modified_cholesky_factor<T>& f, M&& X,
                 operation op = operation::none) noexcept {
  return try_solve(backend::serial{}, f, std::forward<M>(X), op);
}

#if TRIFAC_EXCEPTIONS
/// try_modified_cholesky that throws argument_error, backend_error or std::bad_alloc if the status
/// is not a property of the matrix.
template <Backend B, MatrixLike M>
[[nodiscard]] auto modified_cholesky(const B& backend, M&& A,
                                     const modified_cholesky_options& options = {}) {
  auto factor = try_modified_cholesky(backend, std::forward<M>(A), options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <MatrixLike M>
[[nodiscard]] auto modified_cholesky(M&& A, const modified_cholesky_options& options = {}) {
  return modified_cholesky(backend::serial{}, std::forward<M>(A), options);
}

/// try_solve that throws the exception of its status.
template <Backend B, class T, RightHandSides M>
void solve(const B& backend, const modified_cholesky_factor<T>& f, M&& X,
           operation op = operation::none) {
  detail::throw_unless_ok(try_solve(backend, f, std::forward<M>(X), op));
}
template <class T, RightHandSides M>
void solve(const modified_cholesky_factor<T>& f, M&& X, operation op = operation::none) {
  solve(backend::serial{}, f, std::forward<M>(X), op);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
