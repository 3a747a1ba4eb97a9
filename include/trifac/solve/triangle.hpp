#pragma once
// From a checked triangle to the substitution with it.

#include "trifac/detail/min_max.hpp"
#include "trifac/panel/nest_step.hpp"
#include "trifac/solve/check_solution.hpp"
#include "trifac/solve/run.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Of the elements that divide: zero is `singular`, as LAPACK's trtrs has it.
template <class T>
status check_diagonal(const operand<T>& A) {
  for (index_t k = 0; k < A.rows(); ++k) {
    const T pivot = A.view(k, k);
    if (!is_finite(pivot)) return status::at(status_kind::not_finite, k);
    if (pivot == T(0)) return status::at(status_kind::singular, k);
  }
  return {};
}

/// Small triangles with any number of right-hand sides, by groups that the small kernel takes:
/// order 50 with 100 of them in a third of the time of blocks. False, and nothing done, where it
/// does not.
template <Backend B, class T>
bool try_small_triangle(const B& backend, const operand<T>& A, triangle part, diagonal diag,
                        const matrix_view<T>& X) {
  constexpr index_t most = simd::small_solve_columns;
  const auto group = [&](index_t i) {
    return X.block(0, i * most, X.rows(), min(most, X.cols() - i * most));
  };
  if (X.rows() > simd::small_solve_rows || !simd::solve_small_triangle(A, part, diag, group(0)))
    return false;
  if (X.cols() <= most) return true;
  const double n = static_cast<double>(X.rows());
  status outcome;
  run(backend, outcome, n * n * static_cast<double>(X.cols()), [&](auto& on) {
    on.pieces(nest_step::solve_lower, (X.cols() - 1) / most,
              [&](index_t i) { simd::solve_small_triangle(A, part, diag, group(i + 1)); });
  });
  return true;
}

/// B := A⁻¹·B, A the `part` of a square view.
template <Backend B, class T>
status substitute(const B& backend, const operand<T>& A, triangle part, diagonal diag,
                  const matrix_view<T>& X) {
  if constexpr (DeviceBackend<B>) {
    return backend.solve_with_triangle(A, part, diag, X);
  } else {
    if constexpr (SmallPathBackend<B> && PackingBackend<B> && simd::has_kernels<T>)
      if (try_small_triangle(backend, A, part, diag, X)) return {};
    return run_solve_nest(backend, A, X, 1, [&](auto& on, index_t block) {
      if (part == triangle::lower)
        forward_substitution(on, A, X, diag, block);
      else
        backward_substitution(on, A, X, diag, block);
    });
  }
}

/// The same with what may be wrong with the numbers. Where a diagonal has no inverse X is
/// unchanged.
template <Backend B, class T>
status run_triangular_solve(const B& backend, const operand<T>& A, triangle part, diagonal diag,
                            const matrix_view<T>& X) {
  if (diag == diagonal::general)
    if (const status s = check_diagonal(A); !s) return s;
  if (const status s = substitute(backend, A, part, diag, X); !s) return s;
  return check_solution(X, part);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
