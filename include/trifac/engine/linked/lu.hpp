#pragma once
// LU with TRIFAC_USE_KERNELS: s, d, c, z on the library's backends are calls of the library; all
// else is compiled from trifac/nests.hpp.

#include <span>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/linked/check_linked.hpp"
#include "trifac/engine/lu/factor.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <variant V, Backend B, class T>
status choose_and_factor(const B& backend, matrix_view<T> A, pivots& p, lu_options options);

template <variant V, linked::Linked B, LapackScalar T>
status choose_and_factor(const B& backend, matrix_view<T> A, pivots& p, lu_options options) {
  static_assert(is_lu_variant(V), "this variant is one of Cholesky");
  if (const status s = check_view(A, "A"); !s) return s;
  return with_new_pivots(p, min(A.rows(), A.cols()), [&](std::span<index_t> interchanges) {
    return linked::calls<T>::lu(V, linked_threads(backend), A, interchanges.data(), options);
  });
}

template <Backend B, class T>
status factor_small_lu(const B&, T* A, index_t n, index_t down, index_t along,
                       index_t* interchanges);

template <linked::Linked B, LapackScalar T>
status factor_small_lu(const B&, T* A, index_t n, index_t down, index_t along,
                       index_t* interchanges) {
  return linked::calls<T>::small_lu(A, n, down, along, interchanges);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
