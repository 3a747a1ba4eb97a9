#pragma once
// LU of one panel with row interchanges, in plain loops, and the search for a pivot.

#include <span>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/blas/divide.hpp"
#include "trifac/engine/blas/swap_rows.hpp"
#include "trifac/engine/blas/update.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// The first row in 0 … rows−1 with the largest rank(row); NaN is larger than every number.
template <class Rank>
constexpr index_t first_largest(index_t rows, Rank rank) {
  index_t best = 0;
  auto largest = rank(0);
  for (index_t i = 1; i < rows && largest == largest; ++i) {
    const auto size = rank(i);
    if (!(size <= largest)) {
      best = i;
      largest = size;
    }
  }
  return best;
}

/// Row of the first largest element of the column x (m×1, m ≥ 1) by |x_i|, or by |x_i| / scales[i].
/// The first NaN is larger than every number, so it becomes the pivot and is reported. The row is
/// always in range. BLAS: iamax.
template <Scalar T>
constexpr index_t find_pivot(matrix_view<const T> x, const real_t<T>* scales) {
  if (scales)
    return first_largest(x.rows(), [&](index_t i) {
      const real_t<T> size = detail::pivot_size(x(i, 0));
      return scales[i] == real_t<T>(0) ? real_t<T>(0) : real_t<T>(size / scales[i]);
    });
  const index_t best =
      first_largest(x.rows(), [&](index_t i) { return detail::pivot_size(x(i, 0)); });
  // |Re| + |Im| of finite numbers may overflow, that of their halves cannot.
  if constexpr (is_complex<T>)
    if (!detail::is_finite(detail::pivot_size(x(best, 0))))
      return first_largest(x.rows(),
                           [&](index_t i) { return detail::pivot_size(halved(x(i, 0))); });
  return best;
}

/// A := L\U with P·A = L·U by columns, right-looking; A: m×n. Calls on_exchange(k, row) for each
/// interchange. A zero pivot is recorded (singular) and its column, all zeros, is not divided; a
/// non-finite pivot stops the elimination. LAPACK: getf2.
template <Scalar T, class OnExchange>
constexpr status eliminate(matrix_view<T> A, const real_t<T>* scales, OnExchange on_exchange) {
  status outcome;
  const index_t steps = A.rows() < A.cols() ? A.rows() : A.cols();
  for (index_t k = 0; k < steps; ++k) {
    const index_t below = A.rows() - k;
    const index_t row = k + find_pivot<T>(A.block(k, k, below, 1), scales ? scales + k : nullptr);
    on_exchange(k, row);
    swap_two_rows(A, k, row);
    const auto [u, u12, l21, A22] = A.trailing(k).split(1, 1);
    const T pivot = A(k, k);
    if (!detail::is_finite(pivot)) return status::at(status_kind::not_finite, k);
    if (pivot == T(0)) {
      if (outcome) outcome = status::at(status_kind::singular, k);
    } else {
      divide_column(l21, pivot);
    }
    // Also if l21 = 0: 0·NaN propagates NaN below u12.
    update(A22, operand<T>(l21), operand<T>(u12));
  }
  return outcome;
}

/// LU of a panel with partial pivoting; interchanges[k] = the row exchanged with row k, for min(m,
/// n) steps. m·n² flops. LAPACK: getf2.
template <Scalar T>
constexpr status factor_panel(matrix_view<T> A, std::span<index_t> interchanges) {
  for (index_t k = 0; k < static_cast<index_t>(interchanges.size()); ++k)
    interchanges[detail::as_size(k)] = k;
  return eliminate(A, nullptr,
                   [&](index_t k, index_t row) { interchanges[detail::as_size(k)] = row; });
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
