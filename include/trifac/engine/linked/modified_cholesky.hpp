#pragma once
// Modified Cholesky with TRIFAC_USE_KERNELS: s, d, c, z on the library's backends are calls of the
// library; all else is compiled from trifac/nests.hpp.

#include <span>

#include "trifac/engine/linked/check_linked.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <Backend B, class T>
status run_modified_cholesky(const B& backend, const matrix_view<T>& A, index_t columns,
                             std::span<index_t> interchanges, std::span<real_t<T>> E,
                             index_t& phase_two);

template <linked::Linked B, LapackScalar T>
status run_modified_cholesky(const B& backend, const matrix_view<T>& A, index_t columns,
                             std::span<index_t> interchanges, std::span<real_t<T>> E,
                             index_t& phase_two) {
  return linked::calls<T>::modified_cholesky(linked_threads(backend), A, columns,
                                             interchanges.data(), E.data(), phase_two);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
