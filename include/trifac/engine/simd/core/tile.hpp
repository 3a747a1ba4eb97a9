#pragma once
// Tiles of a matrix in registers: loading, storing, and the sum over packed operands that all
// blocked kernels share.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/simd/core/vector.hpp"
#include "trifac/matrix_view.hpp"

#if TRIFAC_SIMD

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Which elements of a tile belong to the matrix. For lower and upper, the diagonal meets the
/// tile's column c in lane Offset + c of its first vector.
enum class region { whole, lower, upper };

/// What comes after a tile, fetched while the tile is summed up: the next tile, and with each of
/// its columns some lines further on.
template <class T>
struct fetch_ahead {
  const T* tile = nullptr;    ///< into the L1 cache; null: nothing is fetched
  index_t ld = 0;             ///< of that tile
  const char* far = nullptr;  ///< into the L2 cache: far_lines lines,
  index_t far_step = 0;       ///< so many bytes further on with each column
  index_t far_lines = 0;
};

/// What a tile covers: `rows` × `columns`, or its part on one side of the diagonal.
struct tile_extent {
  index_t rows, columns;
  region part = region::whole;
  index_t offset = 0;

  /// move(column of C, row stride, column of the copy, first, last): the rows first … last−1 of
  /// each column that exist and belong to the tile.
  template <class T, class U, class Move>
  TRIFAC_INLINE void for_columns(const matrix_view<T>& C, U* copy, const Move& move) const {
    for (index_t c = 0; c < columns && c < C.cols(); ++c, copy += rows) {
      const index_t first = part == region::lower ? offset + c : 0,
                    last = part == region::upper ? offset + c + 1 : rows;
      move(C.data() + c * C.col_stride(), C.row_stride(), copy, first,
           detail::min(last, detail::min(rows, C.rows())));
    }
  }
};

/// Column-major copy of a tile: the elements of C that exist and belong to it, zeros for the
/// others.
template <class T>
__attribute__((noinline)) void gather_tile(T* copy, const matrix_view<T>& C,
                                           const tile_extent& tile) {
  for (index_t i = 0; i < tile.rows * tile.columns; ++i) copy[i] = T(0);
  tile.for_columns(C, copy, [](const T* c, index_t step, T* to, index_t r, index_t last) {
    for (; r < last; ++r) to[r] = c[r * step];
  });
}

/// The way back: nothing but the elements that exist and belong to the tile is written.
template <class T>
__attribute__((noinline)) void scatter_tile(const T* copy, const matrix_view<T>& C,
                                            const tile_extent& tile) {
  tile.for_columns(C, copy, [](T* c, index_t step, const T* from, index_t r, index_t last) {
    for (; r < last; ++r) c[r * step] = from[r];
  });
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/tile.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/micro_kernel.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/tile_columns.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/tile_rows.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/tile_place.inl"
  #include "trifac/engine/simd/isa/each.inl"

#endif
