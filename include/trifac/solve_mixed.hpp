#pragma once
// solve_mixed(): X = A⁻¹·B, factored in low precision and refined to full precision.

#include <utility>

#include "trifac/cholesky.hpp"
#include "trifac/engine/blas/all_finite.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/mixed/backward_error.hpp"
#include "trifac/engine/mixed/refinement.hpp"
#include "trifac/lu.hpp"
#include "trifac/norm.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The types with a lower precision for the factorization.
template <class T>
concept HasLowPrecision = requires {
  typename low_precision<T>::type;
};

/// A copy of A, or of its triangle, in another precision and in A's storage order;
/// diag(rows)·A·diag(columns) with scales.
template <class U, class T>
matrix_view<U> converted(const matrix_view<const T>& A, matrix<U>& memory, const mixed_options& o,
                         const equilibration_scales<real_t<T>>& scales) {
  memory = matrix<U>(A.rows(), A.cols());
  const bool by_rows = A.runs_along_rows(), whole = o.factor == factorization::lu;
  const matrix_view<const T> from = by_rows ? A.transposed() : A;
  const matrix_view<U> to = memory.view();
  const bool lower = (o.part == triangle::lower) != by_rows, scaled = !scales.rows.empty();
  for (index_t j = 0; j < from.cols(); ++j) {
    const index_t first = whole || !lower ? 0 : j, end = whole || lower ? from.rows() : j + 1;
    for (index_t i = first; i < end; ++i) {
      T a = from(i, j);
      if (scaled) {
        const index_t row = by_rows ? j : i, column = by_rows ? i : j;
        a = scaled_element(a, scales.rows[as_size(row)], scales.columns[as_size(column)]);
      }
      to(i, j) = static_cast<U>(a);
    }
  }
  return by_rows ? to.transposed() : to;
}

template <factorization How, class U, class B>
auto factored_as_asked(const B& backend, const matrix_view<U>& A, triangle part) {
  if constexpr (How == factorization::cholesky)
    return try_cholesky(backend, A, {.part = part});
  else
    return try_lu(backend, A);
}

/// ‖diag(rows)·A·diag(columns)‖∞, without a copy; `norm_of_A` without scales.
template <class T>
real_t<T> norm_of_scaled(const refined_matrix<T>& A, const real_t<T>& norm_of_A,
                         const equilibration_scales<real_t<T>>& scales) {
  if (scales.rows.empty()) return norm_of_A;
  using R = real_t<T>;
  const index_t n = static_cast<index_t>(scales.rows.size());
  matrix<T> columns(n, 1);
  matrix<R> sums(n, 1);
  for (index_t i = 0; i < n; ++i) columns(i, 0) = T(scales.columns[as_size(i)]);
  A.add_absolute(columns.view(), sums.view());
  R most(0);
  for (index_t i = 0; i < n; ++i) most = max_or_nan(most, R(sums(i, 0) * scales.rows[as_size(i)]));
  return most;
}

template <factorization How, Backend B, class T>
status run_solve_mixed(const B& backend, const matrix_view<const T>& A,
                       const matrix_view<const T>& right, const matrix_view<T>& X,
                       const mixed_options& options, mixed_report<real_t<T>>& report) {
  using R = real_t<T>;
  using low = typename low_precision<T>::type;
  constexpr bool hermitian = How == factorization::cholesky;
  const double n = static_cast<double>(A.rows()), flops = n * n * n * (hermitian ? 1 : 2) / 3;
  refined_matrix<T> whole = {operand<T>(A), false};
  if constexpr (hermitian) whole = {lower_operand<T>(A, options.part), true};
  R size(0);
  if constexpr (hermitian)
    size = norm(A, options.part);
  else
    size = norm(A, norm_kind::infinity);
  matrix<T> solution(X.rows(), X.cols());
  const auto finish = [&] {
    for (index_t j = 0; j < X.cols(); ++j)
      for (index_t i = 0; i < X.rows(); ++i) X(i, j) = solution(i, j);
    return status();
  };
  const auto measured = [&]() -> status {
    matrix<T> r(right);
    if (const status s = whole.subtract(backend, solution.view(), r.view()); !s) return s;
    report.backward_error = R(0);
    for (index_t j = 0; j < X.cols(); ++j) {
      const matrix_view<const T> b = right.col(j), x = solution.view().col(j);
      if (!all_finite(b) || !all_finite(x)) return status::at(status_kind::not_finite, j);
      const R against = min(size, std::numeric_limits<R>::max());
      report.backward_error =
          max(report.backward_error, backward_error<T>(whole, against, b, x, r.view().col(j)));
    }
    return {};
  };

  if (is_finite(size)) {
    equilibration_scales<R> scales;
    if (options.equilibrate) {
      if constexpr (hermitian)
        scales = equilibration_of_definite(A);
      else
        scales = equilibration(A);
      if (!scales && !scales.status().of_the_matrix()) return scales.status();
      report.equilibrated = scales.ok();
    }
    matrix<low> memory;
    const auto factor =
        factored_as_asked<How>(backend, converted(A, memory, options, scales), options.part);
    report.low_flops = flops;
    if (!factor && !factor.status().of_the_matrix()) return factor.status();
    const R scaled_size = norm_of_scaled<T>(whole, size, scales);
    if (factor && is_finite(scaled_size)) {
      mixed_refinement<B, T, std::remove_cvref_t<decltype(factor)>> refinement(
          backend, whole, scaled_size, factor, scales, right, solution.view());
      const R allowed = square_root(static_cast<R>(A.rows())) * unit_roundoff<R>();
      if (refinement.solve(options, report) && measured() &&
          (report.equilibrated || report.backward_error <= allowed))
        return finish();
    }
  }
  report.way = mixed_way::full_precision;
  report.full_flops = flops;
  matrix<T> memory;
  const auto factor =
      factored_as_asked<How>(backend, converted(A, memory, options, {}), options.part);
  if (!factor) return factor.status();
  solution = matrix<T>(right);
  if (const status s = try_solve(backend, factor, solution); !s) return s;
  const status s = measured();
  return s ? finish() : s;
}

