#pragma once
// Which tiles a product of packed operands has, in which order: once for all instruction sets, whose
// kernels are called through tile_kernels.

#include "trifac/simd/tile.hpp"

#if TRIFAC_SIMD

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// A packed operand (tile.inl): strips of rows, `count` columns.
template <class T>
struct packed_rows {
  const real_t<T>* packed;
  index_t strip_stride;
  index_t count;
};

/// A tile of a product: C −= left·rightᴴ, or conj(left)·rightᵀ. `next` is the tile that comes after
/// it, fetched while this one is summed up. Tiles on the diagonal are one vector high.
template <class T>
struct product_tile {
  matrix_view<T> C;
  const real_t<T>* left;
  const real_t<T>* right;
  index_t strip_stride;
  index_t count;
  const T* next;
  region part = region::whole;  // of a tile on the diagonal,
  int offset = 0;               // which its first column meets in this lane
};

/// The tiles of one instruction set: at most `vectors` strips of strip_rows by `columns`, and the
/// kernels for a number of strips that next_strips gives.
template <class T>
struct tile_kernels {
  int vectors;
  index_t columns, strip_rows;
  void (*update)(const product_tile<T>&, int strips);
  void (*update_conjugate)(const product_tile<T>&, int strips);  ///< conj(left)·rightᵀ
};

/// Tiles come with these numbers of strips: all that registers hold and, below that, a few: each
/// costs time to compile.
constexpr int fewer_strips(int strips) {
  return strips == 3 ? 2 : strips > 3 ? strips / 4 : 1;
}

/// Strips in one tile of at most `most` when `left` are left: no single strip remains where two
/// tiles of two do.
constexpr int next_strips(int most, index_t left) {
  if (most == 3 && left == 4) return 2;
  int strips = most;
  while (strips > left) strips = fewer_strips(strips);
  return strips;
}

/// Rows of the right operand that stay in a second-level cache of 1 MiB while strips of the left one
/// pass by, each in the first-level cache or next to it.
template <class T>
index_t rows_at_hand(const tile_kernels<T>& kernels, index_t strip_stride) {
  constexpr index_t unit = 16;  // whole strips and tiles of every type
  const index_t bytes_of_row = strip_stride * index_t{sizeof(real_t<T>)} / kernels.strip_rows;
  const index_t rows = (index_t{256} << 10) / bytes_of_row / unit * unit;
  return rows < unit ? unit : rows;
}

/// Operands of the tile whose vectors run along strips from `strip`, and whose columns belong to the
/// rows from `row`.
template <class T>
product_tile<T> product_of(const packed_rows<T>& P, index_t strip_rows, const matrix_view<T>& C,
                           index_t strip, index_t row) {
  return {C,
          P.packed + strip * P.strip_stride,
          P.packed + row / strip_rows * P.strip_stride + row % strip_rows,
          P.strip_stride,
          P.count,
          nullptr};
}

/// C := C − P·Pᴴ in columns from … to − 1, rows first_row and below, on and under the diagonal: tiles
/// along the columns, strips of rows on the left.
template <class T>
void update_by_columns(const tile_kernels<T>& kernels, const packed_rows<T>& P,
                       const matrix_view<T>& A, index_t from, index_t to, index_t first_row) {
  const index_t n = kernels.columns, w = kernels.strip_rows;
  const index_t end = (A.rows() + w - 1) / w, at_hand = rows_at_hand(kernels, P.strip_stride);
  for (index_t left = from; left < to; left += at_hand) {
    const index_t right = left + at_hand < to ? left + at_hand : to;
    index_t bottom = (first_row > left ? first_row : left) / w;
    while (bottom < end) {
      const index_t top = bottom;
      bottom += next_strips(kernels.vectors, end - top);
      for (index_t column = left; column < right && column < bottom * w; column += n) {
        const index_t cols = to - column < n ? to - column : n;
        const bool on_diagonal = column >= top * w;
        for (index_t strip = on_diagonal ? column / w : top; strip < bottom;) {
          const bool diagonal = on_diagonal && strip == column / w;
          const int some = diagonal ? 1 : next_strips(kernels.vectors, bottom - strip);
          const index_t rows = A.rows() - strip * w;
          const auto C = A.block(strip * w, column, rows < some * w ? rows : some * w, cols);
          product_tile<T> at = product_of(P, w, C, strip, column);
          if (diagonal) {
            at.part = region::lower;
            at.offset = static_cast<int>(column % w);
          } else if (column + n < right) {
            at.next = &A(strip * w, column + n);
          }
          kernels.update(at, some);
          strip += some;
        }
      }
    }
  }
}

