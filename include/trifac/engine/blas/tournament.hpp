#pragma once
// The block operations of a tournament, in plain loops: the local LU of a group of candidate rows,
// and the check of max |l_ij|.

#include <utility>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/blas/factor_panel.hpp"
#include "trifac/engine/blas/tournament_round.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace blas {

/// Group g of a round: Gaussian elimination with partial (plain or scaled) pivoting on a copy of
/// its candidate rows. Zero and NaN pivots are not reported here; the pivots of the last round show
/// them. Source: Grigori, Demmel, Xiang, SIMAX 32(4), 2011; scaled: Martins, Tomás, Chaves.
template <Scalar T>
void local_lu(const tournament_round<T>& round, index_t g) {
  const index_t from = round.begin(g), rows = round.begin(g + 1) - from, cols = round.panel.cols();
  const auto order = round.candidates_of(g);
  const matrix_view<T> W = round.copies.block(from, 0, rows, cols);
  for (index_t j = 0; j < cols; ++j)
    for (index_t i = 0; i < rows; ++i) W(i, j) = round.panel(order[detail::as_size(i)], j);

  const auto scales = round.scales.empty()
                          ? round.scales
                          : round.scales.subspan(detail::as_size(from), detail::as_size(rows));
  for (index_t i = 0; i < static_cast<index_t>(scales.size()); ++i) {
    real_t<T>& scale = scales[detail::as_size(i)];
    scale = real_t<T>(0);
    for (index_t j = 0; j < cols; ++j)
      if (const auto size = detail::pivot_size(W(i, j)); !(size <= scale)) scale = size;
  }
  (void)eliminate(W, scales.empty() ? nullptr : scales.data(), [&](index_t k, index_t row) {
    std::swap(order[detail::as_size(k)], order[detail::as_size(row)]);
    if (!scales.empty()) std::swap(scales[detail::as_size(k)], scales[detail::as_size(row)]);
  });
  for (index_t k = 0; k < cols; ++k)
    round.chosen[detail::as_size(g * cols + k)] = order[detail::as_size(k)];
}

/// True if |Re| + |Im| ≥ |l_ij| is at most `limit` in rows i ≥ from(j) of every column j of L, m×b.
/// False if an element is NaN.
template <Scalar T, class From>
bool is_bounded(matrix_view<const T> L, From from, double limit) {
  for (index_t j = 0; j < L.cols(); ++j)
    for (index_t i = from(j); i < L.rows(); ++i)
      if (!(detail::pivot_size(L(i, j)) <= real_t<T>(limit))) return false;
  return true;
}

/// True if the factored panel [A11; A21] = [L11\U11; L21] has finite nonzero pivots and no |l_ij|
/// above the limit, in L21 and in L11 (which scaled selection does not bound).
template <Scalar T>
bool is_good_panel(matrix_view<const T> A11, matrix_view<const T> A21, double limit) {
  for (index_t k = 0; k < A11.rows(); ++k)
    if (!detail::is_finite(A11(k, k)) || A11(k, k) == T(0)) return false;
  return is_bounded(
             A11, [](index_t j) { return j + 1; }, limit) &&
         is_bounded(
             A21, [](index_t) { return index_t(0); }, limit);
}

}  // namespace blas
}  // namespace TRIFAC_ABI
}  // namespace trifac
