#pragma once
// lu(): P·A = L·U. The public calls.

#include <type_traits>
#include <utility>

#include "trifac/engine/blas/column_sums.hpp"
#include "trifac/engine/call/kept_argument.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/cpu/serial_policy.hpp"
#include "trifac/engine/lu/factor.hpp"
#include "trifac/engine/lu/factorization.hpp"
#include "trifac/engine/lu/known_order.hpp"
#include "trifac/engine/lu/plan.hpp"
#include TRIFAC_DEFINITIONS(lu, calls)

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// LAPACK's ipiv: a vector, an array or a pointer of integers.
template <class P>
concept Ipiv =
    !MatrixLike<P> && !std::is_same_v<std::remove_cvref_t<P>, pivots> && requires(P & p) {
  requires is_integer<std::remove_cvref_t<decltype(p[0])>>;
};
template <class... Arguments>
concept PassesIpiv = (Ipiv<Arguments> || ...);

/// Before A is factored: its norms where they are asked for, and its largest element for the
/// growth.
template <class T>
real_t<T> measure_before(const matrix_view<T>& A, const lu_options& options,
                         lu_measures<T>& measured) {
  if ((!options.norm && !options.growth) || !check_view(A, "A")) return real_t<T>(0);
  if (options.norm) {
    measured.norm_1 = blas::norm_1<T>(A);
    measured.norm_infinity = blas::norm_1<T>(A.transposed());
  }
  return options.growth ? blas::largest<T>(A) : real_t<T>(0);
}
/// The growth max |u_ij| / max |a_ij|, where it is asked for; 1 of the zero matrix.
template <class T>
void measure_growth(const matrix_view<T>& LU, const lu_options& options, const real_t<T>& before,
                    lu_measures<T>& measured) {
  if (options.growth) measured.growth = blas::growth_from<T>(before, LU);
}

/// What the factor gets of the interchanges: pivots&& to own, or const pivots* to refer to.
template <class Kept>
constexpr Kept kept_pivots(pivots& p) {
  if constexpr (std::is_pointer_v<Kept>)
    return &p;
  else
    return std::move(p);
}

/// The factor of A, which refers to A or owns it, and the interchanges as Kept.
template <variant V, class Kept, Backend B, class M>
TRIFAC_INLINE constexpr auto lu_of_argument(const B& backend, M&& A, pivots& p,
                                            const lu_options& options) noexcept {
  using T = scalar_or_double<M>;
  using factor = lu_factor<T>;
  check_factored<M>();
  check_variant<V>();
  if constexpr (!can_be_factored<M>) {
    return factor();
  } else {
    if constexpr (!OwningTemporary<M>) {
      const matrix_view<T> view = view_of(A);
      const status s = try_small_lu<known_lu_order<M, V, B>(), V>(backend, view, p, options);
      if (s.of_the_matrix()) return factor(view, kept_pivots<Kept>(p), s.ok() ? status() : s);
    }
    lu_measures<T> measured;
    matrix<T> copy;
    status s;
    auto&& kept = factored_in<M>(A, "A", copy, s);
    if (!s) return factor(matrix_view<T>(), kept_pivots<Kept>(p), s);
    const matrix_view<T> view = view_of(kept);
    if (std::is_constant_evaluated()) {
      s = factor_constant_lu(view, V, p, options, measured.growth);
    } else {
      TRIFAC_TRY {
        const real_t<T> before = measure_before(view, options, measured);
        s = factor_lu<V>(backend, view, p, options);
        if (s.completed()) measure_growth(view, options, before, measured);
      }
      TRIFAC_CATCH_TO(s)
    }
    // A success is a constant: to copy s would wait for what has just been stored in it.
    return make_factor<factor>(kept, s, kept_pivots<Kept>(p), s.ok() ? status() : s, measured);
  }
}

}  // namespace detail

