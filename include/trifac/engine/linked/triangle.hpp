#pragma once
// Triangular solves with TRIFAC_USE_KERNELS: s, d, c, z on the library's backends are calls of the
// library; all else is compiled from trifac/nests.hpp.

#include "trifac/engine/linked/check_linked.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <Backend B, class T>
status run_triangular_solve(const B& backend, const operand<T>& A, triangle part, diagonal diag,
                            const matrix_view<T>& X);

template <linked::Linked B, LapackScalar T>
status run_triangular_solve(const B& backend, const operand<T>& A, triangle part, diagonal diag,
                            const matrix_view<T>& X) {
  return linked::calls<T>::solve_triangle(linked_threads(backend), A, part, diag, X);
}

template <Backend B, class T>
status substitute(const B& backend, const operand<T>& A, triangle part, diagonal diag,
                  const matrix_view<T>& X);

template <linked::Linked B, LapackScalar T>
status substitute(const B& backend, const operand<T>& A, triangle part, diagonal diag,
                  const matrix_view<T>& X) {
  return linked::calls<T>::substitute(linked_threads(backend), A, part, diag, X);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
