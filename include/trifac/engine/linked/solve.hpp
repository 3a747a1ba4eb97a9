#pragma once
// Solves with TRIFAC_USE_KERNELS: s, d, c, z on the library's backends are calls of the library;
// all else is compiled from trifac/nests.hpp.

#include "trifac/engine/cholesky/factor.hpp"
#include "trifac/engine/linked/check_linked.hpp"
#include "trifac/engine/lu/factor.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <Backend B, class T>
status run_solve(const B& backend, const cholesky_factor<T>& f, matrix_view<T> X, operation op);
template <Backend B, class T>
status run_solve(const B& backend, const lu_factor<T>& f, matrix_view<T> X, operation op);

template <linked::Linked B, LapackScalar T>
status run_solve(const B& backend, const cholesky_factor<T>& f, matrix_view<T> X, operation op) {
  return linked::calls<T>::solve_cholesky(linked_threads(backend), f.matrix(), f.part(), X, op);
}
template <linked::Linked B, LapackScalar T>
status run_solve(const B& backend, const lu_factor<T>& f, matrix_view<T> X, operation op) {
  return linked::calls<T>::solve_lu(linked_threads(backend), f.matrix(),
                                    f.interchanges().span().data(), X, op);
}

template <Backend B, class T>
bool solve_small(const B&, const T* L, index_t down, index_t along, bool conjugated,
                 const matrix_view<T>& X);
template <Backend B, class T>
bool solve_small(const B&, const T* LU, index_t down, index_t along, const index_t* interchanges,
                 operation op, const matrix_view<T>& X);

template <linked::Linked B, LapackScalar T>
bool solve_small(const B&, const T* L, index_t down, index_t along, bool conjugated,
                 const matrix_view<T>& X) {
  return linked::calls<T>::small_solve_cholesky(L, down, along, conjugated, X);
}
template <linked::Linked B, LapackScalar T>
bool solve_small(const B&, const T* LU, index_t down, index_t along, const index_t* interchanges,
                 operation op, const matrix_view<T>& X) {
  return linked::calls<T>::small_solve_lu(LU, down, along, interchanges, op, X);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
