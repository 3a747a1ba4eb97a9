#pragma once
// One triangle: its inverse, its norms and its condition number.

#include <limits>

#include "trifac/condition.hpp"
#include "trifac/engine/blas/triangular_norm.hpp"
#include "trifac/engine/solve/triangular_inverse.hpp"
#include "trifac/engine/views/triangular_view.hpp"
#include "trifac/norm.hpp"
#include "trifac/triangular_solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <class T>
status check_triangular_inverse(const triangular_view<T>& A, const matrix_view<T>& X) {
  if (const status s = check_triangle(A); !s) return s;
  if (A.rows() != A.cols()) return status::argument("triangle", "is not square");
  if (const status s = check_view(X, "X"); !s) return s;
  if (X.rows() != A.rows() || X.cols() != A.cols())
    return status::argument("X", "has not the size of the triangle");
  const auto& elements = A.elements().view;
  const part_in_use part = used_part(A.part());
  if (!is_same_view(elements, X) && overlap(elements, part, X, part))
    return status::argument("X", "overlaps the triangle without being the same view");
  return {};
}

template <Backend B, class T>
status run_triangular_inverse(const B& backend, const triangular_view<T>& A,
                              const matrix_view<T>& X) {
  const operand<T>& elements = A.elements();
  const status divisors = A.diag() == diagonal::non_unit ? check_diagonal(elements) : status();
  if (divisors.kind() == status_kind::singular) return divisors;
  const matrix_view<T> to = lower_view(X, A.part());
  const auto from = lower_view(elements.view, A.part());
  if (const status s = invert_by_substitutions(backend, from, A.diag(), to); !s) return s;
  // The rows of column k that are stored: with ones on the diagonal those below it.
  const auto stored = [&](index_t k) {
    const index_t first = A.diag() == diagonal::unit ? k + 1 : k;
    return to.block(first, k, to.rows() - first, 1);
  };
  if (elements.conjugated)
    for (index_t k = 0; k < to.cols(); ++k)
      for (index_t i = 0; i < stored(k).rows(); ++i) stored(k)(i, 0) = conjugate(stored(k)(i, 0));
  if (!divisors) return divisors;
  index_t bad = to.cols();
  for (index_t k = 0; k < to.cols(); ++k) {
    const matrix_view<const T> column = stored(k);
    if (all_finite<T>(column)) continue;
    // Of an upper triangle `to` is the transpose, whose column is a row of X.
    index_t i = 0;
    while (is_finite(column(i, 0))) ++i;
    bad = min(bad, A.part() == triangle::lower ? k : to.rows() - column.rows() + i);
  }
  if (bad < to.cols()) return status::at(status_kind::not_finite, bad);
  return {};
}

template <class T>
real_t<T> triangular_norm_of(const triangular_view<T>& A, norm_kind kind) {
  using R = real_t<T>;
  const bool unit = A.diag() == diagonal::unit, lower = A.part() == triangle::lower;
  const matrix_view<const T> view = lower_view(A.elements().view, A.part());
  // Columns right of the last row are zero.
  const index_t m = view.rows(), n = min(m, view.cols()), skipped = unit ? 1 : 0;
  const matrix_view<const T> L = view.block(0, 0, m, n);
  const auto first = [&](index_t j) { return j + skipped; };
  const auto last = [&](index_t) { return m; };
  const auto largest = [&] {
    const R most = blas::largest<T>(L, first, last);
    return unit && n > 0 ? max_or_nan(R(1), most) : most;
  };
  if (kind == norm_kind::max) return largest();
  if (kind == norm_kind::frobenius)
    return blas::root_of_sum<R>(
        [&](auto scaled) {
          const R one = scaled(R(1)), sum = blas::sum_of_squares<T>(L, first, last, scaled);
          return unit ? R(sum + from_index<R>(n) * one * one) : sum;
        },
        largest);
  const bool by_columns = lower == (kind == norm_kind::one);  // of L
  return blas::triangular_norm<T>(L, by_columns ? norm_kind::one : norm_kind::infinity, A.diag());
}

}  // namespace detail

/// X := A⁻¹ of a triangle A, n×n: f.L() or f.U() of a factor, or that of any matrix,
/// triangular_view(A.view(), part[, diagonal::unit]). X: n×n, or the matrix of the triangle itself,
/// which the inverse then overwrites; only the triangle of X is written, with diagonal::unit
/// without its diagonal. No exception leaves it. On serial, threads, openmp and devices.
/// @return  singular with the index of the first zero on a stored diagonal: X is unchanged.
///          not_finite with the index of the first NaN or infinity there, or, where that has none,
///          of the first column of X with one: X is overwritten. The status of A where its factor
///          failed; invalid_argument where A is not square or of no factor, or X does not fit, and
///          out_of_memory: X is unchanged.
/// n³/3 flops; memory for 64n elements. To multiply by A⁻¹ solve(A, B) is faster and more accurate.
/// LAPACK: trtri. Source: Du Croz, Higham, IMA J. Numer. Anal. 12, 1992, method 1B.
template <Backend B, class T, MatrixLike M>
requires FactorBackend<B, T> status try_inverse(const B& backend, const triangular_view<T>& A,
                                                M&& X)
