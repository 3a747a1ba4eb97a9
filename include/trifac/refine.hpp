#pragma once
// refine(): a solution improved, with its componentwise backward error and a bound of its error.

#include <limits>
#include <utility>
#include <vector>

#include "trifac/blas/absolute_product.hpp"
#include "trifac/condition/norm_estimate.hpp"
#include "trifac/detail/factor_state.hpp"
#include "trifac/detail/lower_operand.hpp"
#include "trifac/solve.hpp"
#if TRIFAC_USE_KERNELS
  #include "trifac/linked/residual.hpp"
#else
  #include "trifac/refine/residual.hpp"
#endif

namespace trifac {

/// What refine() has found, a number for each right-hand side. T: the scalar type.
template <class T>
struct refinement {
  trifac::status outcome;
  /// The smallest ω with (A + E)·x = b + e, |E| ≤ ω·|A| and |e| ≤ ω·|b|, element by element: x
  /// solves a system that differs from the given one by so much. LAPACK: berr.
  std::vector<real_t<T>> backward_errors;
  /// An estimated bound of ‖x − x*‖∞ / ‖x‖∞, x* the exact solution. LAPACK: ferr.
  std::vector<real_t<T>> forward_bounds;
  /// Corrections that were added, the most of all right-hand sides.
  int steps = 0;

