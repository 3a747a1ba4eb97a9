#pragma once
// Solves with checked factors: what the kind of backend has.

#include <span>

#include "trifac/backend.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/cholesky/factor.hpp"
#include "trifac/engine/lu/factor.hpp"
#include "trifac/profile.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// X := (K·Kᴴ)⁻¹·X.
template <Backend B, class T>
status solve_cholesky(const B& backend, const operand<T>& K, const matrix_view<T>& X) {
  if constexpr (ChoosingBackend<B>)
    return backend.template choose<T>(factorization::cholesky, K.rows(), [&](const auto& chosen) {
      return solve_cholesky(chosen, K, X);
    });
  else if constexpr (LibraryBackend<B, T>)
    return potrs(backend, K.view, K.conjugated ? operation::transpose : operation::none, X);
  else if constexpr (DeviceBackend<B>)
    return backend.solve_with_cholesky(K, X);
  else
    return calls_on<B, T>::solve_cholesky(nest_backend<T>(backend), K, X);
}

/// X := op(A)⁻¹·X with P·A = L·U in `LU` and `interchanges`.
template <Backend B, class T>
status solve_lu(const B& backend, const matrix_view<const T>& LU,
                std::span<const index_t> interchanges, const matrix_view<T>& X, operation op) {
  if constexpr (ChoosingBackend<B>)
    return backend.template choose<T>(factorization::lu, LU.rows(), [&](const auto& chosen) {
      return solve_lu(chosen, LU, interchanges, X, op);
    });
  else if constexpr (LibraryBackend<B, T>)
    return getrs(backend, LU, interchanges, op, X);
  else if constexpr (DeviceBackend<B>)
    return backend.solve_with_lu(LU, interchanges, op, X);
  else
    return calls_on<B, T>::solve_lu(nest_backend<T>(backend), LU, interchanges, X, op);
}

template <Backend B, class T>
status solve_with(const B& backend, const cholesky_factor<T>& f, const matrix_view<T>& X,
                  operation op) {
  return solve_cholesky(backend, lower_operand<T>(f.matrix(), f.part(), op), X);
}
template <Backend B, class T>
status solve_with(const B& backend, const lu_factor<T>& f, const matrix_view<T>& X, operation op) {
  return solve_lu(backend, f.matrix(), f.interchanges().span(), X, op);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
