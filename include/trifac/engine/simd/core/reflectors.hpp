#pragma once
// Reflectors applied to the rows of a Cholesky factor; blas/reflectors.hpp says what is computed.

#include "trifac/engine/blas/reflectors.hpp"
#include "trifac/engine/simd/core/tile.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Columns of L in a block at most.
inline constexpr index_t reflector_columns = 32;
/// The same for one vector: its bits depend on where blocks end, and must not on the layout.
inline constexpr index_t rotation_columns = 16;

/// Rows of a buffer for a diagonal block: whole packets of all instruction sets.
constexpr index_t whole_packets(index_t rows) {
  return (rows + 15) / 16 * 16;
}

/// Where the reflectors of a diagonal block end: at the first column for which a group has none, or
/// behind the last.
struct last_reflector {
  index_t column, group;
};

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#if TRIFAC_SIMD
  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/rotations.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/reflectors.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/reflect_diagonal.inl"
  #include "trifac/engine/simd/isa/each.inl"
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// The reflectors of a diagonal block, and the block and its rows of X with them: [L  X] := [L′  0]
/// in the columns before the returned one; L: n×n. The columns of X are contiguous, with room for
/// whole_packets(n) elements; behind the last there are zeros up to a multiple of four columns. D:
/// scratch of n·whole_packets(n) elements, not used where there are no kernels.
template <Scalar T>
last_reflector reflect_diagonal(const reflector_block<T>& Q, reflector<T>* reflectors,
                                const matrix_view<T>& L, const matrix_view<T>& X, T* D) {
  if constexpr (has_kernels<T>) {
    return with_isa([&](auto target) { return reflect_diagonal(target, Q, reflectors, L, X, D); });
  } else {
    last_reflector end = {L.cols(), 0};
    for (index_t g = 0; g < Q.groups(); ++g) {
      const matrix_view<T> x = X.block(0, g * reflector_width, X.rows(), Q.width(g));
      for (index_t j = 0; j < end.column; ++j) {
        reflector<T>& h = reflectors[g * Q.stride + j];
        real_t<T> pivot = detail::real_part(L(j, j));
        if (!blas::make_reflector<T>(Q.how, pivot, x.row(j), h)) {
          end = {j, g};
          break;
        }
        L(j, j) = T(pivot);
        const index_t below = Q.columns - j - 1;
        blas::apply_reflectors(reflector_block<T>{&h, 1, 1, x.cols(), Q.how},
                               L.block(j + 1, j, below, 1), x.block(j + 1, 0, below, x.cols()));
      }
    }
    return end;
  }
}

/// The rows of L: m×columns and X: m×vectors, as blas::apply_reflectors; the columns of X are
/// contiguous, L has any strides. Each row is one chain of operations: its bits do not depend on
/// how the rows are cut.
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