/// The same for row-major storage: tiles along the rows of A, which are columns of Aᵀ. Strips of
/// columns on the left, rows on the right; Aᵀ takes the conjugate product.
template <class T>
void update_by_rows(const tile_kernels<T>& kernels, const packed_rows<T>& P,
                    const matrix_view<T>& A, index_t from, index_t to, index_t first_row) {
  const index_t n = kernels.columns, w = kernels.strip_rows;
  const index_t end = (to + w - 1) / w, at_hand = rows_at_hand(kernels, P.strip_stride);
  for (index_t top = first_row > from ? first_row : from; top < A.rows(); top += at_hand) {
    const index_t bottom = top + at_hand < A.rows() ? top + at_hand : A.rows();
    index_t right = from / w;
    while (right < end && right * w < bottom) {
      const index_t left = right;
      right += next_strips(kernels.vectors, end - left);
      for (index_t row = top > left * w ? top : left * w; row < bottom; row += n) {
        const index_t rows = A.rows() - row < n ? A.rows() - row : n, diagonal = row / w;
        for (index_t strip = left; strip < right && strip <= diagonal;) {
          const bool on_diagonal = strip == diagonal;
          const index_t whole = diagonal < right ? diagonal : right;
          const int some = on_diagonal ? 1 : next_strips(kernels.vectors, whole - strip);
          const index_t cols = (on_diagonal ? A.rows() : to) - strip * w;
          const auto C = A.block(row, strip * w, rows, cols < some * w ? cols : some * w);
          product_tile<T> at = product_of(P, w, C.transposed(), strip, row);
          if (on_diagonal) {
            at.part = region::upper;
            at.offset = static_cast<int>(row % w);
          } else if (row + 2 * n <= bottom) {
            at.next = &A(row + n, strip * w);
          }
          kernels.update_conjugate(at, some);
          strip += some;
        }
      }
    }
  }
}

/// The one that suits the storage of A.
template <class T>
void subtract_square(const tile_kernels<T>& kernels, const packed_rows<T>& P,
                     const matrix_view<T>& A, index_t from, index_t to, index_t first_row) {
  if (A.col_stride() == 1 && A.row_stride() != 1)
    update_by_rows(kernels, P, A, from, to, first_row);
  else
    update_by_columns(kernels, P, A, from, to, first_row);
}

/// C −= left·rightᴴ, all of it in packed operands with the same stride.
template <class T>
void update_packed(const tile_kernels<T>& kernels, const matrix_view<T>& C,
                   const packed_rows<T>& left, const real_t<T>* right) {
  const index_t n = kernels.columns, w = kernels.strip_rows, strips = (C.rows() + w - 1) / w;
  for (index_t column = 0; column < C.cols(); column += n) {
    const index_t cols = C.cols() - column < n ? C.cols() - column : n;
    const real_t<T>* const row = right + column / w * left.strip_stride + column % w;
    for (index_t strip = 0; strip < strips;) {
      const int some = next_strips(kernels.vectors, strips - strip);
      const index_t rows = C.rows() - strip * w;
      product_tile<T> at = product_of(
          left, w, C.block(strip * w, column, rows < some * w ? rows : some * w, cols), strip, 0);
      at.right = row;
      strip += some;
      if (strip < strips)
        at.next = &C(strip * w, column);
      else if (column + 2 * n <= C.cols())
        at.next = &C(0, column + n);
      kernels.update(at, some);
    }
  }
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#endif
