#pragma once
// The ways of a solve without a nest: a small one at once, by scalars that become part of the
// caller where its order is known at compile time, and plain loops in constant expressions.

#include <cstdint>
#include <span>
#include <type_traits>

#include "trifac/engine/blas/scalars.hpp"
#include "trifac/engine/blas/solve_triangular.hpp"
#include "trifac/engine/blas/swap_rows.hpp"
#include "trifac/engine/call/argument_types.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/call/known_order.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/simd/core/small_kernels.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// True where the address ranges of two plain views do not meet. Where they do, the views may still
/// have no element in common: overlap() decides.
template <class T>
TRIFAC_INLINE bool are_apart(const matrix_view<const T>& A, const matrix_view<T>& B) {
  const auto end = [](const auto& view) {
    return view.data() + (view.rows() - 1) * view.row_stride() +
           (view.cols() - 1) * view.col_stride();
  };
  const auto before = [](const T* a, const T* b) {
    return reinterpret_cast<std::uintptr_t>(a) < reinterpret_cast<std::uintptr_t>(b);
  };
  return before(end(A), B.data()) || before(end(B), A.data());
}

/// True where B has an element of A. For constant expressions, in which addresses have no order:
/// element by element.
template <class T>
constexpr bool shares_elements(const matrix_view<const T>& A, const matrix_view<T>& B) {
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i)
      for (index_t k = 0; k < B.rows() * B.cols(); ++k)
        if (&A(i, j) == &B(k % B.rows(), k / B.rows())) return true;
  return false;
}

template <class Factor, index_t Rows, class B>
constexpr index_t known_solve_order() {
  using T = typename Factor::value_type;
  const auto& by_scalars = HasTriangle<Factor> ? simd::cholesky_by_scalars : simd::lu_by_scalars;
  if constexpr (Rows > 0)
    return known_order<matrix_view<T, Rows>, variant::best, B>(by_scalars.template of<T>());
  return 0;
}

/// True for a plain square A and plain right-hand sides X that fit and do not overlap it.
template <class T>
TRIFAC_INLINE constexpr bool is_plain_system(const matrix_view<const T>& A,
                                             const matrix_view<T>& X) {
  return A.rows() == A.cols() && X.rows() == A.rows() && is_plain(A) && is_plain(X) &&
         (std::is_constant_evaluated() ? !shares_elements(A, X) : are_apart(A, X));
}

/// X := op(A)⁻¹·X by one call of a kernel, for the reason of try_small_cholesky. N: an order known
/// at compile time, or 0. False, and X unchanged, for other arguments and orders, and where an
/// element of the diagonal of a Cholesky factor of order N has no good inverse: then call
/// solve_at_run_time.
template <index_t N, Backend B, class Factor, class T>
TRIFAC_INLINE constexpr bool try_small_solve(const B& backend, const Factor& f,
                                             const matrix_view<T>& X, operation op) {
  if constexpr (SmallPathBackend<B> && LapackScalar<T>) {
    if (N == 0 && std::is_constant_evaluated()) return false;
    const matrix_view<const T> A = f.matrix();
    if (!f.status().ok() || (N > 0 && A.rows() != N) || !is_plain_system(A, X) || !is_one_of(op) ||
        !is_ready(backend))
      return false;
    if constexpr (HasTriangle<Factor>) {
      const bool upper = f.part() == triangle::upper;
      const index_t down = upper ? A.col_stride() : A.row_stride();
      const index_t along = upper ? A.row_stride() : A.col_stride();
      if constexpr (N > 0)
        return blas::scalars::solve_cholesky_in_scalars<int{N}>(A.data(), down, along, X);
      else
        return calls<T>::small_solve_cholesky(
            A.data(), down, along, is_complex<T> && upper != (op == operation::transpose), X);
    } else {
      if (!f.interchanges_fit()) return false;
      const index_t* const p = f.interchanges().data();
      if constexpr (N == 0)
        return calls<T>::small_solve_lu(A.data(), A.row_stride(), A.col_stride(), p, op, X);
      else
        blas::scalars::solve_lu_in_scalars<int{N}>(A.data(), A.row_stride(), A.col_stride(), p, op,
                                                   X);
      return true;
    }
  }
  return false;
}

/// X := op(A)⁻¹·X with a triangle, by scalars. False, and X unchanged, where the arguments are not
/// plain or an element of the diagonal is zero or not finite.
template <index_t N, Backend B, class Triangle, class T>
TRIFAC_INLINE bool solve_known_triangle(const B& backend, const Triangle& A,
                                        const matrix_view<T>& X, operation op) {
  const matrix_view<const T>& elements = A.elements().view;
  if (!A.status().ok() || elements.rows() != N || !is_plain_system(elements, X) || !is_one_of(op) ||
      !is_one_of(A.part()) || A.diag() != diagonal::non_unit || !is_ready(backend))
    return false;
  const bool turned = op != operation::none, lower = A.part() == triangle::lower;
  return blas::scalars::solve_triangle_in_scalars<int{N}>(
      elements.data(), turned ? elements.col_stride() : elements.row_stride(),
      turned ? elements.row_stride() : elements.col_stride(),
      lower != turned ? triangle::lower : triangle::upper, X);
}

/// The same solve of any order in a constant expression, with checked arguments.
template <class Factor, class T>
constexpr status solve_constant(const Factor& f, const matrix_view<T>& X, operation op) {
  const matrix_view<const T> A = f.matrix();
  if constexpr (HasTriangle<Factor>) {
    const bool upper = f.part() == triangle::upper;
    const bool conjugated = is_complex<T> && upper != (op == operation::transpose);
    const operand<T> K(upper ? A.transposed() : A, conjugated);
    blas::solve_lower(K, X, diagonal::non_unit);
    blas::solve_upper(operand<T>(K.view.transposed(), is_complex<T> && !conjugated), X,
                      diagonal::non_unit);
  } else {
    const std::span<const index_t> rows = f.interchanges().span();
    const operand<T> LU(op == operation::none ? A : A.transposed(),
                        is_complex<T> && op == operation::adjoint);
    if (op == operation::none) blas::swap_rows(X, 0, X.rows(), rows);
    blas::solve_lower(LU, X, op == operation::none ? diagonal::unit : diagonal::non_unit);
    blas::solve_upper(LU, X, op == operation::none ? diagonal::non_unit : diagonal::unit);
    if (op != operation::none) blas::swap_rows_back(X, 0, X.rows(), rows);
  }
  return {};
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
