#pragma once
// Cholesky of an order that is known at compile time, and in constant expressions: scalars and
// plain loops that become part of the caller.

#include <type_traits>

#include "trifac/backend.hpp"
#include "trifac/blas/copy.hpp"
#include "trifac/blas/factor_block.hpp"
#include "trifac/blas/few_rows.hpp"
#include "trifac/cholesky/check.hpp"
#include "trifac/cholesky/options.hpp"
#include "trifac/detail/call.hpp"
#include "trifac/detail/known_order.hpp"
#include "trifac/detail/lower_operand.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// See known_order; 0 also where A cannot be factored at all.
template <class M, variant V, class B>
constexpr index_t known_cholesky_order() {
  if constexpr (can_be_factored<M>) return known_order<M, V, B>(blas::few_rows_of_cholesky);
  return 0;
}

/// Whether factor_cholesky would find nothing to object to, and nothing but the order of A decides
/// how `best` factors it.
template <Backend B, class T>
TRIFAC_INLINE constexpr bool is_plain_cholesky(const B& backend, const matrix_view<T>& A,
                                               const cholesky_options& options) {
  return A.rows() == A.cols() && options.block == 0 && options.cutoff == 0 &&
         options.profile == nullptr && !options.norm && options.jitter.first == 0 &&
         is_one_of(options.part) && is_plain(A) && supports(backend, variant::best) &&
         backend.available().ok;
}

/// Lower triangle of A := L, or U in the upper one, by scalars. False, and A unchanged, where
/// factor_cholesky has to look: at arguments that are not plain, or at a pivot that is not
/// ordinary.
template <index_t N, Backend B, class T>
TRIFAC_INLINE constexpr bool factor_known_cholesky(const B& backend, const matrix_view<T>& A,
                                                   const cholesky_options& options) {
  if (!is_plain_cholesky(backend, A, options)) return false;
  const matrix_view<T> L = lower_view(A, options.part);
  return blas::few_rows::factor_in_scalars<int{N}>(L.data(), L.row_stride(), L.col_stride());
}

/// What try_small says besides the index of a bad pivot.
inline constexpr index_t all_good = -1, not_small = -2;

template <class T>
constexpr status check_constant_cholesky(const matrix_view<T>& A, const cholesky_options& options) {
  if (const status s = check_view(A, "A"); !s) return s;
  if (const status s = check_cholesky_options(options); !s) return s;
  return A.rows() == A.cols() ? status() : status::argument("A", "is not square");
}

/// The factor of A of any order in a constant expression, in place.
template <class T>
constexpr status factor_constant_cholesky(const matrix_view<T>& A,
                                          const cholesky_options& options) {
  if (const status s = check_constant_cholesky(A, options); !s) return s;
  return blas::factor_block(lower_view(A, options.part));
}
/// The same out of place.
template <class T>
constexpr status factor_constant_cholesky(const matrix_view<const T>& A, const matrix_view<T>& L,
                                          const cholesky_options& options) {
  if (const status s = check_constant_cholesky(A, options); !s) return s;
  if (const status s = check_view(L, "L"); !s) return s;
  if (L.rows() != A.rows() || L.cols() != A.cols())
    return status::argument("L", "is not of the size of A");
  const matrix_view<T> lower = lower_view(L, options.part);
  blas::copy_lower(lower_view(A, options.part), lower);
  return blas::factor_block(lower);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
