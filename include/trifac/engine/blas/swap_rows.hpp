#pragma once
// Row interchanges: applied, undone, and computed from pivot candidates.

#include <span>
#include <utility>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// Exchanges rows i and k of A.
template <class T>
constexpr void swap_two_rows(matrix_view<T> A, index_t i, index_t k) {
  using std::swap;
  if (i != k)
    for (index_t j = 0; j < A.cols(); ++j) swap(A(i, j), A(k, j));
}

/// Exchanges rows k and interchanges[k] of A for k = from … to−1, in this order. LAPACK: laswp.
template <class T>
constexpr void swap_rows(matrix_view<T> A, index_t from, index_t to,
                         std::span<const index_t> interchanges) {
  using std::swap;
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t k = from; k < to; ++k)
      if (const index_t row = interchanges[detail::as_size(k)]; row != k) swap(A(k, j), A(row, j));
}

/// Undoes swap_rows: for k = to−1, …, from. LAPACK: laswp with incx < 0.
template <class T>
constexpr void swap_rows_back(matrix_view<T> A, index_t from, index_t to,
                              std::span<const index_t> interchanges) {
  using std::swap;
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t k = to - 1; k >= from; --k)
      if (const index_t row = interchanges[detail::as_size(k)]; row != k) swap(A(k, j), A(row, j));
}

/// The row interchanges that move rows first + candidates[k] to rows first + k, as
/// pivots::from_candidates does. `places` has room for 2·(rows of the panel) numbers; writes
/// interchanges[first + k].
inline void interchanges_from_candidates(std::span<const index_t> candidates, index_t first,
                                         std::span<index_t> interchanges,
                                         std::span<index_t> places) {
  const index_t rows = static_cast<index_t>(places.size()) / 2;
  index_t *const row_at = places.data(), *const place_of = places.data() + rows;
  for (index_t i = 0; i < rows; ++i) row_at[i] = place_of[i] = i;
  for (index_t k = 0; k < static_cast<index_t>(candidates.size()); ++k) {
    const index_t from = place_of[candidates[detail::as_size(k)]];
    interchanges[detail::as_size(first + k)] = first + from;
    std::swap(row_at[k], row_at[from]);
    place_of[row_at[from]] = from;
    place_of[row_at[k]] = k;
  }
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
