#pragma once
// equilibration(): scales of rows and columns that make the largest elements of all about one.

#include <cmath>
#include <concepts>
#include <limits>
#include <span>
#include <vector>

#include "trifac/detail/argument_types.hpp"
#include "trifac/detail/as_size.hpp"
#include "trifac/detail/call.hpp"
#include "trifac/detail/min_max.hpp"

namespace trifac {

/// Powers of two, so that scaling rounds nothing: A' = diag(rows)·A·diag(columns). A·x = b is
/// A'·y = diag(rows)·b with x = diag(columns)·y.
template <class R>
struct equilibration_scales {
  trifac::status outcome;
  std::vector<R> rows, columns;  ///< equal for a Hermitian matrix; empty where outcome is not ok
  R row_condition = R(1);        ///< smallest / largest size of a row. LAPACK: rowcnd, scond
  R column_condition = R(1);     ///< of a column, the rows being scaled. LAPACK: colcnd
  R largest = R(0);              ///< of the elements of A. LAPACK: amax

  const trifac::status& status() const { return outcome; }
  bool ok() const { return outcome.ok(); }
  explicit operator bool() const { return ok(); }
  /// Rows or columns differ by more than a factor of ten, as for LAPACK's laqge and laqsy, which
  /// also scale where `largest` is near underflow or overflow.
  bool is_worthwhile() const { return !(row_condition >= R(0.1)) || !(column_condition >= R(0.1)); }
};

inline namespace TRIFAC_ABI {
namespace detail {

/// The power of two next above 1/x, or 1/x itself, kept where its own inverse is a normal number.
template <std::floating_point R>
R inverse_power_of_two(const R& x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  constexpr int most = std::numeric_limits<R>::max_exponent - 2;
  return std::ldexp(R(1), min(most, max(-most, 1 - exponent)));
}

/// scales := those of the rows of A·diag(others), others being ones where empty. condition :=
/// smallest / largest size of a row, most := the largest. Status: the first row that is zero or not
/// finite.
template <class T>
status scale_rows_of(const matrix_view<const T>& A, std::span<const real_t<T>> others,
                     std::vector<real_t<T>>& scales, real_t<T>& condition, real_t<T>& most) {
  using R = real_t<T>;
  scales.assign(as_size(A.rows()), R(0));
  const auto take = [&](index_t i, index_t j) {
    const R other = others.empty() ? R(1) : others[as_size(j)];
    R& known = scales[as_size(i)];
    known = max_or_nan(known, R(pivot_size(A(i, j)) * other));
  };
  if (A.col_stride() == 1)
    for (index_t i = 0; i < A.rows(); ++i)
      for (index_t j = 0; j < A.cols(); ++j) take(i, j);
  else
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i) take(i, j);
  R least = std::numeric_limits<R>::max();
  most = R(0);
  for (index_t i = 0; i < A.rows(); ++i) {
    R& size = scales[as_size(i)];
    if (!is_finite(size)) return status::at(status_kind::not_finite, i);
    if (size == R(0)) return status::at(status_kind::singular, i);
    least = min(least, size);
    most = max(most, size);
    size = inverse_power_of_two(size);
  }
  condition = least / most;
  return {};
}

template <class R, class Body>
equilibration_scales<R> made_scales(Body body) noexcept {
  equilibration_scales<R> made;
  made.outcome = without_exceptions([&] { return body(made); });
  if (!made.outcome) made.rows = made.columns = {};
  return made;
}

}  // namespace detail

/// Scales with which the largest element of each row of A, m×n, and then of each column is in
/// [1, 2), but for sizes that are subnormal or near overflow; |z| is |Re z| + |Im z|. A is only
/// read. Status: singular or not_finite with the index of a row, or of a column where the rows are
/// good, that is zero or has such an element; invalid_argument. No exception leaves it. 4mn
/// operations. LAPACK: geequb.
template <MatrixLike M>
requires std::floating_point<real_t<scalar_t<M>>>
[[nodiscard]] auto equilibration(const M& A) noexcept {
  using T = scalar_t<M>;
  using R = real_t<T>;
  const matrix_view<const T> view = view_of(A);
  return detail::made_scales<R>([&](equilibration_scales<R>& s) {
    if (const status wrong = detail::check_view(view, "A"); !wrong) return wrong;
    if (view.empty()) {
      s.rows.assign(detail::as_size(view.rows()), R(1));
      s.columns.assign(detail::as_size(view.cols()), R(1));
      return status();
    }
    R scaled(0);
    if (const status bad = detail::scale_rows_of<T>(view, {}, s.rows, s.row_condition, s.largest);
        !bad)
      return bad;
    return detail::scale_rows_of<T>(view.transposed(), s.rows, s.columns, s.column_condition,
                                    scaled);
  });
}

/// Scales s with which the diagonal of diag(s)·A·diag(s) is in [1, 4) up to rounding; A: n×n
/// Hermitian positive definite; only its diagonal is read. Status: not_positive_definite or
/// not_finite with the index of an element that is not positive; invalid_argument. No exception
/// leaves it. LAPACK: poequb.
template <MatrixLike M>
requires std::floating_point<real_t<scalar_t<M>>>
[[nodiscard]] auto equilibration_of_definite(const M& A) noexcept {
  using T = scalar_t<M>;
  using R = real_t<T>;
  const matrix_view<const T> view = view_of(A);
  return detail::made_scales<R>([&](equilibration_scales<R>& s) {
    if (const status wrong = detail::check_view(view, "A"); !wrong) return wrong;
    if (view.rows() != view.cols()) return status::argument("A", "is not square");
    R least = std::numeric_limits<R>::max();
    for (index_t k = 0; k < view.rows(); ++k) {
      const R size = detail::real_part(view(k, k));
      if (!detail::is_finite(size)) return status::at(status_kind::not_finite, k);
      if (!(size > R(0))) return status::at(status_kind::not_positive_definite, k);
      least = detail::min(least, size);
      s.largest = detail::max(s.largest, size);
      s.rows.push_back(detail::inverse_power_of_two(detail::square_root(size)));
    }
    s.columns = s.rows;
    if (view.rows() > 0)
      s.row_condition = s.column_condition =
          detail::square_root(least) / detail::square_root(s.largest);
    return status();
  });
}

/// A := diag(scales)·A, A: m×n or a vector of m elements, one number for each row; nothing is
/// rounded but what leaves the range. invalid_argument where their number is another: A is
/// unchanged.
template <class M>
requires(MatrixLike<M> || VectorLike<M>) status
    try_scale_rows(M&& A, std::span<const real_t<detail::right_hand_side_t<M>>> scales)
noexcept {
  const auto view = detail::right_hand_sides(A);
  if (const status s = detail::check_view(view, "A"); !s) return s;
  if (static_cast<index_t>(scales.size()) != view.rows())
    return status::argument("scales", "is not one number for each row");
  for (index_t j = 0; j < view.cols(); ++j)
    for (index_t i = 0; i < view.rows(); ++i) view(i, j) = view(i, j) * scales[detail::as_size(i)];
  return {};
}

/// A := diag(rows)·A·diag(columns), both triangles. Else as above.
template <MatrixLike M, class R>
status try_equilibrate(M&& A, const equilibration_scales<R>& scales) noexcept {
  const auto view = view_of(A);
  if (!scales.ok()) return scales.status();
  if (static_cast<index_t>(scales.columns.size()) != view.cols())
    return status::argument("scales", "is not one number for each column");
  if (const status s = try_scale_rows(view, scales.rows); !s) return s;
  return try_scale_rows(view.transposed(), scales.columns);
}

#if TRIFAC_EXCEPTIONS
/// try_scale_rows that throws argument_error.
template <class M>
requires(MatrixLike<M> || VectorLike<M>) void scale_rows(
    M&& A, std::span<const real_t<detail::right_hand_side_t<M>>> scales) {
  if (const status s = try_scale_rows(A, scales); !s) detail::throw_status(s);
}
/// try_equilibrate that throws what belongs to its status.
template <MatrixLike M, class R>
void equilibrate(M&& A, const equilibration_scales<R>& scales) {
  if (const status s = try_equilibrate(A, scales); !s) detail::throw_status(s);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
