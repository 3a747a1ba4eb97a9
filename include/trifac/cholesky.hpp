#pragma once
// cholesky(): A = L·Lᴴ. The public calls.

#include <type_traits>
#include <utility>

#include "trifac/backend/serial.hpp"
#include "trifac/cholesky_factor.hpp"
#include "trifac/cholesky_workspace.hpp"
#include "trifac/detail/run_cholesky.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <variant V, Backend B, class M>
auto cholesky_in_place(const B& backend, M&& A, const cholesky_options& options) noexcept {
  using T = scalar_t<M>;
  static_assert(!std::is_const_v<typename decltype(view_of(A))::element_type>,
                "the matrix is overwritten");
  const auto factor = [&](const status& s) {
    if constexpr (std::is_same_v<M, matrix<T>>)  // a temporary or moved-in one: the factor owns it
      return cholesky_factor<T>(std::move(A), options.part, s);
    else
      return cholesky_factor<T>(view_of(A), options.part, s);
  };
  if constexpr (V == variant::best && is_fused<V, T> && DirectBackend<B>) {
    // No view is kept before: a copy in memory would be waited for, see check_view.
    const index_t bad = try_small(backend, matrix_view<T>(view_of(A)), options);
    if (bad == all_good) return factor(status());
    if (bad >= 0) return factor(verb::check_pivot(real_part(view_of(A)(bad, bad)), bad));
  }
  const matrix_view<T> view = view_of(A);
  const status s = without_exceptions(
      [&] { return choose_and_factor<V>(backend, matrix_view<const T>(view), view, options); });
  return s.ok() ? factor(status()) : factor(s);  // need not wait for a copy of s
}

}  // namespace detail

/// A := L with A = L·Lᴴ (options.part = lower) or U with A = Uᴴ·U (upper), in place. No exception
/// leaves it: the status tells everything, wrong arguments too.
/// @param backend  where it runs; without it backend::serial
/// @param A  n×n Hermitian (symmetric); the named triangle is read and overwritten by the factor,
///           the other one neither read nor written. Any MatrixLike, any strides; a moved-in
///           matrix<T> is owned by the result.
/// @return   status not_positive_definite or not_finite with the 0-based index k of the first bad
///           pivot: then the leading k×k block holds its factor and the rest of the named triangle
///           is unspecified.
/// Cost n³/3 flops (four times as many real ones for complex types); workspace:
/// cholesky_workspace_bytes. LAPACK: potrf.
template <variant V = variant::best, Backend B, MatrixLike M>
auto try_cholesky(const B& backend, M&& A, const cholesky_options& options = {}) noexcept {
  return detail::cholesky_in_place<V>(backend, std::forward<M>(A), options);
}
template <variant V = variant::best, MatrixLike M>
auto try_cholesky(M&& A, const cholesky_options& options = {}) noexcept {
  return try_cholesky<V>(backend::serial{}, std::forward<M>(A), options);
}

/// L with A = L·Lᴴ (lower) or U with A = Uᴴ·U (upper), out of place: the named triangle of L is
/// written, its other triangle is left as it was, A is only read. The variants by elements read A
/// as they go; the others start from a copy of the triangle. Errors: L not of the size of A, or
/// sharing an element of the triangle with it without being the same view. Where memory is short or
/// an argument wrong, L is as it was. Everything else as above.
template <variant V = variant::best, Backend B, MatrixLike M, MatrixLike N>
auto try_cholesky(const B& backend, const M& A, N&& L,
                  const cholesky_options& options = {}) noexcept {
  using T = scalar_t<M>;
  const matrix_view<T> destination = view_of(L);
  const status s = detail::without_exceptions([&] {
    return detail::choose_and_factor<V>(backend, matrix_view<const T>(view_of(A)), destination,
                                        options);
  });
  return cholesky_factor<T>(destination, options.part, s);
}
template <variant V = variant::best, MatrixLike M, MatrixLike N>
auto try_cholesky(const M& A, N&& L, const cholesky_options& options = {}) noexcept {
  return try_cholesky<V>(backend::serial{}, A, std::forward<N>(L), options);
}

#if TRIFAC_EXCEPTIONS
/// try_cholesky that throws argument_error, backend_error or std::bad_alloc where the matrix is not
/// to blame; a matrix that is not positive definite still comes back in the status (or_throw()
/// throws it).
template <variant V = variant::best, Backend B, MatrixLike M>
auto cholesky(const B& backend, M&& A, const cholesky_options& options = {}) {
  return detail::throwing([&] { return try_cholesky<V>(backend, std::forward<M>(A), options); });
}
template <variant V = variant::best, MatrixLike M>
auto cholesky(M&& A, const cholesky_options& options = {}) {
  return cholesky<V>(backend::serial{}, std::forward<M>(A), options);
}
template <variant V = variant::best, Backend B, MatrixLike M, MatrixLike N>
auto cholesky(const B& backend, const M& A, N&& L, const cholesky_options& options = {}) {
  return detail::throwing([&] { return try_cholesky<V>(backend, A, std::forward<N>(L), options); });
}
template <variant V = variant::best, MatrixLike M, MatrixLike N>
auto cholesky(const M& A, N&& L, const cholesky_options& options = {}) {
  return cholesky<V>(backend::serial{}, A, std::forward<N>(L), options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
