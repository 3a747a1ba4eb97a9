#pragma once
// The published variants as calls, which trifac/variants.hpp brings. See calls.hpp.

#include "trifac/engine/base/variant.hpp"
#include "trifac/engine/calls/calls.hpp"

namespace trifac {
inline namespace TRIFAC_CALLS {

/// As calls<T, B>, of a variant that cholesky() and lu() do not have without that header.
template <variant V, class T, class B = call_team>
struct TRIFAC_SHARED_CALLS variant_calls {
  TRIFAC_CALL static status cholesky(const B& backend, const matrix_view<const T>& A,
                                     const matrix_view<T>& L,
                                     const cholesky_options& options) noexcept;
  TRIFAC_CALL static status lu(const B& backend, const matrix_view<T>& A, index_t* interchanges,
                               const lu_options& options) noexcept;
};

}  // namespace TRIFAC_CALLS

inline namespace TRIFAC_ABI {
namespace detail {

constexpr bool needs_variants_hpp(variant v) {
  return v != variant::best && v != variant::packed;
}

/// Complete where trifac/variants.hpp is included.
template <variant V>
struct include_trifac_variants_hpp;

template <variant V>
constexpr void check_variant() {
  if constexpr (needs_variants_hpp(V))
    static_assert(
        requires { sizeof(include_trifac_variants_hpp<V>); },
        "this variant is a published one: include trifac/variants.hpp");
}

template <variant V, class B, class T>
using variant_calls_on = variant_calls<V, T, nest_backend_t<B, T>>;

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
