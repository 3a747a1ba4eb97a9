#pragma once
// cholesky(): A = L·Lᴴ. The public calls.

#include <type_traits>
#include <utility>

#include "trifac/engine/call/kept_argument.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/call/workspace_cache.hpp"
#include "trifac/engine/cholesky/check.hpp"
#include "trifac/engine/cholesky/factor.hpp"
#include "trifac/engine/cholesky/jitter.hpp"
#include "trifac/engine/cholesky/known_order.hpp"
#include "trifac/engine/cpu/serial_policy.hpp"
#include "trifac/norm.hpp"
#if TRIFAC_USE_KERNELS
  #include "trifac/engine/linked/cholesky.hpp"
#else
  #include "trifac/backend/serial.hpp"
  #include "trifac/engine/cholesky/plan.hpp"
  #include "trifac/engine/cholesky/run.hpp"
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The norm of A where it is asked for and A has one.
template <class T>
real_t<T> measured_norm(const matrix_view<const T>& A, const cholesky_options& options) {
  const bool wanted = options.norm && A.rows() == A.cols() && check_view(A, "A");
  return wanted ? norm(A, options.part) : std::numeric_limits<real_t<T>>::quiet_NaN();
}

/// The small-size path before anything else, with numbers instead of views, options and a plan:
/// not_small where factor_cholesky has to look. Order 4 takes half of the time that it takes with
/// them.
template <variant V, Backend B, class T>
TRIFAC_INLINE index_t try_small(const B& backend, const matrix_view<T>& A,
                                const cholesky_options& options) {
  if constexpr (V == variant::best && SmallPathBackend<B> && LapackScalar<T>)
    if (is_plain_cholesky(backend, A, options)) {
      const bool upper = options.part == triangle::upper;
      return factor_small(backend, A.data(), A.rows(), upper ? A.col_stride() : A.row_stride(),
                          upper ? A.row_stride() : A.col_stride());
    }
  return not_small;
}
/// The status for the index of a bad pivot from try_small, which leaves that pivot in A.
template <class T>
status bad_pivot(const matrix_view<T>& A, index_t index) {
  return blas::check_pivot(real_part(A(index, index)), index);
}

template <variant V, Backend B, class T>
status factor_with_jitter(const B& backend, const matrix_view<const T>& A, const matrix_view<T>& L,
                          const cholesky_options& options, real_t<T>& shift) {
  cholesky_options plain = options;
  plain.jitter = {};
  // The blocks that choose_and_factor takes, and with them the workspace.
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
                                return choose_and_factor<V>(backend, from, L, plain);
                              });
}

/// What a factorization measures besides.
template <class T>
struct cholesky_measures {
  real_t<T> norm = std::numeric_limits<real_t<T>>::quiet_NaN();  // of A + shift·I
  real_t<T> shift = real_t<T>(0);
};

/// Factors A to L, which may be A, and measures.
template <variant V, Backend B, class T>
constexpr status cholesky_measured(const B& backend, const matrix_view<const T>& A,
                                   const matrix_view<T>& L, const cholesky_options& options,
                                   cholesky_measures<T>& measured) noexcept {
  return without_exceptions([&]() -> status {
    if (std::is_constant_evaluated()) return factor_constant_cholesky(A, L, options);
    measured.norm = measured_norm<T>(A, options);
    if (options.jitter.first == 0) return choose_and_factor<V>(backend, A, L, options);
    const status s = factor_with_jitter<V>(backend, A, L, options, measured.shift);
    measured.norm = measured.norm + measured.shift;
    return s;
  });
}

template <variant V, Backend B, class T, class N>
constexpr auto cholesky_to(const B& backend, const matrix_view<const T>& A, N&& L,
                           const cholesky_options& options) noexcept {
#if TRIFAC_USE_KERNELS
  check_linked<B, T>();
#endif
  cholesky_measures<T> measured;
  const status s = cholesky_measured<V>(backend, A, matrix_view<T>(view_of(L)), options, measured);
  const auto factor = [&](const status& outcome) {
    return keeping(std::forward<N>(L), outcome, [&](auto&& kept) {
      return cholesky_factor<T>(std::forward<decltype(kept)>(kept), options.part, outcome,
                                measured.norm, measured.shift);
    });
  };
  return s.ok() ? factor(status()) : factor(s);  // a constant: no copy of s is waited for
}

}  // namespace detail

