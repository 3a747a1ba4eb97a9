#pragma once
// solve() with a triangle: B := op(L)⁻¹·B or op(U)⁻¹·B.

#include "trifac/engine/solve/check_solution.hpp"
#include "trifac/engine/solve/triangle.hpp"
#include "trifac/engine/views/triangular_view.hpp"
#include "trifac/solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The checks of every call that takes a triangle, which may be that of a factor.
template <class T>
status check_triangle(const triangular_view<T>& A) {
  const status& outcome = A.status();
  if (outcome.kind() == status_kind::empty) return status::argument("triangle", outcome.what());
  if (!outcome.ok()) return outcome;
  if (const status s = check_view(A.elements().view, "triangle"); !s) return s;
  if (!is_one_of(A.part()))
    return status::argument("triangle.part", "is not one of its enumeration");
  if (!is_one_of(A.diag()))
    return status::argument("triangle.diag", "is not one of its enumeration");
  return {};
}

template <class T>
status check_solve(const triangular_view<T>& A, const matrix_view<T>& B, const char* name = "B") {
  if (const status s = check_triangle(A); !s) return s;
  if (A.rows() != A.cols()) return status::argument("triangle", "is not square");
  if (const status s = check_view(B, name); !s) return s;
  if (B.rows() != A.rows()) return status::argument(name, "must have as many rows as the triangle");
  if (overlap(A.elements().view, used_part(A.part()), B, part_in_use::whole))
    return status::argument(name, "overlaps the triangle");
  return {};
}

template <Backend B, class T>
status triangular_solve_checked(const B& backend, const triangular_view<T>& A, matrix_view<T> X,
                                operation op) noexcept {
  for (const status& s : {check_solve(A, X), check_operation(op), check_backend(backend)})
    if (!s) return s;
  if (X.empty()) return {};
  const bool turned = op != operation::none, lower = A.part() == triangle::lower;
  const operand<T>& all = A.elements();
  const operand<T> op_A(turned ? all.view.transposed() : all.view,
                        is_complex<T> && all.conjugated != (op == operation::adjoint));
  TRIFAC_TRY {
    return run_triangular_solve(backend, op_A, lower != turned ? triangle::lower : triangle::upper,
                                A.diag(), X);
  }
  TRIFAC_CATCH
}

/// With a number of rows of X known at compile time (else `dynamic`), or at run time.
template <index_t Rows, Backend B, class T>
TRIFAC_INLINE status triangular_solve(const B& backend, const triangular_view<T>& A,
                                      const matrix_view<T>& X, operation op) noexcept {
  if constexpr (constexpr index_t n = known_solve_order<cholesky_factor<T>, Rows, B>(); n > 0)
    if (solve_known_triangle<n>(backend, A, X, op))
      return check_solution(X, (A.part() == triangle::lower) == (op == operation::none)
                                   ? triangle::lower
                                   : triangle::upper);
  return triangular_solve_checked(backend, A, X, op);
}

}  // namespace detail

/// B := op(A)⁻¹·B in place with a triangle A, n×n: f.L() or f.U() of a factor, or that of any
/// matrix, triangular_view(A.view(), triangle::lower[, diagonal::unit]); B: n×r as for a factor. No
/// exception leaves it. On serial, threads, openmp and devices.
/// @return  singular with the index of the first zero on a stored diagonal: B is unchanged.
///          not_finite where the triangle or B has a NaN or infinity, or the solution overflows: B
///          is overwritten. Its index is that of the first NaN or infinity on a stored diagonal,
///          where that has none of the first row of the solution with one. The status of A where
///          its factor failed, and invalid_argument where it is not square or of no factor, or
///          where B does not fit or has elements of the triangle: B is unchanged.
/// n²·r flops, half of those of solve(factor, B); workspace and threads as there, and the orders
/// known at compile time, up to 8. LAPACK: trtrs.
template <Backend B, class T, RightHandSides M>
requires FactorBackend<B, T> TRIFAC_INLINE status try_solve(const B& backend,
                                                            const triangular_view<T>& A, M&& X,
                                                            operation op = operation::none)
noexcept {
  detail::check_solved<T, M>();
  if constexpr (detail::can_be_solved<T, M>)
    return detail::triangular_solve<detail::rows_of_sides<M>()>(backend, A,
                                                                detail::right_hand_sides(X), op);
  else
    return {};
}
template <class T, RightHandSides M>
TRIFAC_INLINE status try_solve(const triangular_view<T>& A, M&& X,
                               operation op = operation::none) noexcept {
  return try_solve(backend::serial{}, A, std::forward<M>(X), op);
}

#if TRIFAC_EXCEPTIONS
/// try_solve that throws what belongs to its status: numerical_error, argument_error, backend_error
/// or std::bad_alloc.
template <Backend B, class T, RightHandSides M>
requires FactorBackend<B, T> TRIFAC_INLINE void solve(const B& backend, const triangular_view<T>& A,
                                                      M&& X, operation op = operation::none) {
  detail::throw_unless_ok(try_solve(backend, A, std::forward<M>(X), op));
}
template <class T, RightHandSides M>
TRIFAC_INLINE void solve(const triangular_view<T>& A, M&& X, operation op = operation::none) {
  solve(backend::serial{}, A, std::forward<M>(X), op);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
