#pragma once
// solve(): B := op(A)⁻¹·B with the factors of A.

#include "trifac/engine/call/argument_types.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/overlap.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/cholesky/factor.hpp"
#include "trifac/engine/cpu/serial_policy.hpp"
#include "trifac/engine/lu/factor.hpp"
#include "trifac/engine/solve/known_order.hpp"
#include "trifac/engine/solve/with_factor.hpp"
#include TRIFAC_DEFINITIONS(solve, calls)

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The checks of every call that uses a factor: not empty, completed, square, with interchanges
/// that fit. A singular one passes, for determinants.
template <class Factor>
constexpr status check_completed(const Factor& f) {
  const status& outcome = f.status();
  if (outcome.kind() == status_kind::empty) return status::argument("factor", outcome.what());
  if (!outcome.completed()) return outcome;
  if (f.matrix().rows() != f.matrix().cols()) return status::argument("factor", "is not square");
  if constexpr (requires { f.interchanges_fit(); })
    if (!f.interchanges_fit())
      return status::argument("factor", "has row interchanges that are not those of its matrix");
  return {};
}

/// The same for calls that divide by pivots.
template <class Factor>
constexpr status check_invertible(const Factor& f) {
  return f.status().kind() == status_kind::singular ? f.status() : check_completed(f);
}

template <class Factor, class T>
constexpr status check_solve(const Factor& f, matrix_view<T> B, const char* name = "B") {
  if (const status s = check_invertible(f); !s) return s;
  if (const status s = check_view(B, name); !s) return s;
  if (B.rows() != f.rows())
    return status::argument(
        name, "must have as many rows as the factored matrix (a vector is one column)");
  if (std::is_constant_evaluated() ? shares_elements(f.matrix(), B) : overlaps_factor(f, B))
    return status::argument(name, "overlaps the factored matrix");
  return {};
}

template <Backend B, class Factor, class T>
status solve_at_run_time(const B& backend, const Factor& f, matrix_view<T> X,
                         operation op) noexcept {
  for (const status& s : {check_solve(f, X), check_operation(op), check_backend(backend)})
    if (!s) return s;
  if (X.empty()) return {};
  TRIFAC_TRY {
    return solve_with(backend, f, X, op);
  }
  TRIFAC_CATCH
}

/// By one kernel where there is one for the order, Rows (else `dynamic`); in a constant expression,
/// or at run time.
template <index_t Rows, Backend B, class Factor, class T>
TRIFAC_INLINE constexpr status solve_checked(const B& backend, const Factor& f, matrix_view<T> X,
                                             operation op) noexcept {
  if (try_small_solve<known_solve_order<Factor, Rows, B>()>(backend, f, X, op)) return {};
  if (std::is_constant_evaluated()) {
    const status s = check_solve(f, X);
    return !s ? s : !check_operation(op) ? check_operation(op) : solve_constant(f, X, op);
  }
  return solve_at_run_time(backend, f, X, op);
}

}  // namespace detail

/// Right-hand sides: a matrix, or a vector as one column.
template <class M>
concept RightHandSides = MatrixLike<M> || VectorLike<M>;

/// What cholesky() and lu() return.
template <class F>
concept Factor = std::same_as<F, cholesky_factor<typename F::value_type>> ||
    std::same_as<F, lu_factor<typename F::value_type>>;

/// B := op(A)⁻¹·B in place, with A = L·Lᴴ, A = Uᴴ·U or P·A = L·U, whichever the factor holds. B, in
/// the parameter X, is n×r with any number of right-hand sides r; no temporary that owns its
/// elements, as the solution would be lost. No exception leaves it.
/// @return  the factor's own status, kind and index, where the factorization failed;
///          invalid_argument where the factor is empty or not square, or has row interchanges that
///          are not those of its matrix (their number and range are looked at), and where B does
///          not fit or has elements among those of the factor that are read, or op is none of its
///          enumeration; backend_failure where the backend is not available. In all these cases B
///          is unchanged. out_of_memory, or backend_failure of a device or library on the way, see
///          status_kind. Else success, whatever the numbers: x is infinite or NaN where it
///          overflows, and in row k where element k of the diagonal is zero, which divides. No
///          factorization that succeeded leaves a zero there; a factor made by its constructor may
///          have one, or a matrix that was written to afterwards.
/// Factors of one backend may be solved with on another. 2n²·r flops. On CPUs, of LAPACK's four
/// types and factors with contiguous rows or columns, orders up to 256 need no workspace; neither
/// do up to six right-hand sides of any order, which is reading the factor once. Otherwise blocks
/// of the factor are packed in memory that each thread keeps (workspace_cache.hpp).
/// Up to six right-hand sides, and up to 64 at orders up to 256, are the calling thread's work. The
/// bits of a column of X depend neither on the layout nor on r where n ≤ 80, or n ≤ 256 and r > 2
/// (float: r > 4). Where the number of rows of B is known at compile time and at most 8 for
/// Cholesky or 6 for LU, float or double: as try_cholesky. LAPACK: potrs, getrs.
template <Backend B, Factor F, RightHandSides M>
TRIFAC_INLINE constexpr status try_solve(const B& backend, const F& factor, M&& X,
                                         operation op = operation::none) noexcept {
  using T = typename F::value_type;
  detail::check_solved<T, M>();
  if constexpr (detail::can_be_solved<T, M>)
    return detail::solve_checked<detail::rows_of_sides<M>()>(backend, factor,
                                                             detail::right_hand_sides(X), op);
  else
    return {};
}
template <Factor F, RightHandSides M>
TRIFAC_INLINE constexpr status try_solve(const F& factor, M&& X,
                                         operation op = operation::none) noexcept {
  return try_solve(backend::serial{}, factor, std::forward<M>(X), op);
}
template <class... Arguments>
requires detail::PassesOption<char, Arguments...> status try_solve(Arguments&&...)
noexcept {
  static_assert(!detail::PassesOption<char, Arguments...>,
                "op(A) is an operation: solve(f, B, operation::transpose)");
  return {};
}

#if TRIFAC_EXCEPTIONS
/// try_solve that throws what belongs to its status: numerical_error with the factor's own status
/// where the factorization failed, argument_error, backend_error or std::bad_alloc.
template <Backend B, Factor F, RightHandSides M>
TRIFAC_INLINE constexpr void solve(const B& backend, const F& factor, M&& X,
                                   operation op = operation::none) {
  detail::throw_unless_ok(try_solve(backend, factor, std::forward<M>(X), op));
}
template <Factor F, RightHandSides M>
TRIFAC_INLINE constexpr void solve(const F& factor, M&& X, operation op = operation::none) {
  solve(backend::serial{}, factor, std::forward<M>(X), op);
}
template <class... Arguments>
requires detail::PassesOption<char, Arguments...>
void solve(Arguments&&...) {
  static_assert(!detail::PassesOption<char, Arguments...>,
                "op(A) is an operation: solve(f, B, operation::transpose)");
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
