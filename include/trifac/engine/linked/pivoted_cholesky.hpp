#pragma once
// Pivoted Cholesky with TRIFAC_USE_KERNELS: s, d, c, z on the library's backends are calls of the
// library; all else is compiled from trifac/nests.hpp.

#include <span>

#include "trifac/engine/linked/check_linked.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <Backend B, class T>
status run_pivoted_cholesky(const B& backend, const matrix_view<T>& A,
                            const pivoted_cholesky_options& options,
                            std::span<index_t> interchanges, index_t& rank);

template <linked::Linked B, LapackScalar T>
status run_pivoted_cholesky(const B& backend, const matrix_view<T>& A,
                            const pivoted_cholesky_options& options,
                            std::span<index_t> interchanges, index_t& rank) {
  return linked::calls<T>::pivoted_cholesky(linked_threads(backend), A, options,
                                            interchanges.data(), rank);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
