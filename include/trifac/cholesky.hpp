#pragma once
// cholesky(): A = L·Lᴴ. The public calls.

#include <type_traits>
#include <utility>

#include "trifac/engine/blas/column_sums.hpp"
#include "trifac/engine/call/kept_argument.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/call/workspace_cache.hpp"
#include "trifac/engine/calls/variant_calls.hpp"
#include "trifac/engine/cholesky/factor.hpp"
#include "trifac/engine/cholesky/factorization.hpp"
#include "trifac/engine/cholesky/jitter.hpp"
#include "trifac/engine/cholesky/known_order.hpp"
#include "trifac/engine/cpu/serial_policy.hpp"
#include TRIFAC_DEFINITIONS(cholesky, calls)

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The norm of A where it is asked for and A has one.
template <class T>
real_t<T> measured_norm(const matrix_view<const T>& A, const cholesky_options& options) {
  const bool wanted = options.norm && A.rows() == A.cols() && check_view(A, "A");
  return wanted ? blas::hermitian_norm_1<T>(lower_view(A, options.part))
                : std::numeric_limits<real_t<T>>::quiet_NaN();
}

template <variant V, Backend B, class T>
status factor_with_jitter(const B& backend, const matrix_view<const T>& A, const matrix_view<T>& L,
                          const cholesky_options& options, real_t<T>& shift) {
  cholesky_options plain = options;
  plain.jitter = {};
  // The blocks that factor_cholesky takes, and with them the workspace.
  if constexpr (ChoosingBackend<B>)
    if (plain.profile == nullptr) plain.profile = &backend.profile();
  if (const status s = check_cholesky<V>(backend, A, L, plain); !s) return s;
  // Before the first try: a later one could not have it, with A overwritten.
  const std::size_t bytes = cholesky_workspace_bytes<T, V>(A.rows(), plain);
  const call_memory own(options.workspace.empty() ? bytes : 0);
  if (own.data()) plain.workspace = {own.data(), bytes};
  if (plain.workspace.size() < bytes) return no_workspace(options.workspace);
  return cholesky_with_jitter(A, L, options.jitter, options.part, shift,
                              [&](const matrix_view<const T>& from) {
                                return factor_cholesky<V>(backend, from, L, plain);
                              });
}

/// The factor in L of `source`, or where that is null of L itself. It refers to L, or owns it.
template <variant V, Backend B, class N>
TRIFAC_INLINE constexpr auto cholesky_in(const B& backend,
                                         const matrix_view<const scalar_or_double<N>>* source,
                                         N&& L, const cholesky_options& options) noexcept {
  using T = scalar_or_double<N>;
  using factor = cholesky_factor<T>;
  check_factored<N>();
  check_variant<V>();
  if constexpr (!can_be_factored<N>) {
    return factor();
  } else {
    if constexpr (!OwningTemporary<N>)
      if (!source) {
        const matrix_view<T> A = view_of(L);
        constexpr index_t n = known_cholesky_order<N, V, B>();
        const index_t bad = try_small_cholesky<n, V>(backend, A, options);
        if (bad == all_good) return factor(A, options.part, status());
        if (bad >= 0) return factor(A, options.part, blas::status_of_pivot(A, bad));
      }
    real_t<T> norm = std::numeric_limits<real_t<T>>::quiet_NaN(), shift = real_t<T>(0);
    matrix<T> copy;
    status s;
    auto&& kept = factored_in<N>(L, source ? "L" : "A", copy, s);
    if (!s) return factor(matrix_view<T>(), options.part, s);
    const matrix_view<T> to = view_of(kept);
    const matrix_view<const T> from = source ? *source : to;
    if (std::is_constant_evaluated()) {
      s = factor_constant_cholesky(from, to, options);
    } else {
      TRIFAC_TRY {
        norm = measured_norm<T>(from, options);
        if (options.jitter.first == 0) {
          s = factor_cholesky<V>(backend, from, to, options);
        } else {
          s = factor_with_jitter<V>(backend, from, to, options, shift);
          norm = norm + shift;
        }
      }
      TRIFAC_CATCH_TO(s)
    }
    // A success is a constant: to copy s would wait for what has just been stored in it.
    return make_factor<factor>(kept, s, options.part, s.ok() ? status() : s, norm, shift);
  }
}

}  // namespace detail

