#pragma once
// Modifications of a Cholesky factor with TRIFAC_USE_KERNELS: s, d, c, z on the library's backends
// are calls of the library; all else is compiled from trifac/nests.hpp.

#include "trifac/engine/base/modification.hpp"
#include "trifac/engine/linked/check_linked.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <Backend B, class T>
status run_modification(const B& backend, modification how, const matrix_view<T>& L,
                        const operand<T>& X);

template <linked::Linked B, LapackScalar T>
status run_modification(const B& backend, modification how, const matrix_view<T>& L,
                        const operand<T>& X) {
  return linked::calls<T>::modify(linked_threads(backend), how, L, X);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
