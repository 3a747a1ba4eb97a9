#pragma once
// inverse(): A⁻¹ from the factors of A.

#include <span>

#include "trifac/engine/blas/all_finite.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/solve.hpp"
#include TRIFAC_DEFINITIONS(inverse, calls)

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <class F, class T>
status check_inverse(const F& f, const matrix_view<T>& X) {
  if (const status s = check_invertible(f); !s) return s;
  if (const status s = check_view(X, "X"); !s) return s;
  const matrix_view<const T> A = f.matrix();
  if (X.rows() != A.rows() || X.cols() != A.cols())
    return status::argument("X", "has not the size of the factored matrix");
  if (!is_same_view(A, X) && overlap(A, used_part(f), X, used_part(f)))
    return status::argument("X", "overlaps the factored matrix without being the same view");
  return {};
}

/// Of a Hermitian inverse, whose diagonal has the squares of L⁻¹ and is finite where all is.
template <class T>
status check_finite_diagonal(const matrix_view<T>& X) {
  for (index_t k = 0; k < X.rows(); ++k)
    if (!is_finite(X(k, k))) return status::at(status_kind::not_finite, k);
  return {};
}
/// The first column that overflowed, of any inverse.
template <class T>
status check_finite_columns(const matrix_view<T>& X) {
  for (index_t k = 0; k < X.cols(); ++k)
    if (!all_finite<T>(X.block(0, k, X.rows(), 1))) return status::at(status_kind::not_finite, k);
  return {};
}

template <Backend B, class T>
status run_inverse(const B& backend, const cholesky_factor<T>& f, const matrix_view<T>& X) {
  const auto L = lower_view(f.matrix(), f.part());
  const auto to = lower_view(X, f.part());
  status s;
  if constexpr (DeviceBackend<B>)
    s = backend.invert_cholesky(L, to);
  else
    s = calls_on<B, T>::cholesky_inverse(nest_backend<T>(backend), L, to);
  return s ? check_finite_diagonal(to) : s;
}
template <Backend B, class T>
status run_inverse(const B& backend, const lu_factor<T>& f, const matrix_view<T>& X) {
  const std::span<const index_t> interchanges = f.interchanges().span();
  status s;
  if constexpr (DeviceBackend<B>)
    s = backend.invert_lu(f.matrix(), interchanges, X);
  else
    s = calls_on<B, T>::lu_inverse(nest_backend<T>(backend), f.matrix(), interchanges, X);
  return s ? check_finite_columns(X) : s;
}

/// Both triangles of a Hermitian matrix from one.
template <class T>
void mirror(const matrix_view<T>& A, triangle part) {
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = j + 1; i < A.rows(); ++i)
      part == triangle::lower ? A(j, i) = conjugate(A(i, j)) : A(i, j) = conjugate(A(j, i));
}

}  // namespace detail

/// X := A⁻¹ with the factors of A, n×n; X: n×n, or the factored matrix itself, which the inverse
/// then overwrites: the factor is not to be used any more. Of a Cholesky factor the inverse is
/// Hermitian, and only the factor's triangle of X is written. No exception leaves it. On serial,
/// threads, openmp and devices.
/// @return  not_finite with the index of the first column that overflowed, for Cholesky of the
///          first element of the diagonal: X holds the result with it. The factor's own status
///          where the factorization failed; invalid_argument where the factor is empty or not
///          square or X does not fit; out_of_memory. In these three cases X is unchanged.
/// 2n³/3 flops for Cholesky, 4n³/3 for LU; memory for n² elements up to order 256, else n·b + 2b²,
/// b ≤ 128. To multiply by A⁻¹ solve() is faster and more accurate. LAPACK: potri, getri.
template <Backend B, Factor F, MatrixLike M>
requires FactorBackend<B, typename F::value_type> status try_inverse(const B& backend,
                                                                     const F& factor, M&& X)
noexcept {
  using T = typename F::value_type;
  detail::check_inverted<T, M>();
  if constexpr (detail::can_be_solved<T, M>) {
    const matrix_view<T> view = view_of(X);
    for (const status& s : {detail::check_inverse(factor, view), detail::check_backend(backend)})
      if (!s) return s;
    if (view.empty()) return {};
    TRIFAC_TRY {
      return detail::run_inverse(backend, factor, view);
    }
    TRIFAC_CATCH
  } else {
    return {};
  }
}
template <Factor F, MatrixLike M>
status try_inverse(const F& factor, M&& X) noexcept {
  return try_inverse(backend::serial{}, factor, std::forward<M>(X));
}

#if TRIFAC_EXCEPTIONS
/// try_inverse that throws what belongs to its status.
template <Backend B, Factor F, MatrixLike M>
void inverse(const B& backend, const F& factor, M&& X) {
  detail::throw_unless_ok(try_inverse(backend, factor, std::forward<M>(X)));
}
template <Factor F, MatrixLike M>
void inverse(const F& factor, M&& X) {
  inverse(backend::serial{}, factor, std::forward<M>(X));
}
/// A⁻¹ as a matrix of its own, both triangles.
template <Backend B, Factor F>
[[nodiscard]] auto inverse(const B& backend, const F& factor) {
  matrix<typename F::value_type> X(factor.rows(), factor.rows());
  inverse(backend, factor, X);
  if constexpr (detail::HasTriangle<F>) detail::mirror(X.view(), factor.part());
  return X;
}
template <Factor F>
[[nodiscard]] auto inverse(const F& factor) {
  return inverse(backend::serial{}, factor);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
