#pragma once
// equilibration(): row and column scales that make the largest element of each row and column about
// one.

#include <concepts>
#include <limits>
#include <span>
#include <vector>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/call/argument_types.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/overlap.hpp"
#include "trifac/engine/equilibration/sizes.hpp"
#include "trifac/engine/views/with_status.hpp"

namespace trifac {

/// Powers of two, so that scaling is exact except for subnormal results: A' =
/// diag(rows)·A·diag(columns). A·x = b is A'·y = diag(rows)·b with x = diag(columns)·y.
template <class R>
struct equilibration_scales : with_status<equilibration_scales<R>> {
  trifac::status outcome;
  std::vector<R> rows, columns;  ///< equal from equilibration_of_definite; empty if not ok
  R row_condition = R(1);        ///< smallest / largest row size. LAPACK: rowcnd, scond
  R column_condition = R(1);     ///< the same of columns, after row scaling. LAPACK: colcnd
  /// The largest element of A; the largest finite number if |Re z| + |Im z| overflows. LAPACK: amax
  R largest = R(0);

  const trifac::status& status() const { return outcome; }
  /// True if row or column sizes differ by more than a factor of ten, the criterion of LAPACK's
  /// laqge and laqsy, which also scale if `largest` is near underflow or overflow.
  bool is_worthwhile() const { return !(row_condition >= R(0.1)) || !(column_condition >= R(0.1)); }
};

inline namespace TRIFAC_ABI {
namespace detail {

/// Sets the scales with these exponents. If some are out of range, all rows are multiplied by a
/// power of two and all columns by its inverse, as far as that helps: the products are unchanged.
template <class R>
void set_scales(equilibration_scales<R>& s, const std::vector<int>& rows,
                const std::vector<int>& columns) {
  constexpr int most = most_scale<R>;
  int least_shift = std::numeric_limits<int>::min(), most_shift = std::numeric_limits<int>::max();
  for (int row : rows) {
    least_shift = max(least_shift, -most - row);
    most_shift = min(most_shift, most - row);
  }
  for (int column : columns) {
    least_shift = max(least_shift, column - most);
    most_shift = min(most_shift, column + most);
  }
  const int shift = min(max(0, least_shift), most_shift);
  for (int row : rows) s.rows.push_back(scale_of<R>(row + shift));
  for (int column : columns) s.columns.push_back(scale_of<R>(column - shift));
}

template <class R>
constexpr void check_equilibrated() {
  static_assert(std::floating_point<R>,
                "equilibration is for float, double, long double and complex of these");
}

template <class R, class Body>
equilibration_scales<R> made_scales(Body body) noexcept {
  equilibration_scales<R> made;
  made.outcome = without_exceptions([&] { return body(made); });
  if (!made.outcome) made.rows = made.columns = {};
  return made;
}

template <class T, class R>
status check_scaled(const matrix_view<T>& A, const equilibration_scales<R>& scales) {
  if (const status s = check_view(A, "A"); !s) return s;
  if (!scales.ok()) return scales.status();
  if (static_cast<index_t>(scales.rows.size()) != A.rows())
    return status::argument("scales", "is not one number for each row");
  if (static_cast<index_t>(scales.columns.size()) != A.cols())
    return status::argument("scales", "is not one number for each column");
  return {};
}
/// Scales rows from … to−1 of column j to diag(rows)·A·diag(columns).
template <class T, class R>
void scale_column(const matrix_view<T>& A, const equilibration_scales<R>& scales, index_t j,
                  index_t from, index_t to) {
  for (index_t i = from; i < to; ++i)
    A(i, j) = scaled_element(A(i, j), scales.rows[as_size(i)], scales.columns[as_size(j)]);
}

}  // namespace detail

/// Scales that bring the largest element of each row of A, m×n, and then of each column into [1,
/// 2); some may stay smaller if sizes span nearly the whole range, so that no scales with normal
/// inverses exist. |z| is |Re z| + |Im z|. A, of float, double, long double or complex of these, is
/// only read. Status: singular or not_finite with index i if row i, or m + j if column j, is zero
/// or has such an element, rows first; invalid_argument, out_of_memory. Does not throw. 4mn
/// operations. LAPACK: geequb, which rounds the logarithm of a size toward 0, so its scale is half
/// of this one for sizes below 1 that are not powers of two; and which treats a column as zero if
/// its elements underflow when multiplied by the row scales.
template <MatrixLike M>
[[nodiscard]] auto equilibration(const M& A) noexcept {
  using T = scalar_t<M>;
  using R = real_t<T>;
  detail::check_equilibrated<R>();
  const matrix_view<const T> view = view_of(A);
  return detail::made_scales<R>([&](equilibration_scales<R>& s) {
    if (const status wrong = detail::check_view(view, "A"); !wrong) return wrong;
    if (view.empty()) {
      s.rows.assign(detail::as_size(view.rows()), R(1));
      s.columns.assign(detail::as_size(view.cols()), R(1));
      return status();
    }
    if constexpr (std::floating_point<R>) {
      std::vector<int> rows, columns(detail::as_size(view.cols()));
      R scaled(0);
      status outcome = detail::even_rows<T>(view, columns, 0, rows, s.row_condition, s.largest);
      // Columns are evened for the scales that rows can have.
      for (int& row : rows) row = detail::clamp(row, -detail::most_scale<R>, detail::most_scale<R>);
      if (outcome)
        outcome = detail::even_rows<T>(view.transposed(), rows, view.rows(), columns,
                                       s.column_condition, scaled);
      if (outcome) detail::set_scales(s, rows, columns);
      return outcome;
    } else {
      return status();
    }
  });
}

/// Scales s that bring the diagonal of diag(s)·A·diag(s) into [1, 4) up to rounding; A: n×n
/// Hermitian positive definite; only its diagonal is read. Status: not_positive_definite with the
/// index of the first element that is not positive, not_finite with that of a NaN or an infinity;
/// invalid_argument, out_of_memory. Does not throw.
/// LAPACK: poequb, whose scale is half of this one for elements below 1 that are not powers of
/// four.
template <MatrixLike M>
[[nodiscard]] auto equilibration_of_definite(const M& A) noexcept {
  using T = scalar_t<M>;
  using R = real_t<T>;
  detail::check_equilibrated<R>();
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
      if constexpr (std::floating_point<R>)
        s.rows.push_back(
            detail::scale_of<R>(1 - detail::binary_size_of(detail::square_root(size), 0).exponent));
    }
    s.columns = s.rows;
    if (view.rows() > 0)
      s.row_condition = s.column_condition =
          detail::square_root(least) / detail::square_root(s.largest);
    return status();
  });
}