template <class T>
status check_mixed(const matrix_view<const T>& A, const matrix_view<const T>& B,
                   const matrix_view<T>& X, const mixed_options& o) {
  if (const status s = check_view(A, "A"); !s) return s;
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  if (const status s = check_view(B, "B"); !s) return s;
  if (const status s = check_view(X, "X"); !s) return s;
  if (B.rows() != A.rows()) return status::argument("B", "must have as many rows as A");
  if (X.rows() != B.rows() || X.cols() != B.cols())
    return status::argument("X", "has not the size of B");
  if (overlap(A, part_in_use::whole, X, part_in_use::whole) ||
      overlap(B, part_in_use::whole, X, part_in_use::whole))
    return status::argument("X", "overlaps A or B");
  if (o.factor != factorization::cholesky && o.factor != factorization::lu)
    return status::argument("options.factor", "is not one of its enumeration");
  if (!is_one_of(o.part)) return status::argument("options.part", "is not one of its enumeration");
  if (o.most_steps < 0) return status::argument("options.most_steps", "is negative");
  if (o.gmres_steps < 0) return status::argument("options.gmres_steps", "is negative");
  return {};
}

}  // namespace detail

/// X := A⁻¹·B: factors a copy of A in float and refines the solution by residuals in double until
/// ‖b − A·x‖∞ ≤ √n·u·‖A‖∞·‖x‖∞, u = 2⁻⁵³, for each right-hand side, as a solve in double does;
/// corrections aim at half of it, and it is measured at the end. If the residual no longer halves,
/// GMRES continues, preconditioned by the float factors; if that does not suffice, or if A is too
/// large, too small or singular for float, a copy in double is factored. options.equilibrate scales
/// the copy in float, so that rows and columns of any size fit its range; the bound then applies to
/// the scaled system, so that unknowns of any size are fully accurate. The report names the method
/// used and the residual of A, which is always measured.
/// @param A  n×n of double or complex<double>, only read; with options.factor = cholesky one
/// triangle
///           of a Hermitian positive definite A. B: n×r, only read. X: n×r, written on success.
/// @return   status of the factorization in double if that failed, not_finite with the index of a
///           right-hand side whose solution is not finite, invalid_argument, out_of_memory: X is
///           unchanged.
/// Does not throw. On serial, threads and openmp. 2n³/3 flops in float (n³/3 with Cholesky) and
/// some 4n²·r per step; memory for n² floats, plus n² doubles after a fallback to double. LAPACK:
/// dsgesv, dsposv, zcgesv, zcposv. Source: Carson, Higham, SIAM J. Sci. Comput. 40(2), 2018.
template <Backend B, MatrixLike M, RightHandSides N, RightHandSides P>
[[nodiscard]] auto try_solve_mixed(const B& backend, const M& A, const N& right, P&& X,
                                   const mixed_options& options = {}) noexcept {
  using T = scalar_t<M>;
  mixed_report<real_t<T>> report;
  static_assert(detail::HasLowPrecision<T>,
                "A: solve_mixed takes double and complex<double>, which have a lower precision");
  static_assert(NestBackend<B, T>, "backend: solve_mixed runs on serial, threads and openmp");
  constexpr bool same = std::is_same_v<std::remove_const_t<detail::right_hand_side_t<const N>>, T>;
  static_assert(same || !detail::HasLowPrecision<T>,
                "B has another scalar type than A: copy it into a matrix or vector of that type");
  if constexpr (same) detail::check_solved<T, P>();
  if constexpr (detail::HasLowPrecision<T> && NestBackend<B, T> && same &&
                detail::can_be_solved<T, P>) {
    report.outcome = detail::without_exceptions([&] {
      const matrix_view<const T> whole = view_of(A), of_B = detail::right_hand_sides(right);
      const matrix_view<T> of_X = detail::right_hand_sides(X);
      for (const status& s :
           {detail::check_mixed(whole, of_B, of_X, options), detail::check_backend(backend)})
        if (!s) return s;
      if (of_X.empty()) return status();
      return options.factor == factorization::cholesky
                 ? detail::run_solve_mixed<factorization::cholesky>(backend, whole, of_B, of_X,
                                                                    options, report)
                 : detail::run_solve_mixed<factorization::lu>(backend, whole, of_B, of_X, options,
                                                              report);
    });
  }
  return report;
}
template <MatrixLike M, RightHandSides N, RightHandSides P>
[[nodiscard]] auto try_solve_mixed(const M& A, const N& right, P&& X,
                                   const mixed_options& options = {}) noexcept {
  return try_solve_mixed(backend::serial{}, A, right, std::forward<P>(X), options);
}

#if TRIFAC_EXCEPTIONS
/// try_solve_mixed that throws the exception of its status.
template <Backend B, MatrixLike M, RightHandSides N, RightHandSides P>
[[nodiscard]] auto solve_mixed(const B& backend, const M& A, const N& right, P&& X,
                               const mixed_options& options = {}) {
  const auto report = try_solve_mixed(backend, A, right, std::forward<P>(X), options);
  if (!report) detail::throw_status(report.status());
  return report;
}
template <MatrixLike M, RightHandSides N, RightHandSides P>
[[nodiscard]] auto solve_mixed(const M& A, const N& right, P&& X,
                               const mixed_options& options = {}) {
  return solve_mixed(backend::serial{}, A, right, std::forward<P>(X), options);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
