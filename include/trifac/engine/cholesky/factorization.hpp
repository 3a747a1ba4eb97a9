#pragma once
// factor_cholesky: what all calls with a Cholesky factorization come to. It checks the arguments,
// orients the triangle and calls what the kind of backend has.

#include "trifac/backend.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/calls/variant_calls.hpp"
#include "trifac/engine/cholesky/check.hpp"
#include "trifac/engine/cholesky/options.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A = L·Lᴴ by V. In place where A and L are the same elements; else L is not written before all
/// memory is there. Options that are not given are the profile's.
template <variant V, Backend B, class T>
status factor_cholesky(const B& backend, const matrix_view<const T>& A, const matrix_view<T>& L,
                       const cholesky_options& given) {
  static_assert(is_cholesky_variant(V), "this variant is one of LU");
  check_variant<V>();
  const index_t n = A.rows();
  if constexpr (ChoosingBackend<B>) {
    cholesky_options options = given;
    if (options.profile == nullptr) options.profile = &backend.profile();
    return backend.template choose<T>(factorization::cholesky, n, [&](const auto& chosen) {
      return factor_cholesky<V>(chosen, A, L, options);
    });
  } else {
    const auto options = tuned<T, V == variant::best, factorization::cholesky>(given, n);
    if (const status s = check_cholesky<V>(backend, A, L, options); !s) return s;
    if (A.empty()) return {};
    // A = Uᴴ·U: Uᵀ is the lower factor of Aᵀ.
    const auto from = lower_view(A, options.part);
    const auto to = lower_view(L, options.part);
    if constexpr (LibraryBackend<B, T>)
      return potrf(backend, from, to);
    else if constexpr (DeviceBackend<B>)
      return backend.template cholesky<V>(from, to, options);
    else if constexpr (TaskBackend<B> && LapackScalar<T>)
      return backend.template start_cholesky<V>(from, to, options).wait();
    else if constexpr (needs_variants_hpp(V))
      return variant_calls_on<V, B, T>::cholesky(nest_backend<T>(backend), from, to, options);
    else
      return calls_on<B, T>::cholesky(V, nest_backend<T>(backend), from, to, options);
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
