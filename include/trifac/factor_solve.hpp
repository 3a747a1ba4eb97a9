#pragma once
// cholesky_solve(), lu_solve(): B := A⁻¹·B, the factorization and the solve in one call.

#include <type_traits>

#include "trifac/cholesky.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/lu.hpp"
#include "trifac/solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Whether two views can be a system A·X = B: before anything is written.
template <class T>
status check_system(const matrix_view<T>& A, part_in_use part, const matrix_view<T>& X) {
  if (const status s = check_view(A, "A"); !s) return s;
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  if (const status s = check_view(X, "B"); !s) return s;
  if (X.rows() != A.rows()) return status::argument("B", "must have as many rows as A");
  if (overlap(A, part, X, part_in_use::whole)) return status::argument("B", "overlaps A");
  return {};
}

template <variant V, Backend B, class T>
status cholesky_solve_at_run_time(const B& backend, const matrix_view<T>& A,
                                  const matrix_view<T>& X,
                                  const cholesky_options& options) noexcept {
  const bool upper = options.part == triangle::upper;
  if (!is_plain_system<T>(A, X))
    if (const status s = check_system(A, upper ? part_in_use::upper : part_in_use::lower, X); !s)
      return s;
  const index_t bad = try_small_cholesky<0, V>(backend, A, options);
  if (bad == all_good && !X.empty()) {
    const matrix_view<T> L = lower_view(A, options.part);
    if constexpr (SmallPathBackend<B> && LapackScalar<T>)
      if (calls<T>::small_solve_cholesky(L.data(), L.row_stride(), L.col_stride(),
                                         is_complex<T> && upper, X))
        return {};
  }
  TRIFAC_TRY {
    const status s = bad >= 0 ? blas::status_of_pivot(A, bad)
                     : bad == all_good
                         ? status()
                         : factor_cholesky<V>(backend, matrix_view<const T>(A), A, options);
    if (!s || X.empty()) return s;
    return solve_with(backend, cholesky_factor<T>(A, options.part, s), X, operation::none);
  }
  TRIFAC_CATCH
}

template <variant V, Backend B, class T>
status lu_solve_at_run_time(const B& backend, const matrix_view<T>& A, pivots& p,
                            const matrix_view<T>& X, const lu_options& options) noexcept {
  if (!is_plain_system<T>(A, X))
    if (const status s = check_system(A, part_in_use::whole, X); !s) return s;
  const status small = try_small_lu<0, V>(backend, A, p, options);
  if constexpr (SmallPathBackend<B> && LapackScalar<T>)
    if (small.ok() && !X.empty() &&
        calls<T>::small_solve_lu(A.data(), A.row_stride(), A.col_stride(), p.data(),
                                 operation::none, X))
      return {};
  TRIFAC_TRY {
    const status s = small.of_the_matrix() ? small : factor_lu<V>(backend, A, p, options);
    if (!s || X.empty()) return s;
    return solve_with(backend, lu_factor<T>(A, &p, s), X, operation::none);
  }
  TRIFAC_CATCH
}

/// Orders known at compile time, constant expressions, and all others.
template <variant V, Backend B, class M, class T>
TRIFAC_INLINE constexpr status cholesky_solve_of(const B& backend, M& A, const matrix_view<T>& X,
                                                 const cholesky_options& options) noexcept {
  const matrix_view<T> view = view_of(A);
  if (std::is_constant_evaluated()) {
    const auto f = try_cholesky<V>(backend, view, options);
    return f ? try_solve(backend, f, X) : f.status();
  }
  if constexpr (constexpr index_t n = known_cholesky_order<M&, V, B>(); n > 0)
    if (is_plain_system<T>(view, X) &&
        try_small_cholesky<n, V>(backend, view, options) == all_good) {
      const matrix_view<T> L = lower_view(view, options.part);
      // No reciprocal of a root overflows, not even that of the smallest number.
      blas::scalars::solve_cholesky_in_scalars<int{n}, T>(L.data(), L.row_stride(), L.col_stride(),
                                                          X);
      return {};
    }
  return cholesky_solve_at_run_time<V>(backend, view, X, options);
}

template <variant V, Backend B, class M, class T>
TRIFAC_INLINE constexpr status lu_solve_of(const B& backend, M& A, pivots& p,
                                           const matrix_view<T>& X,
                                           const lu_options& options) noexcept {
  const matrix_view<T> view = view_of(A);
  if (std::is_constant_evaluated()) {
    const auto f = try_lu<V>(backend, view, p, options);
    return f ? try_solve(backend, f, X) : f.status();
  }
  if constexpr (constexpr index_t n = known_lu_order<M&, V, B>(); n > 0)
    if (is_plain_system<T>(view, X) && try_small_lu<n, V>(backend, view, p, options).ok()) {
      blas::scalars::solve_lu_in_scalars<int{n}, T>(
          view.data(), view.row_stride(), view.col_stride(), p.data(), operation::none, X);
      return {};
    }
  return lu_solve_at_run_time<V>(backend, view, p, X, options);
}

}  // namespace detail

