#pragma once
// Norms of a general matrix, or of a Hermitian one with one triangle stored.

#include <limits>

#include "trifac/engine/blas/column_sums.hpp"
#include "trifac/engine/blas/frobenius.hpp"
#include "trifac/engine/blas/largest.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/views/matrix_like.hpp"

namespace trifac {

inline namespace TRIFAC_ABI {
namespace detail {

/// The norm of an invalid view: throws argument_error.
template <class R>
R norm_of_mistake(const status& s) {
  throw_unless_numerical(s);
  return std::numeric_limits<R>::quiet_NaN();
}

template <class T>
real_t<T> norm_of(const matrix_view<const T>& A, norm_kind kind) {
  // In memory order.
  const matrix_view<const T> columns = A.runs_along_rows() ? A.transposed() : A;
  const auto first = [](index_t) { return index_t(0); };
  const auto last = [&](index_t) { return columns.rows(); };
  switch (kind) {
    case norm_kind::one:
      return blas::norm_1<T>(A);
    case norm_kind::infinity:
      return blas::norm_1<T>(A.transposed());
    case norm_kind::max:
      return blas::largest<T>(columns);
    case norm_kind::frobenius:
      return blas::root_of_sum<real_t<T>>(
          [&](auto scaled) { return blas::sum_of_squares<T>(columns, first, last, scaled); },
          [&] { return blas::largest<T>(columns); });
  }
  return std::numeric_limits<real_t<T>>::quiet_NaN();
}

/// A: the lower triangle.
template <class T, class Size = blas::real_size>
real_t<T> hermitian_norm_of(const matrix_view<const T>& A, norm_kind kind,
                            const Size& of_diagonal = {}) {
  using R = real_t<T>;
  if (kind == norm_kind::one || kind == norm_kind::infinity)
    return blas::hermitian_norm_1<T>(A, of_diagonal);
  const auto largest = [&] {
    R most = blas::largest_below_diagonal<T>(A);
    for (index_t j = 0; j < A.rows(); ++j) most = max_or_nan(most, R(of_diagonal(A(j, j))));
    return most;
  };
  if (kind == norm_kind::max) return largest();
  return blas::root_of_sum<R>(
      [&](auto scaled) {
        R diagonal(0);
        for (index_t j = 0; j < A.rows(); ++j) {
          const R size = scaled(R(of_diagonal(A(j, j))));
          diagonal = diagonal + size * size;
        }
        const R below = blas::sum_of_squares<T>(
            A, [](index_t j) { return j + 1; }, [&](index_t) { return A.rows(); }, scaled);
        return R(diagonal + (below + below));
      },
      largest);
}

}  // namespace detail

/// ‖A‖₁, ‖A‖∞, the largest |a_ij| or the Frobenius norm √Σ|a_ij|²; A: m×n. NaN if an element is
/// NaN; overflows only where the norm does. Throws argument_error if A is not a valid view
/// (detail::check_view) or kind none of its enumeration (without exceptions NaN). mn operations.
/// LAPACK: lange.
template <MatrixLike M>
[[nodiscard]] real_t<scalar_t<M>> norm(const M& A, norm_kind kind = norm_kind::one) {
  using T = scalar_t<M>;
  const matrix_view<const T> view = view_of(A);
  status s = detail::check_view(view, "A");
  if (s && !detail::is_one_of(kind)) s = status::argument("kind", "is not one of its enumeration");
  return s ? detail::norm_of<T>(view, kind) : detail::norm_of_mistake<real_t<T>>(s);
}

/// The same of a Hermitian (symmetric) A, n×n; neither the other triangle nor the imaginary part of
/// the diagonal is read. Errors as above, also if A is not square. n² operations. LAPACK: lanhe,
/// lansy.
template <MatrixLike M>
[[nodiscard]] real_t<scalar_t<M>> norm(const M& A, triangle part, norm_kind kind = norm_kind::one) {
  using T = scalar_t<M>;
  const matrix_view<const T> view = view_of(A);
  status s = detail::check_view(view, "A");
  if (s && view.cols() != view.rows()) s = status::argument("A", "is not square");
  if (s && !detail::is_one_of(part)) s = status::argument("part", "is not one of its enumeration");
  if (s && !detail::is_one_of(kind)) s = status::argument("kind", "is not one of its enumeration");
  return s ? detail::hermitian_norm_of<T>(detail::lower_view(view, part), kind)
           : detail::norm_of_mistake<real_t<T>>(s);
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
