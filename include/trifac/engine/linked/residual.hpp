#pragma once
// Residuals with TRIFAC_USE_KERNELS: s, d, c, z on the library's backends are calls of the
// library; all else is compiled from trifac/nests.hpp.

#include "trifac/engine/linked/check_linked.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <Backend B, class T>
status run_subtract_product(const B& backend, const operand<T>& A, const matrix_view<const T>& X,
                            const matrix_view<T>& R);
template <class T>
status run_subtract_hermitian(const operand<T>& A, const matrix_view<const T>& X,
                              const matrix_view<T>& R);

template <linked::Linked B, LapackScalar T>
status run_subtract_product(const B& backend, const operand<T>& A, const matrix_view<const T>& X,
                            const matrix_view<T>& R) {
  return linked::calls<T>::subtract_product(linked_threads(backend), A, X, R);
}
template <LapackScalar T>
status run_subtract_hermitian(const operand<T>& A, const matrix_view<const T>& X,
                              const matrix_view<T>& R) {
  return linked::calls<T>::subtract_hermitian(A, X, R);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