noexcept {
  detail::check_inverted<T, M>();
  if constexpr (detail::can_be_solved<T, M>) {
    const matrix_view<T> view = view_of(X);
    for (const status& s :
         {detail::check_triangular_inverse(A, view), detail::check_backend(backend)})
      if (!s) return s;
    if (view.empty()) return {};
    TRIFAC_TRY {
      return detail::run_triangular_inverse(backend, A, view);
    }
    TRIFAC_CATCH
  } else {
    return {};
  }
}
template <class T, MatrixLike M>
status try_inverse(const triangular_view<T>& A, M&& X) noexcept {
  return try_inverse(backend::serial{}, A, std::forward<M>(X));
}

/// ‖A‖₁, ‖A‖∞, max |a_ij| or the Frobenius norm of a triangle, any shape. NaN if an element is NaN.
/// Throws argument_error where A is of an empty factor or no valid view or kind none of its
/// enumeration, and the exception of its status where its factor failed (without exceptions NaN).
/// LAPACK: lantr.
template <class T>
[[nodiscard]] real_t<T> norm(const triangular_view<T>& A, norm_kind kind = norm_kind::one) {
  status s = detail::check_triangle(A);
  if (s && !detail::is_one_of(kind)) s = status::argument("kind", "is not one of its enumeration");
  if (s) return detail::triangular_norm_of(A, kind);
#if TRIFAC_EXCEPTIONS
  detail::throw_status(s);
#endif
  return std::numeric_limits<real_t<T>>::quiet_NaN();
}

/// value := about 1 / (‖A‖·‖A⁻¹‖) of a triangle A, n×n, as try_reciprocal_condition of a factor; 0
/// where a diagonal element is zero or A⁻¹ overflows; 1 of order 0. Does not throw.
/// @return  the status of A where its factor failed; invalid_argument where A is of an empty factor
///          or not square, or kind is neither one nor infinity; not_finite, without an index, where
///          A has a NaN or an infinity or ‖A‖ overflows; out_of_memory, backend_failure. `value` is
///          then unchanged.
/// Up to 9 solves with two right-hand sides; memory for 6n elements. LAPACK: trcon. Source: Higham,
/// Tisseur, SIMAX 21(4), 2000.
template <Backend B, class T>
requires FactorBackend<B, T> status try_reciprocal_condition(const B& backend,
                                                             const triangular_view<T>& A,
                                                             norm_kind kind, real_t<T>& value)
noexcept {
  using R = real_t<T>;
  for (const status& s : {detail::check_triangle(A), detail::check_backend(backend)})
    if (!s) return s;
  if (A.rows() != A.cols()) return status::argument("triangle", "is not square");
  if (!detail::has_condition(kind)) return status::argument("kind", "is neither one nor infinity");
  if (A.rows() == 0) {
    value = R(1);
    return {};
  }
  const R of_A = detail::triangular_norm_of(A, kind);
  if (!detail::is_finite(of_A)) return status::failure(status_kind::not_finite, "too large");
  return detail::without_exceptions([&] {
    R of_inverse(0);
    const R scale = detail::root_scale(of_A);
    const status s = of_A == R(0)
                         ? status::at(status_kind::singular, 0)
                         : detail::estimate_inverse_norm(backend, A, kind, scale, of_inverse);
    if (s.kind() == status_kind::singular || s.kind() == status_kind::not_finite) {
      value = R(0);
      return status();
    }
    if (s) value = detail::min(R(1), R(1) / of_inverse / (of_A / scale));
    return s;
  });
}
template <class T>
status try_reciprocal_condition(const triangular_view<T>& A, norm_kind kind,
                                real_t<T>& value) noexcept {
  return try_reciprocal_condition(backend::serial{}, A, kind, value);
}

#if TRIFAC_EXCEPTIONS
/// The calls above that return the result or throw what belongs to their status.
template <Backend B, class T, MatrixLike M>
requires FactorBackend<B, T>
void inverse(const B& backend, const triangular_view<T>& A, M&& X) {
  detail::throw_unless_ok(try_inverse(backend, A, std::forward<M>(X)));
}
template <class T, MatrixLike M>
void inverse(const triangular_view<T>& A, M&& X) {
  inverse(backend::serial{}, A, std::forward<M>(X));
}
/// A⁻¹ as a matrix of its own, zero outside the triangle.
template <Backend B, class T>
requires FactorBackend<B, T>
[[nodiscard]] matrix<T> inverse(const B& backend, const triangular_view<T>& A) {
  matrix<T> X(A.rows(), A.cols());
  inverse(backend, A, X);
  for (index_t k = 0; k < X.cols() && A.diag() == diagonal::unit; ++k) X(k, k) = T(1);
  return X;
}
template <class T>
[[nodiscard]] matrix<T> inverse(const triangular_view<T>& A) {
  return inverse(backend::serial{}, A);
}
template <Backend B, class T>
requires FactorBackend<B, T>
[[nodiscard]] real_t<T> reciprocal_condition(const B& backend, const triangular_view<T>& A,
                                             norm_kind kind = norm_kind::one) {
  real_t<T> value(0);
  detail::throw_unless_ok(try_reciprocal_condition(backend, A, kind, value));
  return value;
}
template <class T>
[[nodiscard]] real_t<T> reciprocal_condition(const triangular_view<T>& A,
                                             norm_kind kind = norm_kind::one) {
  return reciprocal_condition(backend::serial{}, A, kind);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
