#pragma once
// What is left to look at before an LU factorization is a success: elements that no pivot shows.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/blas/all_finite.hpp"
#include "trifac/engine/lu/options.hpp"
#include "trifac/engine/simd/lu/memory.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/scalar.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The status of a factorization: not_finite where it was completed although an element of L or U
/// is infinite or NaN. `block` is the options' width of a panel.
///
/// Pivots show nearly all of them, since the pivot search lets NaN and infinities win and 0·Inf is
/// NaN. If u_kj is not finite, no later element of column j is: the pivot u_jj shows it or, right
/// of the last pivot, the last row. If l_ik is not finite (pivoting none, or a library's pivot
/// search), no later element of row i is: the pivot u_ii shows it or, below the last pivot, the
/// last column.
///
///                n − m            Within a panel kernels multiply eight rows of U at a time by
///     | \          ▒▒▒▒ |         the inverse of a block of L11. There an overflow in one row need
/// U = |   \        ▒▒▒▒ |  8      not reach the next, so the last eight rows are looked at. They
///     |     \      ▒▒▒▒ |         end with the last panel, left of ▒, where blocks are multiples
///                                 of eight.
template <class T>
status check_finite(const matrix_view<T>& A, const status& outcome, index_t block) {
  constexpr index_t rows = simd::base_columns;
  const index_t m = A.rows(), n = A.cols();
  if (!outcome.completed() || A.empty()) return outcome;
  const index_t last = max<index_t>(0, m - rows);
  bool finite = true;
  if (block % rows != 0)
    for (index_t j = last; j < min(m, n); ++j)
      finite = finite && all_finite<T>(A.block(last, j, j - last, 1));
  if (n > m) finite = finite && all_finite<T>(A.block(last, m, m - last, n - m));
  if (m > n) finite = finite && all_finite<T>(A.block(n, n - 1, m - n, 1));
  return finite ? outcome : status::at(status_kind::not_finite, min(m, n) - 1);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
