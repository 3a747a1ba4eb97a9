#pragma once
// Inverses with TRIFAC_USE_KERNELS: s, d, c, z on the library's backends are calls of the library;
// all else is compiled from trifac/nests.hpp.

#include <span>

#include "trifac/engine/linked/check_linked.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <Backend B, class T>
status run_cholesky_inverse(const B& backend, const matrix_view<const T>& L,
                            const matrix_view<T>& X);
template <Backend B, class T>
status run_lu_inverse(const B& backend, const matrix_view<const T>& LU,
                      std::span<const index_t> interchanges, const matrix_view<T>& X);

template <linked::Linked B, LapackScalar T>
status run_cholesky_inverse(const B& backend, const matrix_view<const T>& L,
                            const matrix_view<T>& X) {
  return linked::calls<T>::cholesky_inverse(linked_threads(backend), L, X);
}
template <linked::Linked B, LapackScalar T>
status run_lu_inverse(const B& backend, const matrix_view<const T>& LU,
                      std::span<const index_t> interchanges, const matrix_view<T>& X) {
  return linked::calls<T>::lu_inverse(linked_threads(backend), LU, interchanges.data(), X);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
