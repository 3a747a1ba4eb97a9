#pragma once
// Which tiles a product of packed operands has, in which order: once for all instruction sets, whose
// kernels are called through tile_kernels.

#include "trifac/detail/min_max.hpp"
#include "trifac/simd/core/tile.hpp"

#if TRIFAC_SIMD

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// A packed operand (tile.inl): micro-panels of rows, `count` columns.
template <class T>
struct packed_rows {
  const real_t<T>* packed;
  index_t micro_stride;
  index_t count;
};

/// A tile of a product: C −= left·rightᴴ, or conj(left)·rightᵀ. Tiles on the diagonal are one
/// vector high.
template <class T>
struct product_tile {
  matrix_view<T> C;
  const real_t<T>* left;
  const real_t<T>* right;
  index_t micro_stride;
  index_t count;
  fetch_ahead<T> ahead = {};
  region part = region::whole;  // of a tile on the diagonal,
  int offset = 0;               // which its first column meets in this lane
};

/// Takes a tile of so many micro-panels.
template <class T>
using tile_kernel = void (*)(const product_tile<T>&, int vectors);

/// The tiles of one instruction set: at most `vectors` micro-panels of micro_rows by `columns`, and the
/// kernels for a number of micro-panels that next_vectors gives.
template <class T>
struct tile_kernels {
  int vectors;
  index_t columns, micro_rows;
  tile_kernel<T> update;            ///< left·rightᴴ
  tile_kernel<T> update_conjugate;  ///< conj(left)·rightᵀ
};

/// Tiles come with these numbers of micro-panels: all that registers hold and, below that, a few: each
/// costs time to compile.
constexpr int fewer_vectors(int vectors) {
  return vectors == 3 ? 2 : vectors > 3 ? vectors / 4 : 1;
}

/// Micro-panels in one tile of at most `most` when `left` are left: no single micro-panel remains where two
/// tiles of two do.
constexpr int next_vectors(int most, index_t left) {
  if (most == 3 && left == 4) return 2;
  int some = most;
  while (some > left) some = fewer_vectors(some);
  return some;
}

/// Rows of the right operand that stay in a second-level cache of 1 MiB while micro-panels of the left one
/// pass by, each in the first-level cache or next to it.
template <class T>
index_t rows_at_hand(const tile_kernels<T>& kernels, index_t micro_stride) {
  constexpr index_t unit = 16;  // whole micro-panels and tiles of every type
  const index_t bytes_of_row = micro_stride * index_t{sizeof(real_t<T>)} / kernels.micro_rows;
  const index_t rows = (index_t{256} << 10) / bytes_of_row / unit * unit;
  return rows < unit ? unit : rows;
}

/// Operands of the tile whose vectors run along micro-panels from `micro-panel`, and whose columns belong to the
/// rows from `row`.
template <class T>
product_tile<T> product_of(const packed_rows<T>& P, index_t micro_rows, const matrix_view<T>& C,
                           index_t micro_panel, index_t row) {
  return {C, P.packed + micro_panel * P.micro_stride,
          P.packed + row / micro_rows * P.micro_stride + row % micro_rows, P.micro_stride, P.count};
}

/// Tiles of the left operand that meet a tile of the right one by turns. Where the leading dimension
/// is a multiple of a page's size, all elements of a row lie at the same place in their pages: the
/// loads of the next tile in the same rows would look like this one's stores to a processor that
/// compares places in pages, and wait.
inline constexpr index_t tiles_by_turns = 2;

/// Micro-panels of the left operand that come after those in hand, fetched in equal parts with `tiles` tiles
/// of `columns` columns.
template <class T>
class panels_ahead {
 public:
  panels_ahead(const packed_rows<T>& P, index_t from, index_t to, index_t tiles, index_t columns)
      : next_(reinterpret_cast<const char*>(P.packed + from * P.micro_stride)) {
    const index_t bytes = (to - from) * P.micro_stride * index_t{sizeof(real_t<T>)};
    lines_ = bytes / (tiles * columns * cache_line);
    step_ = lines_ * columns * cache_line;
  }
  /// With the tile at C, which follows.
  fetch_ahead<T> with(const T* C, index_t ld) {
    const char* const part = next_;
    next_ += step_;
    return {C, ld, part, lines_ * cache_line, lines_};
  }

 private:
  const char* next_;
  index_t lines_, step_;
};

