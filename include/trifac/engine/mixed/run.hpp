#pragma once
// solve_mixed() of checked arguments: factors in low precision, refines, goes back to full
// precision where that does not suffice.

#include <limits>
#include <utility>

#include "trifac/engine/blas/all_finite.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/mixed/backward_error.hpp"
#include "trifac/engine/mixed/factor.hpp"
#include "trifac/engine/mixed/refinement.hpp"
#include "trifac/norm.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A copy of A, or of its triangle, in another precision and in A's storage order;
/// diag(rows)·A·diag(columns) with scales.
template <class U, class T>
matrix_view<U> converted(const matrix_view<const T>& A, matrix<U>& memory, const mixed_options& o,
                         const equilibration_scales<real_t<T>>& scales = {}) {
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

/// The first right-hand side that is not finite, as a status.
template <class T>
status check_finite(const matrix_view<const T>& B) {
  for (index_t j = 0; j < B.cols(); ++j)
    if (!all_finite(matrix_view<const T>(B.col(j)))) return status::at(status_kind::not_finite, j);
  return {};
}

/// One call: A·X = B with the factors in `state`, which are made where there are none.
template <factorization How, Backend B, class T>
class mixed_run {
  using R = real_t<T>;
  using low = typename low_precision<T>::type;
  using low_factor = factor_by<How, low>;
  using full_factor = factor_by<How, T>;

 public:
  mixed_run(const B& backend, const matrix_view<const T>& A, const matrix_view<const T>& right,
            const mixed_options& options, mixed_state<T>& state, mixed_report<R>& report)
      : backend_(backend),
        A_(A),
        right_(right),
        options_(options),
        state_(state),
        report_(report),
        solution_(right.rows(), right.cols()) {
    if constexpr (How == factorization::cholesky) {
      whole_ = {lower_operand<T>(A, options.part), true};
      size_ = norm(A, options.part);
    } else {
      size_ = norm(A, norm_kind::infinity);
    }
  }

  /// X: A⁻¹·B on success, else unchanged.
  status solve(const matrix_view<T>& X) {
    status s = std::holds_alternative<std::monostate>(state_.held) ? factor_in_low() : status();
    if (!s) return s;
    report_.equilibrated = !state_.scales.rows.empty();
    bool done = false;
    if (const auto* factor = std::get_if<low_factor>(&state_.held)) {
      if (s = check_finite(right_); !s) return s;
      done = refined(*factor);
      if (!done) state_.fallback = mixed_fallback::no_convergence;
    }
    if (!done) s = solve_in_full();
    if (s) blas::copy<T>(solution_.view(), X);
    return s;
  }

 private:
  double flops() const {
    const auto n = static_cast<double>(A_.rows());
    return n * n * n * (How == factorization::cholesky ? 1 : 2) / 3;
  }

  /// The factors in low precision into the state, or why there are none.
  status factor_in_low() {
    state_ = {};
    state_.fallback = mixed_fallback::overflow;
    if (!is_finite(size_)) return {};
    equilibration_scales<R>& scales = state_.scales;
    if (options_.equilibrate) {
      if constexpr (How == factorization::cholesky)
        scales = equilibration_of_definite(A_);
      else
        scales = equilibration(A_);
      if (!scales && !scales.status().of_the_matrix()) return scales.status();
    }
    if (!is_finite(norm_of_scaled<T>(whole_, size_, scales))) return {};
    const matrix_view<low> copy = converted(A_, state_.low_memory, options_, scales);
    if (!all_finite(matrix_view<const low>(copy))) return {};
    auto factor = factored_as_asked<How>(backend_, copy, options_.part);
    report_.low_flops = flops();
    if (!factor && !factor.status().of_the_matrix()) return factor.status();
    state_.fallback = factor ? mixed_fallback::none : mixed_fallback::factorization;
    if (factor) state_.held = std::move(factor);
    return {};
  }

  /// Whether the solution by the factors in low precision is within the bound at the last measure.
  bool refined(const low_factor& factor) {
    const R scaled_size = norm_of_scaled<T>(whole_, size_, state_.scales);
    mixed_refinement<B, T, low_factor> refinement(backend_, whole_, scaled_size, factor,
                                                  state_.scales, right_, solution_.view());
    const R allowed = square_root(static_cast<R>(A_.rows())) * unit_roundoff<R>();
    return refinement.solve(options_, report_) && measured() &&
           (report_.equilibrated || report_.backward_error <= allowed);
  }

  status solve_in_full() {
    report_.way = mixed_way::full_precision;
    report_.fallback = state_.fallback;
    if (!std::holds_alternative<full_factor>(state_.held)) {
      report_.full_flops = flops();
      state_.scales = {};
      state_.held = std::monostate();
      state_.low_memory = {};
      auto factor =
          factored_as_asked<How>(backend_, converted(A_, state_.memory, options_), options_.part);
      if (!factor) return factor.status();
      state_.held = std::move(factor);
    }
    solution_ = matrix<T>(right_);
    const status s = try_solve(backend_, std::get<full_factor>(state_.held), solution_);
    return s ? measured() : s;
  }

  /// The backward error of the solution, into the report.
  status measured() {
    matrix<T> r(right_);
    if (const status s = whole_.subtract(backend_, solution_.view(), r.view()); !s) return s;
    const R size = min(size_, std::numeric_limits<R>::max());
    report_.backward_error = R(0);
    for (index_t j = 0; j < right_.cols(); ++j) {
      const matrix_view<const T> b = right_.col(j), x = solution_.view().col(j);
      if (!all_finite(b) || !all_finite(x)) return status::at(status_kind::not_finite, j);
      const R error = backward_error<T>(whole_, size, b, x, r.view().col(j));
      if (error != error) return status::at(status_kind::not_finite, j);  // A has changed
      report_.backward_error = max(report_.backward_error, error);
    }
    return {};
  }

  const B& backend_;
  const matrix_view<const T>& A_;
  const matrix_view<const T>& right_;
  const mixed_options& options_;
  mixed_state<T>& state_;
  mixed_report<R>& report_;
  matrix<T> solution_;
  refined_matrix<T> whole_ = {operand<T>(A_), false};
  R size_;  // ‖A‖∞
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
