#pragma once
// Reflectors applied to the rows of a Cholesky factor; blas/reflectors.hpp says what is computed.

#include "trifac/blas/reflectors.hpp"
#include "trifac/simd/core/tile.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Columns of L in a block at most.
inline constexpr index_t reflector_columns = 64;

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#if TRIFAC_SIMD
  #define TRIFAC_SIMD_TEXT "trifac/simd/core/reflectors.inl"
  #include "trifac/simd/isa/each.inl"
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Rows of a buffer for a diagonal block: whole packets of all instruction sets.
constexpr index_t whole_packets(index_t rows) {
  return (rows + 15) / 16 * 16;
}

/// The g-th group of reflectors of a diagonal block, and the block and its columns of X with them:
/// [L  X] := [L′  0] in the columns before `end`; L: n×n in whole_packets(n) rows with zeros above the
/// diagonal in the sixteen rows around it, which are destroyed, and below row n, X likewise, with its
/// leading dimension. Returns the column that has no reflector, or `end`.
template <Scalar T>
index_t reflect_diagonal(const reflector_block<T>& Q, index_t g, reflector<T>* reflectors,
                         index_t end, const matrix_view<T>& L, T* X) {
  if constexpr (has_kernels<T>) {
    return with_isa(
        [&](auto target) { return reflect_diagonal(target, Q, g, reflectors, end, L, X); });
  } else {
    const matrix_view<T> x = {X, L.rows(), Q.width(g), L.col_stride()};
    for (index_t j = 0; j < end; ++j) {
      real_t<T> pivot = detail::real_part(L(j, j));
      if (!blas::make_reflector<T>(Q.how, pivot, x.row(j), reflectors[j])) return j;
      L(j, j) = T(pivot);
      const index_t below = L.rows() - j - 1;
      blas::apply_reflectors(reflector_block<T>{reflectors + j, 1, 1, x.cols(), Q.how},
                             L.block(j + 1, j, below, 1), x.block(j + 1, 0, below, x.cols()));
    }
    return end;
  }
}

/// The rows of L: m×columns and X: m×vectors, as blas::apply_reflectors; the columns of X are
/// contiguous, L has any strides. Each row is one chain of operations: its bits do not depend on how
/// the rows are cut.
template <Scalar T>
void apply_reflectors(const reflector_block<T>& Q, matrix_view<T> L, matrix_view<T> X) {
  if constexpr (has_kernels<T>)
    with_isa([&](auto target) { reflect(target, Q, L, X); });
  else
    blas::apply_reflectors(Q, L, X);
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
