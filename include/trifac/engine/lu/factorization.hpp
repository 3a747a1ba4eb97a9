#pragma once
// factor_lu: what all calls with an LU factorization come to. It checks the arguments and calls
// what the kind of backend has.

#include <utility>

#include "trifac/backend.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/calls/variant_calls.hpp"
#include "trifac/engine/lu/check.hpp"
#include "trifac/engine/lu/check_finite.hpp"
#include "trifac/engine/lu/options.hpp"
#include "trifac/pivots.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// P·A = L·U by V; p receives min(m, n) interchanges where the matrix decided the outcome, and is
/// else as it was. Options that are not given are the profile's.
template <variant V, Backend B, class T>
status factor_lu(const B& backend, const matrix_view<T>& A, pivots& p, const lu_options& given) {
  static_assert(is_lu_variant(V), "this variant is one of Cholesky");
  check_variant<V>();
  const index_t steps = min(A.rows(), A.cols());
  if constexpr (ChoosingBackend<B>) {
    lu_options options = given;
    if (options.profile == nullptr) options.profile = &backend.profile();
    return backend.template choose<T>(factorization::lu, steps, [&](const auto& chosen) {
      return factor_lu<V>(chosen, A, p, options);
    });
  } else {
    const auto options = tuned<T, V == variant::best, factorization::lu>(given, steps);
    if (const status s = check_lu_arguments(A, V, options); !s) return s;
    if (const status s = check_backend(backend); !s) return s;
    if (!supports(backend, V))
      return status::argument("variant", "is not supported by this backend");
    if (LibraryBackend<B, T> && options.pivoting != pivoting::partial)
      return status::argument("options.pivoting", "must be partial for this backend");
    pivots made(steps);
    status s;
    if (!A.empty()) {
      if constexpr (LibraryBackend<B, T>)
        s = getrf(backend, A, made.span());
      else if constexpr (DeviceBackend<B>)
        s = backend.template lu<V>(A, made.span(), options);
      else if constexpr (TaskBackend<B> && LapackScalar<T>)
        s = backend.template start_lu<V>(A, made.span(), options).wait();
      else if constexpr (needs_variants_hpp(V))
        s = variant_calls_on<V, B, T>::lu(nest_backend<T>(backend), A, made.data(), options);
      else
        s = calls_on<B, T>::lu(V, nest_backend<T>(backend), A, made.data(), options);
      s = check_finite(A, s, options.block);
    }
    if (s.of_the_matrix()) p = std::move(made);
    return s;
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
