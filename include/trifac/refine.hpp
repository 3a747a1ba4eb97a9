#pragma once
// refine(): improves a solution and computes its componentwise backward error and an error bound.

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "trifac/engine/base/from_double.hpp"
#include "trifac/engine/blas/absolute_product.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/condition/norm_estimate.hpp"
#include "trifac/engine/refine/scaled_row.hpp"
#include "trifac/engine/views/with_status.hpp"
#include "trifac/solve.hpp"
#include TRIFAC_DEFINITIONS(refine, calls)

namespace trifac {

/// Result of refine(), one number per right-hand side. T: the scalar type.
template <class T>
struct refinement : with_status<refinement<T>> {
  trifac::status outcome;
  /// The smallest ω with (A + E)·x = b + e, |E| ≤ ω·|A| and |e| ≤ ω·|b|, elementwise: x solves a
  /// system perturbed by that much; 0 for an exact solution. LAPACK: berr, which is larger if |b| +
  /// |A|·|x| is 0 or tiny in a row.
  std::vector<real_t<T>> backward_errors;
  /// An estimated bound of ‖x − x*‖∞ / ‖x‖∞, x* the exact solution. LAPACK: ferr.
  std::vector<real_t<T>> forward_bounds;
  /// Number of corrections applied, the maximum over all right-hand sides.
  int steps = 0;

