#pragma once
// From a checked triangle to the substitution with it.

#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/solve/check_solution.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Of the elements that divide: `singular` for the first zero, as LAPACK's trtrs has it; where
/// there is none, `not_finite` for the first NaN or infinity.
template <class T>
status check_diagonal(const operand<T>& A) {
  status found;
  for (index_t k = 0; k < A.rows(); ++k) {
    const T pivot = A.view(k, k);
    if (pivot == T(0)) return status::at(status_kind::singular, k);
    if (found && !is_finite(pivot)) found = status::at(status_kind::not_finite, k);
  }
  return found;
}

/// X := A⁻¹·X, A the `part` of a square view. A zero on the diagonal divides.
template <Backend B, class T>
status substitute(const B& backend, const operand<T>& A, triangle part, diagonal diag,
                  const matrix_view<T>& X) {
  if constexpr (DeviceBackend<B>)
    return backend.solve_with_triangle(A, part, diag, X);
  else
    return calls_on<B, T>::substitute(nest_backend<T>(backend), A, part, diag, X);
}

/// The same with what may be wrong with the numbers: `singular`, and X unchanged, or `not_finite`.
template <Backend B, class T>
status run_triangular_solve(const B& backend, const operand<T>& A, triangle part, diagonal diag,
                            const matrix_view<T>& X) {
  const status divisors = diag == diagonal::non_unit ? check_diagonal(A) : status();
  if (divisors.kind() == status_kind::singular) return divisors;
  if (const status s = substitute(backend, A, part, diag, X); !s) return s;
  return divisors ? check_solution(X, part) : divisors;  // x / ∞ = 0 shows in no row of X
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