/// B := A⁻¹·B and A := L or U, as try_cholesky(A, options) and try_solve of its factor, with the
/// same bits, in one call: arguments are checked once, and a small A is still in the cache when it
/// is solved with. options.norm has no effect, options.jitter is an argument error. No exception
/// leaves it.
/// @param A  n×n Hermitian (symmetric), the named triangle is overwritten by the factor; a
///           temporary is overwritten and lost
/// @param B  n×r, overwritten by the solution; as for try_solve
/// @return   status not_positive_definite or not_finite with the index of the first bad pivot: B is
///           unchanged then. Wrong arguments of both are found before anything is written.
/// n³/3 + 2n²·r flops; workspace: cholesky_workspace_bytes. LAPACK: posv.
template <variant V = variant::best, Backend Bk, MatrixLike M, RightHandSides N>
TRIFAC_INLINE constexpr status try_cholesky_solve(const Bk& backend, M&& A, N&& B,
                                                  const cholesky_options& options = {}) noexcept {
  detail::check_factored<M>();
  detail::check_solved<detail::scalar_or_double<M>, N>();
  if constexpr (detail::can_be_factored<M> && detail::can_be_solved<scalar_t<M>, N>)
    return detail::cholesky_solve_of<V>(backend, A, detail::right_hand_sides(B), options);
  else
    return {};
}
template <variant V = variant::best, MatrixLike M, RightHandSides N>
TRIFAC_INLINE constexpr status try_cholesky_solve(M&& A, N&& B,
                                                  const cholesky_options& options = {}) noexcept {
  return try_cholesky_solve<V>(backend::serial{}, std::forward<M>(A), std::forward<N>(B), options);
}

/// B := A⁻¹·B and A := L\U with P·A = L·U, as try_lu(A, p, options) and try_solve of its factor,
/// with the same bits, in one call; options.growth and options.norm are not looked at. No
/// exception leaves it.
/// @param A  n×n, overwritten; a temporary is overwritten and lost
/// @param p  receives the n row interchanges; without it they are lost
/// @param B  n×r, overwritten by the solution; as for try_solve
/// @return   status singular, not_finite or zero_pivot with the index of the pivot: B is unchanged
///           then. Wrong arguments of both are found before anything is written.
/// 2n³/3 + 2n²·r flops; workspace: lu_workspace_bytes. LAPACK: gesv.
template <variant V = variant::best, Backend Bk, MatrixLike M, RightHandSides N>
TRIFAC_INLINE constexpr status try_lu_solve(const Bk& backend, M&& A, pivots& p, N&& B,
                                            const lu_options& options = {}) noexcept {
  detail::check_factored<M>();
  detail::check_solved<detail::scalar_or_double<M>, N>();
  if constexpr (detail::can_be_factored<M> && detail::can_be_solved<scalar_t<M>, N>)
    return detail::lu_solve_of<V>(backend, A, p, detail::right_hand_sides(B), options);
  else
    return {};
}
template <variant V = variant::best, MatrixLike M, RightHandSides N>
TRIFAC_INLINE constexpr status try_lu_solve(M&& A, pivots& p, N&& B,
                                            const lu_options& options = {}) noexcept {
  return try_lu_solve<V>(backend::serial{}, std::forward<M>(A), p, std::forward<N>(B), options);
}
template <variant V = variant::best, Backend Bk, MatrixLike M, RightHandSides N>
TRIFAC_INLINE constexpr status try_lu_solve(const Bk& backend, M&& A, N&& B,
                                            const lu_options& options = {}) noexcept {
  pivots p;
  return try_lu_solve<V>(backend, std::forward<M>(A), p, std::forward<N>(B), options);
}
template <variant V = variant::best, MatrixLike M, RightHandSides N>
TRIFAC_INLINE constexpr status try_lu_solve(M&& A, N&& B, const lu_options& options = {}) noexcept {
  return try_lu_solve<V>(backend::serial{}, std::forward<M>(A), std::forward<N>(B), options);
}

#if TRIFAC_EXCEPTIONS
/// try_cholesky_solve and try_lu_solve that throw what belongs to their status: numerical_error
/// where the matrix is to blame, argument_error, backend_error or std::bad_alloc.
template <variant V = variant::best, Backend Bk, MatrixLike M, RightHandSides N>
constexpr void cholesky_solve(const Bk& backend, M&& A, N&& B,
                              const cholesky_options& options = {}) {
  detail::throw_unless_ok(
      try_cholesky_solve<V>(backend, std::forward<M>(A), std::forward<N>(B), options));
}
template <variant V = variant::best, MatrixLike M, RightHandSides N>
constexpr void cholesky_solve(M&& A, N&& B, const cholesky_options& options = {}) {
  detail::throw_unless_ok(try_cholesky_solve<V>(std::forward<M>(A), std::forward<N>(B), options));
}
template <variant V = variant::best, Backend Bk, MatrixLike M, RightHandSides N>
constexpr void lu_solve(const Bk& backend, M&& A, pivots& p, N&& B,
                        const lu_options& options = {}) {
  detail::throw_unless_ok(
      try_lu_solve<V>(backend, std::forward<M>(A), p, std::forward<N>(B), options));
}
template <variant V = variant::best, MatrixLike M, RightHandSides N>
constexpr void lu_solve(M&& A, pivots& p, N&& B, const lu_options& options = {}) {
  detail::throw_unless_ok(try_lu_solve<V>(std::forward<M>(A), p, std::forward<N>(B), options));
}
template <variant V = variant::best, Backend Bk, MatrixLike M, RightHandSides N>
constexpr void lu_solve(const Bk& backend, M&& A, N&& B, const lu_options& options = {}) {
  detail::throw_unless_ok(
      try_lu_solve<V>(backend, std::forward<M>(A), std::forward<N>(B), options));
}
template <variant V = variant::best, MatrixLike M, RightHandSides N>
constexpr void lu_solve(M&& A, N&& B, const lu_options& options = {}) {
  detail::throw_unless_ok(try_lu_solve<V>(std::forward<M>(A), std::forward<N>(B), options));
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