/// A := L\U with P·A = L·U in place, L unit lower triangular. No exception leaves it: the status
/// tells everything, wrong arguments too. The result owns the row interchanges.
/// @param backend  where it runs; without it backend::serial
/// @param A  m×n, any shape, overwritten: U on and above the diagonal, L without its ones below.
///           Any MatrixLike, any strides. A matrix<T> that is a temporary or moved in is owned by
///           the result; any other temporary that owns its elements is copied into a matrix<T> of
///           the result and stays as it is.
/// @return   status singular with the 0-based index of the first zero on the diagonal of U: the
///           factorization is complete all the same. not_finite where an element of L or U is NaN
///           or infinite, with the index of the first such pivot, or min(m, n) − 1 where all pivots
///           are finite. float, double and complex of both are then factored to the end by `best`
///           and `packed` on serial, openmp and threads, as LAPACK does: NaN and infinities spread;
///           elsewhere the elements of A are unspecified. Without pivoting a bad pivot, not_finite
///           or zero_pivot, ends the factorization, and the leading index×index block holds its
///           factors. All other kinds: see status_kind.
/// Cost mn² − n³/3 flops for m ≥ n (2n³/3 for m = n); workspace: lu_workspace_bytes. A square A of
/// an order known at compile time and at most 6: as try_cholesky. LAPACK: getrf.
/// Sources: LAPACK getrf, getrf2; tournament pivoting: Grigori, Demmel, Xiang, SIMAX 32(4), 2011.
template <variant V = variant::best, Backend B, MatrixLike M>
[[nodiscard]] TRIFAC_INLINE constexpr auto try_lu(const B& backend, M&& A,
                                                  const lu_options& options = {}) noexcept {
  pivots p;
  return detail::lu_of_argument<V, pivots&&>(backend, std::forward<M>(A), p, options);
}
template <variant V = variant::best, MatrixLike M>
[[nodiscard]] TRIFAC_INLINE constexpr auto try_lu(M&& A, const lu_options& options = {}) noexcept {
  pivots p;
  return detail::lu_of_argument<V, pivots&&>(backend::serial{}, std::forward<M>(A), p, options);
}

/// The same with the caller's pivots: p receives the min(m, n) interchanges, and the result refers
/// to it. p is as it was where an argument was wrong, memory short or the call cancelled.
template <variant V = variant::best, Backend B, MatrixLike M>
[[nodiscard]] TRIFAC_INLINE constexpr auto try_lu(const B& backend, M&& A, pivots& p,
                                                  const lu_options& options = {}) noexcept {
  return detail::lu_of_argument<V, const pivots*>(backend, std::forward<M>(A), p, options);
}
template <variant V = variant::best, MatrixLike M>
[[nodiscard]] TRIFAC_INLINE constexpr auto try_lu(M&& A, pivots& p,
                                                  const lu_options& options = {}) noexcept {
  return detail::lu_of_argument<V, const pivots*>(backend::serial{}, std::forward<M>(A), p,
                                                  options);
}
template <variant V = variant::best, class... Arguments>
requires(detail::PassesOption<pivoting, Arguments...> ||
         detail::PassesIpiv<Arguments...>) auto try_lu(Arguments&&...) noexcept {
  static_assert(!detail::PassesOption<pivoting, Arguments...>,
                "the pivoting is an option: lu(A, {.pivoting = pivoting::partial})");
  static_assert(!detail::PassesIpiv<Arguments...>,
                "ipiv: row interchanges are pivots: lu(A, p), and afterwards ipiv = p.to_ipiv()");
  return lu_factor<double>();
}

#if TRIFAC_EXCEPTIONS
/// try_lu that throws argument_error, backend_error, cancelled_error or std::bad_alloc where the
/// matrix is not to blame; a singular or not finite matrix, or a zero pivot, still comes back in
/// the status (or_throw() throws it).
template <variant V = variant::best, Backend B, MatrixLike M>
[[nodiscard]] constexpr auto lu(const B& backend, M&& A, const lu_options& options = {}) {
  pivots p;
  auto factor = detail::lu_of_argument<V, pivots&&>(backend, std::forward<M>(A), p, options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <variant V = variant::best, MatrixLike M>
[[nodiscard]] constexpr auto lu(M&& A, const lu_options& options = {}) {
  pivots p;
  auto factor =
      detail::lu_of_argument<V, pivots&&>(backend::serial{}, std::forward<M>(A), p, options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <variant V = variant::best, Backend B, MatrixLike M>
[[nodiscard]] constexpr auto lu(const B& backend, M&& A, pivots& p,
                                const lu_options& options = {}) {
  auto factor = detail::lu_of_argument<V, const pivots*>(backend, std::forward<M>(A), p, options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <variant V = variant::best, MatrixLike M>
[[nodiscard]] constexpr auto lu(M&& A, pivots& p, const lu_options& options = {}) {
  auto factor =
      detail::lu_of_argument<V, const pivots*>(backend::serial{}, std::forward<M>(A), p, options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <variant V = variant::best, class... Arguments>
requires(detail::PassesOption<pivoting, Arguments...> ||
         detail::PassesIpiv<Arguments...>) auto lu(Arguments&&...) {
  static_assert(!detail::PassesOption<pivoting, Arguments...>,
                "the pivoting is an option: lu(A, {.pivoting = pivoting::partial})");
  static_assert(!detail::PassesIpiv<Arguments...>,
                "ipiv: row interchanges are pivots: lu(A, p), and afterwards ipiv = p.to_ipiv()");
  return lu_factor<double>();
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
