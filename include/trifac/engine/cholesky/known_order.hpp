#pragma once
// Cholesky of an order that is known at compile time, and in constant expressions: scalars and
// plain loops that become part of the caller.

#include <type_traits>

#include "trifac/backend.hpp"
#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/blas/factor_block.hpp"
#include "trifac/engine/blas/few_rows.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/known_order.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/call/overlap.hpp"
#include "trifac/engine/cholesky/check.hpp"
#include "trifac/engine/cholesky/options.hpp"
#include "trifac/engine/simd/core/small_kernels.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// See known_order; 0 also where A cannot be factored at all.
template <class M, variant V, class B>
constexpr index_t known_cholesky_order() {
  if constexpr (can_be_factored<M>)
    return known_order<M, V, B>(simd::cholesky_by_scalars.of<scalar_t<M>>());
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

/// Whether lower triangles of one order have an element in common. For constant expressions, in
/// which addresses have no order: of columns with one stride the first elements tell.
template <class T>
constexpr bool lower_triangles_share(const matrix_view<const T>& A, const matrix_view<T>& L) {
  const index_t n = A.rows();
  const auto has = [n](const auto& V, index_t column, const T* element) {
    for (index_t i = column; i < n; ++i)
      if (&V(i, column) == element) return true;
    return false;
  };
  const bool alike = A.row_stride() == L.row_stride();
  for (index_t j = 0; j < n; ++j)
    for (index_t k = 0; k < n; ++k) {
      if (alike && has(A, j, &L(k, k))) return true;
      for (index_t i = j; i < (alike ? j + 1 : n); ++i)
        if (has(L, k, &A(i, j))) return true;
    }
  return false;
}

/// The factor of A of any order in a constant expression; L may be A.
template <class T>
constexpr status factor_constant_cholesky(const matrix_view<const T>& A, const matrix_view<T>& L,
                                          const cholesky_options& options) {
  if (const status s = check_view(A, "A"); !s) return s;
  if (const status s = check_cholesky_options(options); !s) return s;
  if (options.norm)
    return status::argument("options.norm", "is not measured in a constant expression");
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  if (const status s = check_view(L, "L"); !s) return s;
  if (L.rows() != A.rows() || L.cols() != A.cols())
    return status::argument("L", "is not of the size of A");
  const matrix_view<const T> from = lower_view(A, options.part);
  const matrix_view<T> lower = lower_view(L, options.part);
  if (!is_same_view(A, L)) {
    if (lower_triangles_share(from, lower))
      return status::argument("L", "overlaps A without being the same view");
    blas::copy_lower(from, lower);
  }
  return blas::factor_block(lower);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
