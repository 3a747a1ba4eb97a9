#pragma once
// A solve with many right-hand sides in pieces of columns, between which the caller is told how far
// it is and may end it.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/base/progress.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"

namespace trifac {

/// Options of solve() for one matrix.
struct solve_options {
  /// Is told which fraction of the columns of X is done, and may end the call: its status is then
  /// `cancelled`, the columns that are done are solutions, all others are those of B. Called after
  /// each piece of 256 to 511 columns, the last time with 1; fewer columns are one piece.
  progress_ref progress = {};
};

inline namespace TRIFAC_ABI {
namespace detail {

/// Columns of the smallest piece. Each piece packs the factor again. Above 64 columns a piece has
/// the kernels, and so the bits, of the whole.
inline constexpr index_t solve_piece_columns = 256;

/// solve(columns) for all columns of X: at once, or in pieces where `progress` is told. A piece
/// that is not finite does not keep the others from being solved: the status is that of the whole,
/// which has the smallest index.
template <class T, class Solve>
status solve_in_pieces(const matrix_view<T>& X, const progress_ref& progress, const Solve& solve) {
  if (!progress) return solve(X);
  const index_t r = X.cols(), pieces = max(r / solve_piece_columns, index_t{1});
  status all;
  for (index_t k = 0, from = 0; k < pieces; ++k) {
    const index_t to = r / pieces * (k + 1) + r % pieces * (k + 1) / pieces;
    const status s = solve(X.block(0, from, X.rows(), to - from));
    if (!s && s.kind() != status_kind::not_finite) return s;
    if (!s && (all || s.index() < all.index())) all = s;
    if (!progress(to == r ? 1 : static_cast<double>(to) / static_cast<double>(r)))
      return status::failure(status_kind::cancelled, "");
    from = to;
  }
  return all;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