  const trifac::status& status() const { return outcome; }
};

inline namespace TRIFAC_ABI {
namespace detail {

/// u: half the distance from 1 to the next larger number.
template <class R>
R unit_roundoff() {
  return std::numeric_limits<R>::epsilon() / R(2);
}

/// A for products: op(A) of a general matrix, or the lower triangle of a Hermitian one.
template <class T>
struct refined_matrix {
  operand<T> elements;
  bool hermitian;

  template <class B>
  status subtract(const B& backend, const matrix_view<const T>& x, const matrix_view<T>& r) const {
    using calls = calls_on<B, T>;
    return hermitian ? calls::subtract_hermitian(elements, x, r)
                     : calls::subtract_product(nest_backend<T>(backend), elements, x, r);
  }
  void add_absolute(const matrix_view<const T>& x, const matrix_view<real_t<T>>& w) const {
    hermitian ? blas::add_absolute_lower_product<T>(elements.view, x, w)
              : blas::add_absolute_product<T>(elements.view, x, w);
  }
  /// One row, free of overflow and underflow.
  scaled_row<T> row(index_t i, const T& b, const matrix_view<const T>& x) const {
    return scaled_row<T>([this, i](index_t j) { return element(i, j); }, b, x);
  }
  T element(index_t i, index_t j) const {
    if (hermitian && i == j) return T(real_part(elements(i, i)));
    return hermitian && i < j ? conjugate(elements(j, i)) : elements(i, j);
  }
};
template <class T>
refined_matrix<T> matrix_of(const cholesky_factor<T>& f, const matrix_view<const T>& A,
                            operation op) {
  return {lower_operand<T>(A, f.part(), op), true};
}
template <class T>
refined_matrix<T> matrix_of(const lu_factor<T>&, const matrix_view<const T>& A, operation op) {
  return {operand<T>(op == operation::none ? A : A.transposed(),
                     is_complex<T> && op == operation::adjoint),
          false};
}

/// op(A)ᴴ as an operation on A. For a complex Hermitian A, that of conj(A) = Aᵀ is Aᵀ again.
template <class F>
constexpr operation adjoint_of(operation op) {
  if constexpr (HasTriangle<F>) return op;
  return op == operation::none ? operation::adjoint : operation::none;
}

/// The scratch of one right-hand side: all allocations, made before X is written.
template <class T>
struct refined_column {
  using R = real_t<T>;
  matrix<T> r, d;
  matrix<R> w;
  norm_estimate<T> estimate;
  explicit refined_column(index_t n) : r(n, 1), d(n, 1), w(n, 1), estimate(n) {}

  /// r := b − A·x; error := the largest |r_i| / (|b| + |A|·|x|)_i, with 0 / 0 = 0; not finite if a
  /// number is not. w := (n + 1)·u·(|b| + |A|·|x|), a bound of the rounding errors in r.
  template <class B>
  status measure(const B& backend, const refined_matrix<T>& A, const matrix_view<const T>& b,
                 const matrix_view<const T>& x, R& error) {
    using limits = std::numeric_limits<R>;
    const index_t n = r.rows();
    for (index_t i = 0; i < n; ++i) {
      r(i, 0) = b(i, 0);
      w(i, 0) = pivot_size(b(i, 0));
    }
    if (const status s = A.subtract(backend, x, r.view()); !s) return s;
    A.add_absolute(x, w.view());
    // Above it, sums of n + 1 products are accurate, though some may underflow. LAPACK: SAFE2.
    const R guard = from_index<R>(n + 1) * limits::min() / unit_roundoff<R>();
    const R rounding = from_index<R>(n + 1) * unit_roundoff<R>();
    error = R(0);
    for (index_t i = 0; i < n && is_finite(error); ++i) {
      R size = w(i, 0), residual = pivot_size(r(i, 0));
      w(i, 0) = rounding * size;
      if constexpr (std::is_floating_point_v<R>)
        if (!(size > guard) || !is_finite(size) || !is_finite(residual)) {
          const scaled_row<T> row = A.row(i, b(i, 0), x);
          size = row.w;
          residual = pivot_size(row.r);
          r(i, 0) = times_power_of_two(row.r, row.exponent);
          if (!is_finite(r(i, 0))) residual = limits::infinity();
          w(i, 0) = std::ldexp(rounding * row.w, row.exponent);
          if (row.w > R(0)) w(i, 0) = w(i, 0) + limits::denorm_min();  // the rounding error of r_i
        }
      if (size != R(0)) error = max_or_nan(error, R(residual / size));
    }
    return {};
  }
};

/// One right-hand side. The loop of gerfs.
template <class B, class F, class T>
status refine_column(const B& backend, const refined_matrix<T>& A, const F& f, operation op,
                     const matrix_view<const T>& b, const matrix_view<T>& x,
                     refined_column<T>& scratch, refinement<T>& result, index_t column) {
  using R = real_t<T>;
  constexpr int most_steps = 5;
  const index_t n = x.rows();
  R error(0), last(3);
  for (int steps = 0;; ++steps) {
    if (const status s = scratch.measure(backend, A, b, x, error); !s) return s;
    if (!is_finite(error)) return status::at(status_kind::not_finite, column);
    result.steps = max(result.steps, steps);
    if (!(error > unit_roundoff<R>()) || error + error > last || steps == most_steps) break;
    last = error;
    matrix<T>& d = scratch.d;
    for (index_t i = 0; i < n; ++i) d(i, 0) = scratch.r(i, 0);
    if (const status s = try_solve(backend, f, d, op); !s) return s;
    for (index_t i = 0; i < n; ++i) x(i, 0) = x(i, 0) + d(i, 0);
  }
  result.backward_errors[as_size(column)] = error;

  // ‖ |A⁻¹|·w ‖∞ with w = |r| + (n + 1)·u·(|b| + |A|·|x|): the ∞-norm of A⁻¹·diag(w), or the 1-norm
  // of its adjoint. w is divided by ‖x‖ and by the scale of the solves.
  matrix<R>& w = scratch.w;
  R size(0), largest(0);
  for (index_t i = 0; i < n; ++i) size = max(size, pivot_size(x(i, 0)));
  if (size == R(0)) size = R(1);
  if (!is_finite(size)) size = std::numeric_limits<R>::max();  // |Re| + |Im|
  for (index_t i = 0; i < n; ++i) {
    w(i, 0) = (pivot_size(scratch.r(i, 0)) + w(i, 0)) / size;
    largest = max(largest, w(i, 0));
  }
  const R scale = root_scale(largest);
  const operation adjoint = adjoint_of<F>(op);
  for (index_t i = 0; i < n; ++i) w(i, 0) = w(i, 0) / scale;
  const auto multiply_by_w = [&](const matrix_view<T>& X) {
    for (index_t j = 0; j < X.cols(); ++j)
      for (index_t i = 0; i < n; ++i) X(i, j) = X(i, j) * w(i, 0);
  };
  return scratch.estimate.of(
      [&](const matrix_view<T>& X) {
        const status s = try_solve(backend, f, X, adjoint);
        multiply_by_w(X);
        return s;
      },
      [&](const matrix_view<T>& X) {
        multiply_by_w(X);
        // The adjoint of the first, with complex A and transpose not op; |op(A)⁻¹| is the same.
        return try_solve(backend, f, X, adjoint_of<F>(adjoint));
      },
      scale, result.forward_bounds[as_size(column)]);
}

template <class F, class T>
status check_refined(const matrix_view<const T>& A, const F& f, const matrix_view<const T>& B,
                     const matrix_view<T>& X) {
  if (const status s = check_solve(f, X, "X"); !s) return s;
  if (const status s = check_view(A, "A"); !s) return s;
  if (A.rows() != f.rows() || A.cols() != f.rows())
    return status::argument("A", "has not the size of the factored matrix");
  if (overlaps_factor(f, A))
    return status::argument("A", "is overwritten by its factor: keep a copy of it");
  if (const status s = check_view(B, "B"); !s) return s;
  if (B.rows() != X.rows() || B.cols() != X.cols())
    return status::argument("B", "has not the size of X");
  if (overlap(A, part_in_use::whole, X, part_in_use::whole) ||
      overlap(B, part_in_use::whole, X, part_in_use::whole))
    return status::argument("X", "overlaps A or B");
  return {};
}

}  // namespace detail

/// Improves X, a solution of op(A)·X = B, by corrections A⁻¹·(B − A·X) in the same precision, until
/// the backward error is u (2⁻⁵³ in double) or no longer halves, at most five per column. A: n×n,
/// the matrix before factorization (a copy, if it was factored in place); for a Cholesky factor,
/// the factor's triangle is read. f: its factor; B: n×r; X: n×r, overwritten. Does not throw. On
/// serial, threads and openmp.
/// @return  not_finite with the index of the first right-hand side for which A, B, X or a residual
///          has such an element: those before it are refined, the numbers of the others are NaN.
///          Errors of try_solve, with the names A, B and X: X is unchanged. X must not overlap B or
///          A, including the triangle of A that is not read.
/// 6n²·r flops per step (B − A·X, |A|·|X| and a solve), some 20n²·r for the bounds; memory for 9n
/// elements. LAPACK: gerfs, porfs.
template <Backend B, MatrixLike M, Factor F, RightHandSides N, RightHandSides P>
[[nodiscard]] auto try_refine(const B& backend, const M& A, const F& f, const N& right, P&& X,
                              operation op = operation::none) noexcept {
  using T = typename F::value_type;
  refinement<T> result;
  detail::check_solved<T, P>();
  static_assert(detail::same_scalars<M, matrix<T>>, "A has another scalar type than the factor");
  static_assert(NestBackend<B, T>, "backend: refine runs on serial, threads and openmp");
  if constexpr (detail::can_be_solved<T, P> && NestBackend<B, T>) {
    result.outcome = detail::without_exceptions([&] {
      const matrix_view<const T> whole = view_of(A), of_B = detail::right_hand_sides(right);
      const matrix_view<T> of_X = detail::right_hand_sides(X);
      for (const status& s : {detail::check_refined(whole, f, of_B, of_X),
                              detail::check_operation(op), detail::check_backend(backend)})
        if (!s) return s;
      using limits = std::numeric_limits<real_t<T>>;
      const real_t<T> unknown = of_X.empty() ? real_t<T>(0) : limits::quiet_NaN();
      result.backward_errors.resize(detail::as_size(of_X.cols()), unknown);
      result.forward_bounds.resize(detail::as_size(of_X.cols()), unknown);
      if (of_X.empty()) return status();
      detail::refined_column<T> scratch(of_X.rows());
      const auto elements = detail::matrix_of(f, whole, op);
      for (index_t j = 0; j < of_X.cols(); ++j)
        if (const status s = detail::refine_column(backend, elements, f, op, of_B.col(j),
                                                   of_X.col(j), scratch, result, j);
            !s)
          return s;
      return status();
    });
  }
  return result;
}
template <MatrixLike M, Factor F, RightHandSides N, RightHandSides P>
[[nodiscard]] auto try_refine(const M& A, const F& f, const N& right, P&& X,
                              operation op = operation::none) noexcept {
  return try_refine(backend::serial{}, A, f, right, std::forward<P>(X), op);
}

#if TRIFAC_EXCEPTIONS
/// try_refine that throws the exception of its status.
template <Backend B, MatrixLike M, Factor F, RightHandSides N, RightHandSides P>
[[nodiscard]] auto refine(const B& backend, const M& A, const F& f, const N& right, P&& X,
                          operation op = operation::none) {
  auto result = try_refine(backend, A, f, right, std::forward<P>(X), op);
  if (!result) detail::throw_status(result.status());
  return result;
}
template <MatrixLike M, Factor F, RightHandSides N, RightHandSides P>
[[nodiscard]] auto refine(const M& A, const F& f, const N& right, P&& X,
                          operation op = operation::none) {
  return refine(backend::serial{}, A, f, right, std::forward<P>(X), op);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
