#pragma once
// Which tiles a product of packed operands has, in which order: once for all instruction sets,
// whose kernels are called through tile_kernels.

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/simd/core/tile.hpp"

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

/// The tiles of one instruction set: at most `vectors` micro-panels of micro_rows by `columns`, and
/// the kernels for a number of micro-panels that next_vectors gives.
template <class T>
struct tile_kernels {
  int vectors;
  index_t columns, micro_rows;
  tile_kernel<T> update;            ///< left·rightᴴ
  tile_kernel<T> update_conjugate;  ///< conj(left)·rightᵀ
};

/// Tiles come with these numbers of micro-panels: all that registers hold and, below that, a few:
/// each costs time to compile.
constexpr int fewer_vectors(int vectors) {
  return vectors == 3 ? 2 : vectors > 3 ? vectors / 4 : 1;
}

/// Micro-panels in one tile of at most `most` when `left` are left: no single micro-panel remains
/// where two tiles of two do.
constexpr int next_vectors(int most, index_t left) {
  if (most == 3 && left == 4) return 2;
  int some = most;
  while (some > left) some = fewer_vectors(some);
  return some;
}

/// Rows of the right operand that stay in an L2 cache of 1 MiB while micro-panels of the left one
/// pass by, each in the L1 cache or next to it.
template <class T>
index_t rows_at_hand(const tile_kernels<T>& kernels, index_t micro_stride) {
  constexpr index_t unit = 16;  // whole micro-panels and tiles of every type
  const index_t bytes_of_row = micro_stride * index_t{sizeof(real_t<T>)} / kernels.micro_rows;
  const index_t rows = (index_t{256} << 10) / bytes_of_row / unit * unit;
  return rows < unit ? unit : rows;
}

/// Operands of the tile whose vectors run along micro-panels from `micro_panel`, and whose columns
/// belong to the rows from `row`.
template <class T>
product_tile<T> product_of(const packed_rows<T>& P, index_t micro_rows, const matrix_view<T>& C,
                           index_t micro_panel, index_t row) {
  return {C, P.packed + micro_panel * P.micro_stride,
          P.packed + row / micro_rows * P.micro_stride + row % micro_rows, P.micro_stride, P.count};
}

/// Tiles of the left operand that meet a tile of the right one by turns. Where the leading
/// dimension is a multiple of a page's size, all elements of a row lie at the same place in their
/// pages: the loads of the next tile in the same rows would look like this one's stores to a
/// processor that compares places in pages, and wait.
inline constexpr index_t tiles_by_turns = 2;

/// Micro-panels of the left operand that come after those in hand, fetched in equal parts with
/// `tiles` tiles of `columns` columns.
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

/// A := A − P·Pᴴ in columns from … to − 1, rows first_row and below, on and under the diagonal:
/// tiles along the contiguous side of A. C is A, or Aᵀ where rows are contiguous: then its upper
/// triangle, and the conjugate product.
///
///          a       b       columns [a, b) of the right operand stay in the L2 cache, two
///   top    □ □ □ □ □       rows of tiles of the left one go by, and of each column of tiles both
///          □ □ □ □ □        tiles come in turn; meanwhile the next two are fetched
///   bottom
template <class T>
void subtract_square(const tile_kernels<T>& kernels, const packed_rows<T>& P,
                     const matrix_view<T>& A, index_t from, index_t to, index_t first_row) {
  const bool upper = A.runs_along_rows();
  const matrix_view<T> C = upper ? A.transposed() : A;
  const auto kernel = upper ? kernels.update_conjugate : kernels.update;
  const index_t n = kernels.columns, w = kernels.micro_rows, size = A.rows();
  const index_t first = detail::max(from, first_row), last = upper ? size : to;
  const index_t height = tiles_by_turns * kernels.vectors, ld = C.col_stride();
  const index_t end = ((upper ? to : size) + w - 1) / w;
  const index_t at_hand = rows_at_hand(kernels, P.micro_stride);
  for (index_t a = upper ? first : from; a < last; a += at_hand) {
    const index_t b = detail::min(a + at_hand, last);
    const index_t tiles = (b - a + n - 1) / n * tiles_by_turns;
    index_t top = (upper ? from : detail::max(first_row, a)) / w;
    for (index_t bottom; top < end && !(upper && top * w >= b); top = bottom) {
      bottom = detail::min(top + height, end);
      panels_ahead<T> ahead(P, bottom, detail::min(bottom + height, end), tiles, n);
      const index_t left = upper ? detail::max(a, top * w) : a;
      const index_t right = upper ? b : detail::min(b, bottom * w);
      for (index_t column = left; column < right; column += n) {
        const index_t cols = detail::min(n, last - column), diagonal = column / w;
        const index_t whole = upper ? detail::min(diagonal, bottom) : bottom;
        const index_t stop = upper ? detail::min(diagonal + 1, bottom) : bottom;
        for (index_t i = upper ? top : detail::max(diagonal, top); i < stop;) {
          const int some = i == diagonal ? 1 : next_vectors(kernels.vectors, whole - i);
          const index_t below = i + some;
          const index_t rows = detail::min(some * w, (upper && i != diagonal ? to : size) - i * w);
          product_tile<T> at = product_of(P, w, C.block(i * w, column, rows, cols), i, column);
          if (i == diagonal) {
            at.part = upper ? region::upper : region::lower;
            at.offset = static_cast<int>(column % w);
          } else if (below < whole) {
            at.ahead = ahead.with(&C(below * w, column), ld);
          } else if (column + 2 * n <= b) {
            at.ahead = ahead.with(&C(top * w, column + n), ld);
          }
          kernel(at, some);
          i = below;
        }
      }
    }
  }
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#endif
