#pragma once
// One panel of a Cholesky factorization with a packed copy of its factor: what the kernels in
// this folder work on. panel/packed_cholesky.hpp hands them to the loop nest.
//
//   |  L11        |    panel: rows × cols, diagonal block L11 on top, L21 below
//   |  L21   A22  |
//
// As each tile of the panel is solved, it is stored twice: into A, and into `packed`, where it then
// serves as left and as right operand of all later products, those of A22 -= L21·L21ᴴ included.

#include <cstddef>
#include <limits>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/blas/scalars.hpp"
#include "trifac/engine/simd/core/product.hpp"
#include "trifac/engine/simd/core/small_kernels.hpp"
#include "trifac/engine/simd/core/solve_triangular.hpp"

#if TRIFAC_SIMD

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Columns that are eliminated as L·D·Lᴴ before square roots are taken: the same for all
/// instruction sets, so that those with a fused multiply-add agree bit for bit.
inline constexpr int elimination_block = 8;

/// Panels start at multiples of this: whole micro-panels and whole elimination blocks of every
/// type.
inline constexpr index_t panel_unit = 16;

/// What the rows below an elimination block need to know about it, Columns columns at a time (a
/// part). With the pivots D and the columns Y = L·√D as elimination leaves them, U = Y·D⁻¹:
///
///   y_c = x_c·before_c,   x_d -= y_c·conj(u_dc) for d > c,   l_c = y_c·after_c
///
/// before is 1 and after 1/√D; but a subnormal D has no finite reciprocal: then before is 1/√D,
/// after is 1 and Y is L itself.
template <class T, int Columns, int Width>
struct elimination {
  static constexpr int parts = elimination_block / Columns;

  // Row d of part h is at lane d % Width of u[h][column].
  alignas(64) real_t<T> u[detail::as_size(parts)][elimination_block][detail::as_size(planes<T>)]
                         [detail::as_size(Width)];
  // Column c is element Width + c: a store of whole vectors may begin before the first, and end
  // after the last.
  static constexpr int room = 2 * Width + elimination_block - Columns;
  alignas(64) real_t<T> before[detail::as_size(room)];
  alignas(64) real_t<T> after[detail::as_size(room)];
  alignas(64) real_t<T> reciprocal[detail::as_size(room)];  // after/before of Y to U
  bool scaled_before;                                       // some before is not 1
};

template <class Target, class T>
using elimination_in =
    elimination<T, Target::template tile<T>.columns, Target::vector_bytes / sizeof(real_t<T>)>;

/// A panel and its workspace, laid out by place_panel.
template <class T>
struct cholesky_panel {
  matrix_view<T> A;
  real_t<T>* packed;
  index_t micro_stride;
  std::byte* eliminations;

  packed_rows<T> rows() const { return {packed, micro_stride, A.cols()}; }
};

/// Bytes of workspace for a panel; a multiple of its alignment, 64.
template <class Target, class T>
constexpr std::size_t panel_bytes(index_t rows, index_t cols) {
  const index_t packed = count_micro_panels<Target, T>(rows) * micro_stride<Target, T>(cols);
  const index_t blocks = (cols + elimination_block - 1) / elimination_block;
  return (static_cast<std::size_t>(packed) * sizeof(real_t<T>) + 63) / 64 * 64 +
         static_cast<std::size_t>(blocks) * sizeof(elimination_in<Target, T>);
}

/// The panel in the first `cols` columns of A, all rows, with panel_bytes of memory.
template <class Target, class T>
cholesky_panel<T> place_panel(Target, matrix_view<T> A, index_t cols, std::byte* memory) {
  const index_t stride = micro_stride<Target, T>(cols);
  const index_t packed =
      count_micro_panels<Target, T>(A.rows()) * stride * static_cast<index_t>(sizeof(real_t<T>));
  return {A.block(0, 0, A.rows(), cols), reinterpret_cast<real_t<T>*>(memory), stride,
          memory + (packed + 63) / 64 * 64};
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/cholesky/tile.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/cholesky/diagonal.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/cholesky/scalars.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/cholesky/diagonal_exactly.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/cholesky/rows.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/cholesky/panel.inl"
  #include "trifac/engine/simd/isa/each.inl"

#endif
