#pragma once
// LU of an order that is known at compile time, and in constant expressions: scalars and plain
// loops that become part of the caller.

#include <span>

#include "trifac/backend.hpp"
#include "trifac/engine/blas/factor_block.hpp"
#include "trifac/engine/blas/factor_panel.hpp"
#include "trifac/engine/blas/few_rows.hpp"
#include "trifac/engine/blas/largest.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/known_order.hpp"
#include "trifac/engine/lu/check.hpp"
#include "trifac/engine/lu/options.hpp"
#include "trifac/engine/simd/core/small_kernels.hpp"
#include "trifac/pivots.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// See known_order; 0 also where A cannot be factored at all.
template <class M, variant V, class B>
constexpr index_t known_lu_order() {
  if constexpr (can_be_factored<M>)
    return known_order<M, V, B>(simd::lu_by_scalars.of<scalar_t<M>>());
  return 0;
}

/// Whether factor_lu would find nothing to object to in partial pivoting of a square A, and nothing
/// but the order of A decides how `best` factors it.
template <Backend B, class T>
TRIFAC_INLINE constexpr bool is_plain_lu(const B& backend, const matrix_view<T>& A,
                                         const lu_options& options) {
  return A.rows() == A.cols() && !options.growth && !options.norm &&
         options.pivoting == pivoting::partial && options.block == 0 &&
         is_one_of(options.selection) && options.leaves == 0 && options.arity == 0 &&
         options.max_l >= 1 && options.profile == nullptr && is_plain(A) &&
         supports(backend, variant::best) && backend.available().ok;
}

/// P·A = L·U by scalars; p receives the interchanges. False, and A unchanged, where factor_lu has
/// to look: at arguments that are not plain, or at a pivot that is not ordinary.
template <index_t N, Backend B, class T>
TRIFAC_INLINE constexpr bool factor_known_lu(const B& backend, const matrix_view<T>& A, pivots& p,
                                             const lu_options& options) {
  if (!is_plain_lu(backend, A, options)) return false;
  p.reset(N);
  return blas::few_rows::factor_lu_in_scalars<int{N}>(A.data(), A.row_stride(), A.col_stride(),
                                                      p.data());
}

/// The same of any size in a constant expression, with the growth where it is asked for.
template <class T>
constexpr status factor_constant_lu(const matrix_view<T>& A, variant v, pivots& p,
                                    const lu_options& options, real_t<T>& growth) {
  if (const status s = check_lu_arguments(A, v, options); !s) return s;
  if (options.pivoting == pivoting::tournament)
    return status::argument("options.pivoting", "must be partial or none in a constant expression");
  if (options.norm)
    return status::argument("options.norm", "is not measured in a constant expression");
  p.reset(A.rows() < A.cols() ? A.rows() : A.cols());
  const real_t<T> before = options.growth ? blas::largest<T>(A) : real_t<T>(0);
  const status s = options.pivoting == pivoting::none ? blas::factor_block_lu(A)
                                                      : blas::factor_panel(A, p.span());
  if (!s.completed()) return s;
  for (index_t j = 0; j < A.cols(); ++j)  // see check_finite
    for (index_t i = 0; i < A.rows(); ++i)
      if (!is_finite(A(i, j))) return status::at(status_kind::not_finite, p.size() - 1);
  if (options.growth)
    growth = before == real_t<T>(0) ? real_t<T>(1) : blas::largest_above_diagonal<T>(A) / before;
  return s;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