/// A := L with A = L·Lᴴ (options.part = lower) or U with A = Uᴴ·U (upper), in place. No exception
/// leaves it: the status tells everything, wrong arguments too.
/// @param backend  where it runs; without it backend::serial
/// @param A  n×n Hermitian (symmetric); the named triangle is read and overwritten by the factor,
///           the other one is not touched (options.jitter overwrites it). Any MatrixLike, any
///           strides. A matrix<T> that is a temporary or moved in is owned by the result; any other
///           temporary that owns its elements is copied into a matrix<T> of the result.
/// @return   status not_positive_definite or not_finite with the 0-based index k of the first bad
///           pivot: then the leading k×k block holds its factor and the rest of the named triangle
///           is unspecified. All other kinds: see status_kind.
/// Cost n³/3 flops (four times as many real ones for complex types); workspace:
/// cholesky_workspace_bytes. An A whose order is known at compile time (fixed_size.hpp) and at most
/// 8, float or double, is factored by code that becomes part of the caller, with the bits of the
/// instruction set `baseline`. In a constant expression A is factored by plain loops. LAPACK:
/// potrf. Source: Golub, Van Loan, Matrix Computations, 4.2.6.
template <variant V = variant::best, Backend B, MatrixLike M>
[[nodiscard]] TRIFAC_INLINE constexpr auto try_cholesky(
    const B& backend, M&& A, const cholesky_options& options = {}) noexcept {
  return detail::cholesky_in<V>(backend, nullptr, std::forward<M>(A), options);
}
template <variant V = variant::best, MatrixLike M>
[[nodiscard]] TRIFAC_INLINE constexpr auto try_cholesky(
    M&& A, const cholesky_options& options = {}) noexcept {
  return detail::cholesky_in<V>(backend::serial{}, nullptr, std::forward<M>(A), options);
}

/// L with A = L·Lᴴ (lower) or U with A = Uᴴ·U (upper), out of place: the named triangle of L is
/// written, its other triangle is left as it was, A is only read. The variants by elements read A
/// as they go; the others start from a copy of the triangle. An L that is a temporary is owned by
/// the result, as A is above. Errors: L not of the size of A, or sharing an element of the triangle
/// with it without being the same view. Where memory is short or an argument wrong, L is as it was;
/// only a device that works in the host's memory may run out of its own memory midway. Everything
/// else as above.
template <variant V = variant::best, Backend B, MatrixLike M, MatrixLike N>
[[nodiscard]] constexpr auto try_cholesky(const B& backend, const M& A, N&& L,
                                          const cholesky_options& options = {}) noexcept {
  detail::check_factored_to<M, N>();
  if constexpr (detail::can_be_factored_to<M, N>) {
    const matrix_view<const scalar_t<M>> source = view_of(A);
    return detail::cholesky_in<V>(backend, &source, std::forward<N>(L), options);
  } else {
    return cholesky_factor<detail::scalar_or_double<M>>();
  }
}
template <variant V = variant::best, MatrixLike M, MatrixLike N>
[[nodiscard]] constexpr auto try_cholesky(const M& A, N&& L,
                                          const cholesky_options& options = {}) noexcept {
  return try_cholesky<V>(backend::serial{}, A, std::forward<N>(L), options);
}
template <variant V = variant::best, class... Arguments>
requires detail::PassesTriangle<Arguments...>
auto try_cholesky(Arguments&&...) noexcept {
  static_assert(!detail::PassesTriangle<Arguments...>,
                "the triangle is an option: cholesky(A, {.part = triangle::upper})");
  return cholesky_factor<double>();
}

#if TRIFAC_EXCEPTIONS
/// try_cholesky that throws argument_error, backend_error, cancelled_error or std::bad_alloc where
/// the matrix is not to blame; a matrix that is not positive definite still comes back in the
/// status (or_throw() throws it).
template <variant V = variant::best, Backend B, MatrixLike M>
[[nodiscard]] constexpr auto cholesky(const B& backend, M&& A,
                                      const cholesky_options& options = {}) {
  auto factor = detail::cholesky_in<V>(backend, nullptr, std::forward<M>(A), options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <variant V = variant::best, MatrixLike M>
[[nodiscard]] constexpr auto cholesky(M&& A, const cholesky_options& options = {}) {
  auto factor = detail::cholesky_in<V>(backend::serial{}, nullptr, std::forward<M>(A), options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <variant V = variant::best, Backend B, MatrixLike M, MatrixLike N>
[[nodiscard]] constexpr auto cholesky(const B& backend, const M& A, N&& L,
                                      const cholesky_options& options = {}) {
  auto factor = try_cholesky<V>(backend, A, std::forward<N>(L), options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <variant V = variant::best, MatrixLike M, MatrixLike N>
[[nodiscard]] constexpr auto cholesky(const M& A, N&& L, const cholesky_options& options = {}) {
  auto factor = try_cholesky<V>(backend::serial{}, A, std::forward<N>(L), options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <variant V = variant::best, class... Arguments>
requires detail::PassesTriangle<Arguments...>
auto cholesky(Arguments&&...) {
  static_assert(!detail::PassesTriangle<Arguments...>,
                "the triangle is an option: cholesky(A, {.part = triangle::upper})");
  return cholesky_factor<double>();
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
