#pragma once
// Norms of a general matrix, or of a Hermitian one with one triangle stored, for condition numbers.

#include <limits>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/views/matrix_like.hpp"

namespace trifac {

inline namespace TRIFAC_ABI {
namespace detail {

/// Columns summed together, so that elements are read in memory order.
inline constexpr index_t summed_columns = 64;

/// sums[j] += Σ |a_ij| over the rows of A, for at most summed_columns columns.
template <class T>
void add_column_sums(const matrix_view<const T>& A, real_t<T>* sums) {
  if (A.row_stride() == 1) {
    for (index_t j = 0; j < A.cols(); ++j)
      for (index_t i = 0; i < A.rows(); ++i) sums[j] = sums[j] + absolute(A(i, j));
  } else {
    for (index_t i = 0; i < A.rows(); ++i)
      for (index_t j = 0; j < A.cols(); ++j) sums[j] = sums[j] + absolute(A(i, j));
  }
}

/// The largest of the sums that add(from, count, sums) computes; NaN if any is NaN.
template <class R, class Add>
R largest_sum(index_t cols, Add add) {
  R most(0);
  for (index_t from = 0; from < cols && most == most; from += summed_columns) {
    const index_t count = min(summed_columns, cols - from);
    R sums[summed_columns];
    for (index_t j = 0; j < count; ++j) sums[j] = R(0);
    add(from, count, sums);
    for (index_t j = 0; j < count && most == most; ++j)
      if (!(sums[j] <= most)) most = sums[j];
  }
  return most;
}

/// The norm of an invalid view: throws argument_error.
template <class R>
R norm_of_mistake(const status& s) {
  throw_unless_numerical(s);
  return std::numeric_limits<R>::quiet_NaN();
}

}  // namespace detail

/// ‖A‖₁ or ‖A‖∞; A: m×n. NaN if an element is NaN. Throws argument_error if A is not a valid view
/// (detail::check_view; without exceptions NaN). mn operations. LAPACK: lange.
template <MatrixLike M>
[[nodiscard]] real_t<scalar_t<M>> norm(const M& A, norm_kind kind = norm_kind::one) {
  using T = scalar_t<M>;
  const matrix_view<const T> whole = view_of(A);
  const matrix_view<const T> view = kind == norm_kind::one ? whole : whole.transposed();
  status s = detail::check_view(whole, "A");
  if (s && !detail::is_one_of(kind)) s = status::argument("kind", "is not one of its enumeration");
  if (!s) return detail::norm_of_mistake<real_t<T>>(s);
  return detail::largest_sum<real_t<T>>(
      view.cols(), [&](index_t from, index_t count, real_t<T>* sums) {
        detail::add_column_sums<T>(view.block(0, from, view.rows(), count), sums);
      });
}

/// ‖A‖₁ = ‖A‖∞ of a Hermitian (symmetric) A, n×n; neither the other triangle nor the imaginary part
/// of the diagonal is read. NaN if an element is NaN. Errors as above, also if A is not square. n²
/// operations. LAPACK: lanhe, lansy.
template <MatrixLike M>
[[nodiscard]] real_t<scalar_t<M>> norm(const M& A, triangle part) {
  using T = scalar_t<M>;
  const matrix_view<const T> whole = view_of(A);
  const matrix_view<const T> view = part == triangle::lower ? whole : whole.transposed();
  const index_t n = view.rows();
  status s = detail::check_view(whole, "A");
  if (s && view.cols() != n) s = status::argument("A", "is not square");
  if (s && !detail::is_one_of(part)) s = status::argument("part", "is not one of its enumeration");
  if (!s) return detail::norm_of_mistake<real_t<T>>(s);
  return detail::largest_sum<real_t<T>>(n, [&](index_t from, index_t count, real_t<T>* sums) {
    const index_t below = from + count;
    detail::add_column_sums<T>(view.block(from, 0, count, from).transposed(), sums);
    for (index_t j = 0; j < count; ++j) {
      sums[j] = sums[j] + detail::absolute(detail::real_part(view(from + j, from + j)));
      for (index_t i = j + 1; i < count; ++i) {
        const real_t<T> size = detail::absolute(view(from + i, from + j));
        sums[j] = sums[j] + size;
        sums[i] = sums[i] + size;
      }
    }
    detail::add_column_sums<T>(view.block(below, from, n - below, count), sums);
  });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
