#pragma once
// A solution in full precision from factors in low precision: classical refinement, then GMRES.

#include <limits>
#include <utility>

#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/mixed/gmres.hpp"
#include "trifac/engine/mixed/options.hpp"
#include "trifac/equilibration.hpp"
#include "trifac/refine.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A·X = B; F: the low-precision factor of A' = diag(rows)·A·diag(columns), or of A without scales.
/// Residuals r are those of A'·y = diag(rows)·b with x = diag(columns)·y: the norms of A itself do
/// not bound the error of an unknown with a small column.
template <Backend B, class T, class F>
class mixed_refinement {
  using R = real_t<T>;
  using low = typename F::value_type;
  static constexpr R aim = R(0.5);

 public:
  mixed_refinement(const B& backend, const refined_matrix<T>& A, const R& norm_of_scaled,
                   const F& factor, const equilibration_scales<R>& scales,
                   const matrix_view<const T>& right, const matrix_view<T>& X)
      : backend_(backend),
        A_(A),
        allowed_(norm_of_scaled * square_root(static_cast<R>(X.rows())) *
                 std::numeric_limits<R>::epsilon() / 2),
        underflow_(static_cast<R>(X.rows() + 1) * std::numeric_limits<R>::min()),
        row_underflow_(underflow_ * largest_of(scales.rows)),
        factor_(factor),
        scales_(scales),
        B_(right),
        X_(X),
        R_(X.rows(), X.cols()),
        low_(X.rows(), X.cols()) {}

  /// True if ‖r‖∞ ≤ √n·u·‖A'‖∞·‖y‖∞ for every column, measured for all columns at once at the end.
  /// Each method aims at half of it, so that residuals summed in another order, or exactly, satisfy
  /// it, too. Reports the method.
  template <class Report>
  bool solve(const mixed_options& options, Report& report) {
    report.way = mixed_way::refined;
    if (classically(options.most_steps, report.steps)) return true;
    report.way = mixed_way::gmres;
    return options.gmres_steps > 0 && by_gmres(options.gmres_steps, report.steps) &&
           measure(0, X_.cols()) <= R(1);
  }

 private:
  /// D := about diag(columns)·A'⁻¹·R by the low-precision factors. Small residuals would underflow
  /// in low precision: each is scaled to size one.
  status correction(const matrix_view<const T>& from, const matrix_view<T>& D) {
    const matrix_view<low> Y = low_.view().block(0, 0, from.rows(), from.cols());
    matrix<R> sizes(from.cols(), 1);
    for (index_t j = 0; j < from.cols(); ++j) {
      const R size = sizes(j, 0) = size_of(from.col(j));
      const R inverse = size > R(0) ? R(1) / size : R(1);
      for (index_t i = 0; i < from.rows(); ++i) Y(i, j) = static_cast<low>(from(i, j) * inverse);
    }
    if (const status s = try_solve(backend_, factor_, Y); !s) return s;
    for (index_t j = 0; j < from.cols(); ++j)
      for (index_t i = 0; i < from.rows(); ++i)
        D(i, j) = static_cast<T>(Y(i, j)) * sizes(j, 0) * scale(scales_.columns, i);
    return {};
  }
  static R largest_of(const std::vector<R>& scales) {
    R most(0);
    for (const R& one : scales) most = max(most, one);
    return most;
  }
  static R scale(const std::vector<R>& scales, index_t i) {
    return scales.empty() ? R(1) : scales[as_size(i)];
  }
  void scale_rows(const matrix_view<T>& r) const {
    for (index_t j = 0; j < r.cols() && !scales_.rows.empty(); ++j)
      for (index_t i = 0; i < r.rows(); ++i) r(i, j) = r(i, j) * scale(scales_.rows, i);
  }
  static R size_of(const matrix_view<const T>& r) {
    R most(0);
    for (index_t i = 0; i < r.rows(); ++i) most = max_or_nan(most, pivot_size(r(i, 0)));
    return most;
  }
  /// The bound on the residual of x: √n·u·‖A'‖∞·‖y‖∞.
  R allowed(const matrix_view<const T>& x) const {
    R most(0);
    for (index_t i = 0; i < x.rows(); ++i)
      most = max_or_nan(most, R(pivot_size(x(i, 0)) / scale(scales_.columns, i)));
    return allowed_ * most;
  }

  /// R := B.
  void start_residual(index_t column, index_t count) {
    for (index_t j = column; j < column + count; ++j)
      for (index_t i = 0; i < R_.rows(); ++i) R_(i, j) = B_(i, j);
  }

  /// r := diag(rows)·(b − A·x), free of underflow.
  void sum_scaled(const matrix_view<const T>& b, const matrix_view<const T>& x,
                  const matrix_view<T>& r) const {
    for (index_t i = 0; i < r.rows(); ++i) {
      const scaled_row<T> row = A_.row(i, b(i, 0), x);
      const split_number<R> by(scale(scales_.rows, i));
      r(i, 0) = times_power_of_two(T(row.r * by.fraction), row.exponent + by.exponent);
    }
  }

  /// R := diag(rows)·(B − A·X); returns the largest ratio of residual to bound. Infinity if a call
  /// failed, a number is not finite, or underflow may hide a residual.
  R measure(index_t column, index_t count) {
    const auto r = R_.view().block(0, column, R_.rows(), count);
    const auto x = X_.block(0, column, X_.rows(), count);
    start_residual(column, count);
    if (!A_.subtract(backend_, x, r)) return std::numeric_limits<R>::infinity();
    scale_rows(r);
    R worst(0);
    for (index_t j = 0; j < count; ++j) {
      const R bound = allowed(x.col(j));
      // Products of a row of A and x may underflow before they are scaled.
      if (!(bound > row_underflow_)) sum_scaled(B_.col(column + j), x.col(j), r.col(j));
      const R size = size_of(r.col(j));
      const R ratio = size == R(0) ? R(0) : size / bound;
      const bool hidden = !(bound > underflow_) && size_of(x.col(j)) > R(0);
      if (hidden || !is_finite(bound) || !is_finite(ratio))
        return std::numeric_limits<R>::infinity();
      worst = max(worst, ratio);
    }
    return worst;
  }

  /// Refines all columns while the residual is at least halved.
  bool classically(int most_steps, int& steps) {
    start_residual(0, X_.cols());
    scale_rows(R_.view());
    if (!correction(R_, X_)) return false;
    R worst = measure(0, X_.cols());
    matrix<T> D(X_.rows(), X_.cols());
    while (worst > aim && is_finite(worst) && steps < most_steps) {
      if (!correction(R_, D.view())) break;
      for (index_t j = 0; j < X_.cols(); ++j)
        for (index_t i = 0; i < X_.rows(); ++i)
          X_(i, j) = std::exchange(D(i, j), X_(i, j)) + X_(i, j);  // D: X as it was
      ++steps;
      const R last = std::exchange(worst, measure(0, X_.cols()));
      if (!(worst <= last)) {
        blas::copy<T>(D.view(), X_);
        worst = last;
      }
      if (!(worst <= last / 2)) break;
    }
    return worst <= R(1);
  }

  /// Column by column, in up to three cycles that aim at a quarter of the bound; another follows
  /// only where the last has divided the residual by ten.
  bool by_gmres(int most, int& steps) {
    flexible_gmres<T> gmres(X_.rows(), most);
    matrix<T> before(X_.rows(), 1);
    const int steps_before = steps;
    for (index_t j = 0; j < X_.cols(); ++j) {
      const matrix_view<T> x = X_.col(j);
      int products = 0;
      R worst = measure(j, 1);
      if (!is_finite(worst)) {  // the initial solution is useless
        for (index_t i = 0; i < x.rows(); ++i) x(i, 0) = T(0);
        worst = measure(j, 1);
      }
      for (int turn = 0; turn < 3 && !(worst <= aim); ++turn) {
        blas::copy<T>(x, before.view());
        const R target = allowed(x) * (aim / 2);
        const status s = gmres.improve(
            R_.view().col(j), x, target,
            [&](const matrix_view<T>& v, const matrix_view<T>& z) { return correction(v, z); },
            [&](const matrix_view<T>& z, const matrix_view<T>& w) {
              const status subtracted = A_.subtract(backend_, z, w);
              scale_rows(w);
              return subtracted;
            },
            products);
        if (!s) return false;
        const R last = std::exchange(worst, measure(j, 1));
        if (!(worst <= last)) {
          blas::copy<T>(before.view(), x);
          worst = last;
        }
        if (!(worst <= last / 10)) break;
      }
      if (!(worst <= R(1))) return false;
      steps = max(steps, steps_before + products);
    }
    return true;
  }

  const B& backend_;
  const refined_matrix<T>& A_;
  R allowed_, underflow_, row_underflow_;
  const F& factor_;
  const equilibration_scales<R>& scales_;
  matrix_view<const T> B_;
  matrix_view<T> X_;
  matrix<T> R_;
  matrix<low> low_;
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