/// A := diag(scales)·A, A: m×n or a vector of m elements, one scale per row; with powers of two
/// exact unless results leave the range of normal numbers. invalid_argument if the number of scales
/// is wrong, A is no valid view or overlaps them: A is unchanged.
template <class M>
requires(MatrixLike<M> || VectorLike<M>) status
    try_scale_rows(M&& A, std::span<const real_t<detail::right_hand_side_t<M>>> scales)
noexcept {
  using R = real_t<detail::right_hand_side_t<M>>;
  const auto view = detail::right_hand_sides(A);
  if (const status s = detail::check_view(view, "A"); !s) return s;
  if (static_cast<index_t>(scales.size()) != view.rows())
    return status::argument("scales", "is not one number for each row");
  if (detail::overlap(matrix_view<const R>(scales.data(), view.rows(), 1, 1),
                      detail::part_in_use::whole, view, detail::part_in_use::whole))
    return status::argument("scales", "overlaps A");
  for (index_t j = 0; j < view.cols(); ++j)
    for (index_t i = 0; i < view.rows(); ++i) view(i, j) = view(i, j) * scales[detail::as_size(i)];
  return {};
}

/// A := diag(rows)·A·diag(columns), all of A. The status of the scales where that is not ok: A is
/// unchanged. Otherwise as above. LAPACK: laqge.
template <MatrixLike M, class R>
status try_equilibrate(M&& A, const equilibration_scales<R>& scales) noexcept {
  const auto view = view_of(A);
  if (const status s = detail::check_scaled(view, scales); !s) return s;
  for (index_t j = 0; j < view.cols(); ++j) detail::scale_column(view, scales, j, 0, view.rows());
  return {};
}
/// The same for a Hermitian A, n×n; only the triangle `part` is accessed. LAPACK: laqsy, laqhe.
template <MatrixLike M, class R>
status try_equilibrate(M&& A, const equilibration_scales<R>& scales, triangle part) noexcept {
  const auto view = view_of(A);
  if (const status s = detail::check_scaled(view, scales); !s) return s;
  if (view.rows() != view.cols()) return status::argument("A", "is not square");
  if (!detail::is_one_of(part)) return status::argument("part", "is not one of its enumeration");
  const bool lower = part == triangle::lower;
  for (index_t j = 0; j < view.cols(); ++j)
    detail::scale_column(view, scales, j, lower ? j : 0, lower ? view.rows() : j + 1);
  return {};
}

#if TRIFAC_EXCEPTIONS
/// try_scale_rows that throws argument_error.
template <class M>
requires(MatrixLike<M> || VectorLike<M>) void scale_rows(
    M&& A, std::span<const real_t<detail::right_hand_side_t<M>>> scales) {
  detail::throw_unless_ok(try_scale_rows(A, scales));
}
/// try_equilibrate that throws the exception of its status.
template <MatrixLike M, class R>
void equilibrate(M&& A, const equilibration_scales<R>& scales) {
  detail::throw_unless_ok(try_equilibrate(A, scales));
}
template <MatrixLike M, class R>
void equilibrate(M&& A, const equilibration_scales<R>& scales, triangle part) {
  detail::throw_unless_ok(try_equilibrate(A, scales, part));
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac
