#pragma once
// pivoted_cholesky(): Pᵀ·A·P = L·Lᴴ of a semidefinite A, and its rank.

#include <utility>

#include "trifac/engine/call/kept_argument.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/cholesky/known_order.hpp"
#include "trifac/engine/cholesky/pivoted_factor.hpp"
#include "trifac/engine/cholesky/pivoted_options.hpp"
#include "trifac/engine/cpu/serial_policy.hpp"
#include TRIFAC_DEFINITIONS(cholesky, pivoted_calls)

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Argument checks of the factorizations with row and column interchanges.
template <Backend B, class T, class Options>
status check_pivoted(const B& backend, const matrix_view<T>& A, const Options& options) {
  for (const status& s : {check_view(A, "A"), check_backend(backend)})
    if (!s) return s;
  if (!is_one_of(options.part))
    return status::argument("options.part", "is not one of its enumeration");
  if (options.block < 0) return status::argument("options.block", "is negative");
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  return {};
}

template <Backend B, class T>
status pivoted_checked(const B& backend, const matrix_view<T>& A,
                       const pivoted_cholesky_options& options, pivots& p, index_t& rank) {
  static_assert(has_limits<real_t<T>>,
                "pivoted_cholesky needs std::numeric_limits of the real scalar type");
  if (const status s = check_pivoted(backend, A, options); !s) return s;
  if (!is_finite(options.tolerance)) return status::argument("options.tolerance", "is not finite");
  TRIFAC_TRY {
    p = pivots(A.rows());
    if (A.empty()) return {};
    return calls_on<B, T>::pivoted_cholesky(nest_backend<T>(backend), lower_view(A, options.part),
                                            options, p.span(), rank);
  }
  TRIFAC_CATCH
}

}  // namespace detail

/// A := L with Pᵀ·A·P = L·Lᴴ (options.part = lower), or Lᴴ in the upper triangle, in place. Each
/// pivot is the largest remaining diagonal element, until none exceeds the tolerance: then L has
/// rank() columns, and the trace of the remainder is below n times the tolerance. Does not throw.
/// On serial, threads and openmp.
/// @param A  n×n Hermitian, positive semidefinite; the named triangle is read and overwritten. The
///           result owns a matrix passed as a temporary or moved in, as for cholesky().
/// @return   a rank below n is a success. not_positive_definite with index rank() if a remaining
///           diagonal element is negative by more than the tolerance and n·ε·max a_ii; not_finite
///           with index rank() if that column of L, the remaining diagonal or, with no pivot left,
///           any other element has a NaN or an infinity: the columns before it hold L.
///           invalid_argument, out_of_memory: A is unchanged.
/// n²r − nr² + r³/3 flops for rank r. LAPACK: pstrf. Source: Hammarling, Higham, Lucas, PARA 2006.
template <Backend B, MatrixLike M>
[[nodiscard]] auto try_pivoted_cholesky(const B& backend, M&& A,
                                        const pivoted_cholesky_options& options = {}) noexcept {
  using T = detail::scalar_or_double<M>;
  using factor = pivoted_cholesky_factor<T>;
  detail::check_factored<M>();
  if constexpr (detail::can_be_factored<M> && NestBackend<B, T>) {
    matrix<T> copy;
    pivots p;
    index_t rank = 0;
    status s;
    auto&& kept = detail::factored_in<M>(A, "A", copy, s);
    if (!s) return factor(matrix_view<T>(), options.part, pivots(), 0, s);
    s = detail::pivoted_checked(backend, matrix_view<T>(view_of(kept)), options, p, rank);
    return detail::make_factor<factor>(kept, s, options.part, std::move(p), rank, s);
  } else {
    static_assert(NestBackend<B, T>, "pivoted_cholesky runs on serial, threads and openmp");
    return factor();
  }
}
template <MatrixLike M>
[[nodiscard]] auto try_pivoted_cholesky(M&& A,
                                        const pivoted_cholesky_options& options = {}) noexcept {
  return try_pivoted_cholesky(backend::serial{}, std::forward<M>(A), options);
}

#if TRIFAC_EXCEPTIONS
/// try_pivoted_cholesky that throws argument_error, backend_error or std::bad_alloc if the status
/// is not a property of the matrix.
template <Backend B, MatrixLike M>
[[nodiscard]] auto pivoted_cholesky(const B& backend, M&& A,
                                    const pivoted_cholesky_options& options = {}) {
  auto factor = try_pivoted_cholesky(backend, std::forward<M>(A), options);
  detail::throw_unless_numerical(factor.status());
  return factor;
}
template <MatrixLike M>
[[nodiscard]] auto pivoted_cholesky(M&& A, const pivoted_cholesky_options& options = {}) {
  return pivoted_cholesky(backend::serial{}, std::forward<M>(A), options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
