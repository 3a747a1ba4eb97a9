#pragma once
// The ways of Cholesky without a nest: a small matrix at once, by scalars that become part of the
// caller where its order is known at compile time, and plain loops in constant expressions.

#include <type_traits>

#include "trifac/backend.hpp"
#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/blas/factor_block.hpp"
#include "trifac/engine/blas/scalars.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/known_order.hpp"
#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/call/overlap.hpp"
#include "trifac/engine/calls/calls.hpp"
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

/// Results of try_small_cholesky other than the index of a bad pivot.
inline constexpr index_t all_good = -1, not_small = -2;

/// Lower triangle of A := L, or U in the upper one, by one call of a kernel, with numbers instead
/// of views, options and a plan (docs/design.md says why). N: an order known at compile time, or 0.
/// not_small, and A unchanged, for other arguments and orders, and for a pivot of order N that is
/// not ordinary: then call factor_cholesky.
template <index_t N, variant V, Backend B, class T>
TRIFAC_INLINE constexpr index_t try_small_cholesky(const B& backend, const matrix_view<T>& A,
                                                   const cholesky_options& options) {
  if constexpr (V == variant::best && SmallPathBackend<B> && LapackScalar<T>) {
    if (N == 0 && std::is_constant_evaluated()) return not_small;
    // True if the arguments are valid and all options have their defaults.
    const bool plain = A.rows() == A.cols() && has_defaults(options) && is_one_of(options.part) &&
                       is_plain(A) && is_ready(backend);
    if (!plain) return not_small;
    const bool upper = options.part == triangle::upper;
    const index_t down = upper ? A.col_stride() : A.row_stride();
    const index_t along = upper ? A.row_stride() : A.col_stride();
    if constexpr (N > 0)
      return blas::scalars::factor_in_scalars<int{N}>(A.data(), down, along) ? all_good : not_small;
    else
      return calls<T>::small_cholesky(A.data(), A.rows(), down, along);
  }
  return not_small;
}

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
  if (const status s = check_cholesky_shapes(A, L, options); !s) return s;
  if (options.norm)
    return status::argument("options.norm", "is not measured in a constant expression");
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