  const trifac::status& status() const { return outcome; }
  bool ok() const { return outcome.ok(); }
  explicit operator bool() const { return ok(); }
};

inline namespace TRIFAC_ABI {
namespace detail {

/// A as its products need it: op(A) of a whole matrix, or the lower triangle of a Hermitian one.
template <class T>
struct refined_matrix {
  operand<T> elements;
  bool hermitian;

  template <class B>
  status subtract(const B& backend, const matrix_view<const T>& x, const matrix_view<T>& r) const {
    return hermitian ? run_subtract_hermitian(elements, x, r)
                     : run_subtract_product(backend, elements, x, r);
  }
  void add_absolute(const matrix_view<const T>& x, const matrix_view<real_t<T>>& w) const {
    hermitian ? blas::add_absolute_lower_product<T>(elements.view, x, w)
              : blas::add_absolute_product<T>(elements.view, x, w);
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

/// op(A)ᴴ as an operation on A. That of conj(A) = Aᵀ of a complex Hermitian A is Aᵀ again.
template <class F>
constexpr operation adjoint_of(operation op) {
  if constexpr (HasTriangle<F>) return op;
  return op == operation::none ? operation::adjoint : operation::none;
}

/// LAPACK's guard against underflow in gerfs: SAFE1 = (n + 1)·safmin, SAFE2 = SAFE1 / eps.
template <class R>
struct underflow_guard {
  static constexpr R eps = std::numeric_limits<R>::epsilon() / 2;
  R safe1, safe2;
  explicit underflow_guard(index_t n)
      : safe1(static_cast<R>(n + 1) * std::numeric_limits<R>::min()), safe2(safe1 / eps) {}
};

/// The scratch of one right-hand side: all that is allocated, before X is written.
template <class T>
struct refined_column {
  using R = real_t<T>;
  matrix<T> r, d;
  matrix<R> w;
  norm_estimate<T> estimate;
  explicit refined_column(index_t n) : r(n, 1), d(n, 1), w(n, 1), estimate(n) {}

  /// r = b − A·x, w = |b| + |A|·|x|; error := max |r_i| / w_i.
  template <class B>
  status measure(const B& backend, const refined_matrix<T>& A, const matrix_view<const T>& b,
                 const matrix_view<const T>& x, R& error) {
    const underflow_guard<R> guard(r.rows());
    for (index_t i = 0; i < r.rows(); ++i) {
      r(i, 0) = b(i, 0);
      w(i, 0) = pivot_size(b(i, 0));
    }
    if (const status s = A.subtract(backend, x, r.view()); !s) return s;
    A.add_absolute(x, w.view());
    error = R(0);
    for (index_t i = 0; i < r.rows(); ++i) {
      const R lift = w(i, 0) > guard.safe2 ? R(0) : guard.safe1;
      error = max_or_nan(error, R((pivot_size(r(i, 0)) + lift) / (w(i, 0) + lift)));
    }
    return {};
  }
};

/// One right-hand side. The loop of gerfs.
template <class B, class F, class T>
status refine_column(const B& backend, const refined_matrix<T>& A, const F& f, operation op,
                     const matrix_view<const T>& b, const matrix_view<T>& x,
                     refined_column<T>& scratch, refinement<T>& found, index_t column) {
  using R = real_t<T>;
  constexpr R eps = underflow_guard<R>::eps;
  constexpr int most_steps = 5;
  const index_t n = x.rows();
  R error(0), last(3);
  for (int steps = 0;; ++steps) {
    if (const status s = scratch.measure(backend, A, b, x, error); !s) return s;
    if (!is_finite(error)) return status::at(status_kind::not_finite, column);
    found.steps = max(found.steps, steps);
    if (!(error > eps) || 2 * error > last || steps == most_steps) break;
    last = error;
    matrix<T>& d = scratch.d;
    for (index_t i = 0; i < n; ++i) d(i, 0) = scratch.r(i, 0);
    if (const status s = try_solve(backend, f, d, op); !s) return s;
    for (index_t i = 0; i < n; ++i) x(i, 0) = x(i, 0) + d(i, 0);
  }
  found.backward_errors[as_size(column)] = error;

  // ‖ |A⁻¹|·w ‖∞ with w = |r| + (n + 1)·u·(|b| + |A|·|x|): the ∞-norm of A⁻¹·diag(w), or the 1-norm
  // of its adjoint.
  matrix<R>& w = scratch.w;
  const underflow_guard<R> guard(n);
  for (index_t i = 0; i < n; ++i)
    w(i, 0) = pivot_size(scratch.r(i, 0)) + static_cast<R>(n + 1) * eps * w(i, 0) +
              (w(i, 0) > guard.safe2 ? R(0) : guard.safe1);
  const auto scale = [&](const matrix_view<T>& X) {
    for (index_t j = 0; j < X.cols(); ++j)
      for (index_t i = 0; i < n; ++i) X(i, j) = X(i, j) * T(w(i, 0));
  };
  R bound(0), size(0);
  const status s = scratch.estimate.of(
      [&](const matrix_view<T>& X) {
        const status solved = try_solve(backend, f, X, adjoint_of<F>(op));
        scale(X);
        return solved;
      },
      [&](const matrix_view<T>& X) {
        scale(X);
        return try_solve(backend, f, X, op);
      },
      bound);
  if (!s) return s;
  for (index_t i = 0; i < n; ++i) size = max(size, pivot_size(x(i, 0)));
  found.forward_bounds[as_size(column)] = size > R(0) ? bound / size : bound;
  return {};
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
/// the backward error is u (2⁻⁵³ in double) or no longer halves, at most five for each column. A:
/// n×n, the matrix before it was factored, of a Cholesky factor the factor's triangle; a copy,
/// where f was computed in place; f: its factor; B: n×r; X: n×r, overwritten. No exception leaves
/// it. On serial, threads and openmp.
/// @return  not_finite with the index of the first right-hand side for which A, B or X has such an
///          element: those before it are refined. Errors of try_solve, with the names A, B and X: X
///          is unchanged. X must not overlap B or A, the triangle of A that is not read included.
/// 6n²·r flops for a step (B − A·X, |A|·|X| and a solve), some 20n²·r for the bounds; memory for 9n
/// elements. LAPACK: gerfs, porfs.
template <Backend B, MatrixLike M, Factor F, RightHandSides N, RightHandSides P>
[[nodiscard]] auto try_refine(const B& backend, const M& A, const F& f, const N& right, P&& X,
                              operation op = operation::none) noexcept {
  using T = typename F::value_type;
  refinement<T> found;
  detail::check_solved<T, P>();
  static_assert(detail::same_scalars<M, matrix<T>>, "A has another scalar type than the factor");
  static_assert(NestBackend<B, T>, "backend: refine runs on serial, threads and openmp");
  if constexpr (detail::can_be_solved<T, P> && NestBackend<B, T>) {
#if TRIFAC_USE_KERNELS
    detail::check_linked<B, T>();
#endif
    found.outcome = detail::without_exceptions([&] {
      const matrix_view<const T> whole = view_of(A), of_B = detail::right_hand_sides(right);
      const matrix_view<T> of_X = detail::right_hand_sides(X);
      for (const status& s : {detail::check_refined(whole, f, of_B, of_X),
                              detail::check_operation(op), detail::check_backend(backend)})
        if (!s) return s;
      if (of_X.empty()) return status();
      detail::refined_column<T> scratch(of_X.rows());
      found.backward_errors.resize(detail::as_size(of_X.cols()));
      found.forward_bounds.resize(detail::as_size(of_X.cols()));
      const auto elements = detail::matrix_of(f, whole, op);
      for (index_t j = 0; j < of_X.cols(); ++j)
        if (const status s = detail::refine_column(backend, elements, f, op, of_B.col(j),
                                                   of_X.col(j), scratch, found, j);
            !s)
          return s;
      return status();
    });
  }
  return found;
}
template <MatrixLike M, Factor F, RightHandSides N, RightHandSides P>
[[nodiscard]] auto try_refine(const M& A, const F& f, const N& right, P&& X,
                              operation op = operation::none) noexcept {
  return try_refine(backend::serial{}, A, f, right, std::forward<P>(X), op);
}

#if TRIFAC_EXCEPTIONS
/// try_refine that throws what belongs to its status.
template <Backend B, MatrixLike M, Factor F, RightHandSides N, RightHandSides P>
auto refine(const B& backend, const M& A, const F& f, const N& right, P&& X,
            operation op = operation::none) {
  auto found = try_refine(backend, A, f, right, std::forward<P>(X), op);
  if (!found) detail::throw_status(found.status());
  return found;
}
template <MatrixLike M, Factor F, RightHandSides N, RightHandSides P>
auto refine(const M& A, const F& f, const N& right, P&& X, operation op = operation::none) {
  return refine(backend::serial{}, A, f, right, std::forward<P>(X), op);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