/// C := C − P·Pᴴ in columns from … to − 1, rows first_row and below, on and under the diagonal:
/// tiles along the columns, micro-panels of rows on the left.
///
///        left     right      columns [left, right) of the right operand stay in the second-level
///   top   □ □ □ □ □          cache, two rows of tiles of the left one go by, and of each column of
///         □ □ □ □ □          tiles both tiles come in turn; meanwhile the next two are fetched
///   bottom
template <class T>
void update_by_columns(const tile_kernels<T>& kernels, const packed_rows<T>& P,
                       const matrix_view<T>& A, index_t from, index_t to, index_t first_row) {
  const index_t n = kernels.columns, w = kernels.micro_rows;
  const index_t height = tiles_by_turns * kernels.vectors, ld = A.col_stride();
  const index_t end = (A.rows() + w - 1) / w, at_hand = rows_at_hand(kernels, P.micro_stride);
  for (index_t left = from; left < to; left += at_hand) {
    const index_t right = detail::min(left + at_hand, to);
    const index_t tiles = (right - left + n - 1) / n * tiles_by_turns;
    for (index_t top = detail::max(first_row, left) / w, bottom; top < end; top = bottom) {
      bottom = detail::min(top + height, end);
      panels_ahead<T> ahead(P, bottom, detail::min(bottom + height, end), tiles, n);
      for (index_t column = left; column < right && column < bottom * w; column += n) {
        const index_t cols = detail::min(n, to - column);
        for (index_t micro_panel = detail::max(column / w, top); micro_panel < bottom;) {
          const bool diagonal = micro_panel == column / w;
          const int some = diagonal ? 1 : next_vectors(kernels.vectors, bottom - micro_panel);
          const index_t rows = detail::min(some * w, A.rows() - micro_panel * w);
          const auto C = A.block(micro_panel * w, column, rows, cols);
          product_tile<T> at = product_of(P, w, C, micro_panel, column);
          if (diagonal) {
            at.part = region::lower;
            at.offset = static_cast<int>(column % w);
          } else if (micro_panel + some < bottom) {
            at.ahead = ahead.with(&A((micro_panel + some) * w, column), ld);
          } else if (column + 2 * n <= right) {
            at.ahead = ahead.with(&A(top * w, column + n), ld);
          }
          kernels.update(at, some);
          micro_panel += some;
        }
      }
    }
  }
}

/// The same for row-major storage: tiles along the rows of A, which are columns of Aᵀ. Micro-panels of
/// columns on the left, rows on the right; Aᵀ takes the conjugate product.
template <class T>
void update_by_rows(const tile_kernels<T>& kernels, const packed_rows<T>& P,
                    const matrix_view<T>& A, index_t from, index_t to, index_t first_row) {
  const index_t n = kernels.columns, w = kernels.micro_rows;
  const index_t height = tiles_by_turns * kernels.vectors, ld = A.row_stride();
  const index_t end = (to + w - 1) / w, at_hand = rows_at_hand(kernels, P.micro_stride);
  for (index_t top = detail::max(first_row, from); top < A.rows(); top += at_hand) {
    const index_t bottom = detail::min(top + at_hand, A.rows());
    const index_t tiles = (bottom - top + n - 1) / n * tiles_by_turns;
    for (index_t left = from / w, right; left < end && left * w < bottom; left = right) {
      right = detail::min(left + height, end);
      panels_ahead<T> ahead(P, right, detail::min(right + height, end), tiles, n);
      for (index_t row = detail::max(top, left * w); row < bottom; row += n) {
        const index_t rows = detail::min(n, A.rows() - row), diagonal = row / w;
        for (index_t micro_panel = left; micro_panel < right && micro_panel <= diagonal;) {
          const bool on_diagonal = micro_panel == diagonal;
          const index_t whole = detail::min(diagonal, right);
          const int some = on_diagonal ? 1 : next_vectors(kernels.vectors, whole - micro_panel);
          const index_t cols =
              detail::min(some * w, (on_diagonal ? A.rows() : to) - micro_panel * w);
          const auto C = A.block(row, micro_panel * w, rows, cols);
          product_tile<T> at = product_of(P, w, C.transposed(), micro_panel, row);
          if (on_diagonal) {
            at.part = region::upper;
            at.offset = static_cast<int>(row % w);
          } else if (micro_panel + some < whole) {
            at.ahead = ahead.with(&A(row, (micro_panel + some) * w), ld);
          } else if (row + 2 * n <= bottom) {
            at.ahead = ahead.with(&A(row + n, left * w), ld);
          }
          kernels.update_conjugate(at, some);
          micro_panel += some;
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

/// C −= left·rightᴴ or conj(left)·rightᵀ, as the kernel says, all of it in packed operands with the
/// same stride.
template <class T>
void update_packed(const tile_kernels<T>& kernels, tile_kernel<T> kernel, const matrix_view<T>& C,
                   const packed_rows<T>& left, const real_t<T>* right) {
  const index_t n = kernels.columns, w = kernels.micro_rows, micro_panels = (C.rows() + w - 1) / w;
  for (index_t column = 0; column < C.cols(); column += n) {
    const index_t cols = C.cols() - column < n ? C.cols() - column : n;
    const real_t<T>* const row = right + column / w * left.micro_stride + column % w;
    for (index_t micro_panel = 0; micro_panel < micro_panels;) {
      const int some = next_vectors(kernels.vectors, micro_panels - micro_panel);
      const index_t rows = C.rows() - micro_panel * w;
      product_tile<T> at = product_of(
          left, w, C.block(micro_panel * w, column, rows < some * w ? rows : some * w, cols),
          micro_panel, 0);
      at.right = row;
      micro_panel += some;
      if (micro_panel < micro_panels)
        at.ahead = {&C(micro_panel * w, column), C.col_stride()};
      else if (column + 2 * n <= C.cols())
        at.ahead = {&C(0, column + n), C.col_stride()};
      kernel(at, some);
    }
  }
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#endif
