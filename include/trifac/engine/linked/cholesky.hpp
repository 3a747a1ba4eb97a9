#pragma once
// Cholesky with TRIFAC_USE_KERNELS: s, d, c, z on the library's backends are calls of the library;
// all else is compiled from trifac/nests.hpp.

#include "trifac/engine/call/call.hpp"
#include "trifac/engine/linked/check_linked.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// See cholesky/plan.hpp; here it is no constant expression.
template <LapackScalar T, variant V = variant::best>
std::size_t cholesky_workspace_bytes(index_t n, const cholesky_options& options = {}) {
  return linked::calls<T>::cholesky_workspace_bytes(V, n, options);
}

namespace detail {

template <variant V, Backend B, class T>
status choose_and_factor(const B& backend, matrix_view<const T> A, matrix_view<T> L,
                         cholesky_options options);

template <variant V, linked::Linked B, LapackScalar T>
status choose_and_factor(const B& backend, matrix_view<const T> A, matrix_view<T> L,
                         cholesky_options options) {
  static_assert(is_cholesky_variant(V), "this variant is one of LU");
  return linked::calls<T>::cholesky(V, linked_threads(backend), A, L, options);
}

template <Backend B, class T>
index_t factor_small(const B&, T* A, index_t n, index_t down, index_t along);

template <linked::Linked B, LapackScalar T>
index_t factor_small(const B&, T* A, index_t n, index_t down, index_t along) {
  return linked::calls<T>::small_cholesky(A, n, down, along);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
