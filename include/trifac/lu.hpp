#pragma once
// lu(): P·A = L·U. The public calls.

#include <type_traits>
#include <utility>

#include "trifac/backend/serial.hpp"
#include "trifac/detail/run_lu.hpp"
#include "trifac/lu_factor.hpp"
#include "trifac/lu_workspace.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Factors, measures the growth max |u_ij| / max |a_ij| where it is asked for, and hands both to
/// make(status, growth).
template <variant V, Backend B, class T, class Make>
auto lu_with_growth(const B& backend, const matrix_view<T>& A, pivots& p, const lu_options& options,
                    Make make) {
  real_t<T> growth = lu_factor<T>::not_measured;
  const status s = without_exceptions([&] {
    if constexpr (simd::has_kernels<T>) {
      if (!options.growth && is_plain_and_small<V>(backend, A, options)) {
        p.reset(min(A.rows(), A.cols()));
        return check_edges(A, simd::factor_small_lu(A, p.span()));
      }
    }
    const bool wanted = options.growth && check_view(A, "A");
    const real_t<T> before = wanted ? verb::largest<T>(A) : real_t<T>(0);
    const status outcome = choose_and_factor<V>(backend, A, p, options);
    if (wanted && outcome.completed()) growth = verb::largest_above_diagonal<T>(A) / before;
    return outcome;
  });
  return s.ok() ? make(status(), growth) : make(s, growth);
}

}  // namespace detail

/// A := L\U with P·A = L·U in place, L unit lower triangular. No exception leaves it: the status
/// tells everything, wrong arguments too. The result owns the row interchanges.
/// @param backend  where it runs; without it backend::serial
/// @param A  m×n, any shape, overwritten: U on and above the diagonal, L without its ones below. Any
///           MatrixLike, any strides; a moved-in matrix<T> is owned by the result.
/// @return   status singular with the 0-based index of the first zero on the diagonal of U (the
///           factorization is complete all the same), not_finite with the index of the first pivot
///           that is NaN or infinite, or, without pivoting, zero_pivot. At these two it stops: then,
///           without pivoting, the leading index×index block holds its factors; with pivoting the
///           elements of A are unspecified.
/// Cost mn² − n³/3 flops for m ≥ n (2n³/3 for m = n); workspace: lu_workspace_bytes. LAPACK: getrf.
/// Sources: LAPACK getrf, getrf2; tournament pivoting: Grigori, Demmel, Xiang, SIMAX 32(4), 2011.
template <variant V = variant::best, Backend B, MatrixLike M>
auto try_lu(const B& backend, M&& A, const lu_options& options = {}) noexcept {
  using T = scalar_t<M>;
  const matrix_view<T> view = view_of(A);
  pivots p;
  return detail::lu_with_growth<V>(backend, view, p, options,
                                   [&](const status& s, const auto& growth) {
                                     // A temporary or moved-in matrix: the factor owns it.
                                     if constexpr (std::is_same_v<M, matrix<T>>)
                                       return lu_factor<T>(std::move(A), std::move(p), s, growth);
                                     else
                                       return lu_factor<T>(view, std::move(p), s, growth);
                                   });
}
template <variant V = variant::best, MatrixLike M>
auto try_lu(M&& A, const lu_options& options = {}) noexcept {
  return try_lu<V>(backend::serial{}, std::forward<M>(A), options);
}

/// The same with the caller's pivots: p receives the min(m, n) interchanges, and the result refers
/// to it. p is as it was where an argument was wrong or memory short.
template <variant V = variant::best, Backend B, MatrixLike M>
auto try_lu(const B& backend, M&& A, pivots& p, const lu_options& options = {}) noexcept {
  using T = scalar_t<M>;
  const matrix_view<T> view = view_of(A);
  return detail::lu_with_growth<V>(
      backend, view, p, options,
      [&](const status& s, const auto& growth) { return lu_factor<T>(view, &p, s, growth); });
}
template <variant V = variant::best, MatrixLike M>
auto try_lu(M&& A, pivots& p, const lu_options& options = {}) noexcept {
  return try_lu<V>(backend::serial{}, std::forward<M>(A), p, options);
}

#if TRIFAC_EXCEPTIONS
/// try_lu that throws argument_error, backend_error or std::bad_alloc where the matrix is not to
/// blame; a singular or not finite matrix still comes back in the status (or_throw() throws it).
template <variant V = variant::best, Backend B, MatrixLike M>
auto lu(const B& backend, M&& A, const lu_options& options = {}) {
  return detail::throwing([&] { return try_lu<V>(backend, std::forward<M>(A), options); });
}
template <variant V = variant::best, MatrixLike M>
auto lu(M&& A, const lu_options& options = {}) {
  return lu<V>(backend::serial{}, std::forward<M>(A), options);
}
template <variant V = variant::best, Backend B, MatrixLike M>
auto lu(const B& backend, M&& A, pivots& p, const lu_options& options = {}) {
  return detail::throwing([&] { return try_lu<V>(backend, std::forward<M>(A), p, options); });
}
template <variant V = variant::best, MatrixLike M>
auto lu(M&& A, pivots& p, const lu_options& options = {}) {
  return lu<V>(backend::serial{}, std::forward<M>(A), p, options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