/// A := L with A = L·Lᴴ (options.part = lower) or U with A = Uᴴ·U (upper), in place. No exception
/// leaves it: the status tells everything, wrong arguments too.
/// @param backend  where it runs; without it backend::serial
/// @param A  n×n Hermitian (symmetric); the named triangle is read and overwritten by the factor,
///           the other one neither read nor written. Any MatrixLike, any strides. A matrix<T>
///           that is a temporary or moved in is owned by the result; any other temporary that owns
///           its elements is copied into a matrix<T> of the result and stays as it is.
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
  using factor = cholesky_factor<detail::scalar_or_double<M>>;
  detail::check_factored<M>();
  if constexpr (constexpr index_t n = detail::known_cholesky_order<M, V, B>(); n > 0) {
    if (detail::factor_known_cholesky<n>(backend, matrix_view<scalar_t<M>>(view_of(A)), options))
      return factor(view_of(A), options.part, status());
  } else if constexpr (detail::can_be_factored<M> && !detail::OwningTemporary<M>) {
    if (!std::is_constant_evaluated()) {
      const matrix_view<scalar_t<M>> view = view_of(A);
      const index_t bad = detail::try_small<V>(backend, view, options);
      if (bad == detail::all_good) return factor(view, options.part, status());
      if (bad >= 0) return factor(view, options.part, detail::bad_pivot(view, bad));
    }
  }
  if constexpr (detail::can_be_factored<M>)
    return detail::with_own(
        std::forward<M>(A), "A",
        [&](auto&& own) {
          const matrix_view<scalar_t<M>> view = view_of(own);
          return detail::cholesky_to<V, B, scalar_t<M>>(backend, view,
                                                        std::forward<decltype(own)>(own), options);
        },
        [&](const status& s) { return factor(matrix_view<scalar_t<M>>(), options.part, s); });
  else
    return factor();
}
template <variant V = variant::best, MatrixLike M>
[[nodiscard]] TRIFAC_INLINE constexpr auto try_cholesky(
    M&& A, const cholesky_options& options = {}) noexcept {
  return try_cholesky<V>(backend::serial{}, std::forward<M>(A), options);
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
  using factor = cholesky_factor<detail::scalar_or_double<M>>;
  detail::check_factored_to<M, N>();
  if constexpr (detail::can_be_factored_to<M, N>)
    return detail::with_own(
        std::forward<N>(L), "L",
        [&](auto&& own) {
          return detail::cholesky_to<V, B, scalar_t<M>>(backend, view_of(A),
                                                        std::forward<decltype(own)>(own), options);
        },
        [&](const status& s) { return factor(matrix_view<scalar_t<M>>(), options.part, s); });
  else
    return factor();
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
  return detail::throwing([&] { return try_cholesky<V>(backend, std::forward<M>(A), options); });
}
template <variant V = variant::best, MatrixLike M>
[[nodiscard]] constexpr auto cholesky(M&& A, const cholesky_options& options = {}) {
  return cholesky<V>(backend::serial{}, std::forward<M>(A), options);
}
template <variant V = variant::best, Backend B, MatrixLike M, MatrixLike N>
[[nodiscard]] constexpr auto cholesky(const B& backend, const M& A, N&& L,
                                      const cholesky_options& options = {}) {
  return detail::throwing([&] { return try_cholesky<V>(backend, A, std::forward<N>(L), options); });
}
template <variant V = variant::best, MatrixLike M, MatrixLike N>
[[nodiscard]] constexpr auto cholesky(const M& A, N&& L, const cholesky_options& options = {}) {
  return cholesky<V>(backend::serial{}, A, std::forward<N>(L), options);
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
