#pragma once
// Row interchanges of LU in the forms that its kernels use: in sequence, as a net movement of rows,
// as bytes in registers.

#include <cstddef>
#include <cstdint>

#include "trifac/detail/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Columns at which the recursion of a panel ends; the order of the diagonal blocks that are
/// inverted; columns in a strip.
inline constexpr index_t base_columns = 8;

/// Most columns of a block whose rows of U are solved together, and the leading dimension of a
/// strip's copy: more by a few lines, so that its columns do not fall into the same sets of the
/// cache.
inline constexpr index_t widest_block = 256;
inline constexpr index_t strip_ld = widest_block + 24;

/// Up to this many rows of U, the solve reads rows where they lie instead of gathering them first.
inline constexpr index_t most_rows_in_place = 32;

/// The next multiple of a power of two.
constexpr index_t round_up(index_t n, index_t power) {
  return (n + power - 1) & -power;
}

/// The first pivot that is exactly zero and the first that is not finite, −1 where there is none.
/// Elimination goes on after a zero and stops at a pivot that is not finite.
struct pivot_faults {
  index_t zero = -1;
  index_t not_finite = -1;

  constexpr bool fatal() const { return not_finite >= 0; }
  /// Takes over the faults of a part that starts `offset` columns further on.
  constexpr void merge(const pivot_faults& part, index_t offset) {
    if (zero < 0 && part.zero >= 0) zero = part.zero + offset;
    if (not_finite < 0 && part.not_finite >= 0) not_finite = part.not_finite + offset;
  }
};

/// What `count` interchanges do in the end: new row k < count is old row source[k], and old row k <
/// count has gone to target[k] (to itself where it is among the sources). No other row moves.
/// Worked example, interchanges 2, 3, 2 of the rows a b c d: they become c d a b, so source = 2, 3,
/// 0 and target = 2, 3, 2.
struct row_moves {
  index_t* source;
  index_t* target;
  index_t count;
};

/// The moves of the interchanges sequence[0 … count−1]. row_at[i] must be i for every row, and is
/// again afterwards.
inline void net_moves(const index_t* sequence, index_t count, index_t* row_at, row_moves& moves) {
  for (index_t k = 0; k < count; ++k) {
    const index_t other = sequence[k], row = row_at[k];
    row_at[k] = row_at[other];
    row_at[other] = row;
  }
  for (index_t k = 0; k < count; ++k) {
    moves.source[k] = row_at[k];
    moves.target[k] = k;
  }
  for (index_t k = 0; k < count; ++k) {
    const index_t place = sequence[k], row = row_at[place];
    if (place >= count) moves.target[row] = place;
  }
  for (index_t k = 0; k < count; ++k) {
    row_at[k] = k;
    row_at[sequence[k]] = sequence[k];
  }
  moves.count = count;
}

/// Puts one more interchange, of rows k and other ≥ k, in front of a permutation whose first k + 1
/// rows are still in place: new row i is old row source[i], and place_of is its inverse.
inline void prepend_interchange(index_t k, index_t other, index_t* source, index_t* place_of) {
  const index_t place = place_of[other];
  source[place] = k;
  source[k] = other;
  place_of[k] = place;
  place_of[other] = k;
}

/// Follows eight interchanges in two registers of eight bytes, without branches or memory: which
/// row is at place k < 8, and where row k < 8 is. Rows are numbered below 256; a row moves only
/// when it or one of the first eight is chosen.
struct row_places {
  static constexpr std::uint64_t in_order = 0x0706050403020100;

  std::uint64_t row_at = in_order;
  std::uint64_t place_of = in_order;

  /// Brings the row that was number `row` at the start to place k; returns where it was.
  index_t choose(index_t k, index_t row) {
    const std::uint64_t leaving = byte(row_at, k);
    const std::uint64_t from = row < 8 ? byte(place_of, row & 7) : static_cast<std::uint64_t>(row);
    set_byte(row_at, from, leaving);
    set_byte(row_at, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(row));
    set_byte(place_of, leaving, from);
    set_byte(place_of, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(k));
    return static_cast<index_t>(from);
  }

  void write_moves(row_moves& moves) const {
    for (index_t k = 0; k < 8; ++k) {
      const auto place = static_cast<index_t>(byte(place_of, k));
      moves.source[k] = static_cast<index_t>(byte(row_at, k));
      moves.target[k] = place < 8 ? k : place;
    }
    moves.count = 8;
  }

 private:
  static std::uint64_t byte(std::uint64_t bytes, index_t i) { return bytes >> (8 * i) & 255; }
  static void set_byte(std::uint64_t& bytes, std::uint64_t i, std::uint64_t value) {
    const std::uint64_t shift = 8 * (i & 7), inside = i < 8 ? 255 : 0;
    bytes = (bytes & ~(inside << shift)) | ((value & inside) << shift);
  }
};

/// Columns of the blocks of a rows × columns panel. Tall panels are halved; square ones go in steps
/// that fit the caches.
constexpr index_t block_width(index_t rows, index_t columns) {
  columns = round_up(columns, base_columns);
  if (columns <= 2 * base_columns) return base_columns;
  const index_t half = round_up(columns / 2, base_columns);
  if (rows >= 2 * columns) return half < widest_block ? half : widest_block;
  return columns <= 64 ? 8 : columns <= 160 ? 16 : columns <= 256 ? 32 : 64;
}

/// Where the pieces of one panel's memory lie, the same for every instruction set.
class panel_memory {
 public:
  static constexpr index_t line = 64;           ///< bytes to which every piece is aligned
  static constexpr index_t widest_packet = 16;  ///< rows

  constexpr panel_memory(index_t m, index_t n, std::size_t element)
      : rows(round_up(m, widest_packet) + widest_packet), columns(round_up(n, base_columns)) {
    index_t widest = base_columns;  // block; a panel with fewer rows has no wider ones
    for (index_t w = columns; w > base_columns; w = block_width(m, w)) {
      const index_t block = block_width(m, w);
      widest = block > widest ? block : widest;
    }
    inverses = widest * widest_packet;
    folded = (widest + base_columns) * widest + widest_packet;
    strip = strip_ld * base_columns + widest_packet;
    column = rows;
    moves = columns;
    sequence = columns;
    // An odd number of cache lines: the columns spread over all sets of a cache.
    const index_t per_line = element == 4 ? 16 : element == 8 ? 8 : 4;
    copy_ld = round_up(rows + base_columns, per_line) | per_line;
    copy = copy_ld * columns + widest_packet;
    const auto elements = [&](index_t count) {
      return padded(element * static_cast<std::size_t>(count));
    };
    const auto indices = [&](index_t count) {
      return padded(sizeof(index_t) * static_cast<std::size_t>(count));
    };
    before_copy = elements(inverses) + elements(folded) + elements(strip) + elements(column) +
                  3 * indices(rows) + 2 * indices(moves) + indices(sequence);
    bytes = before_copy + elements(copy);
  }

  template <class T>
  static T* take(std::byte*& memory, index_t count) {
    T* piece = reinterpret_cast<T*>(memory);
    memory += padded(sizeof(T) * static_cast<std::size_t>(count));
    return piece;
  }
  static constexpr std::size_t padded(std::size_t size) {
    return static_cast<std::size_t>(round_up(static_cast<index_t>(size), line));
  }

  index_t rows, columns;
  index_t inverses = 0, folded = 0, strip = 0, column = 0, moves = 0, sequence = 0;
  index_t copy_ld = 0, copy = 0;
  std::size_t before_copy = 0, bytes = 0;
};

/// What the columns right of a factored panel need of it, in memory of its own.
template <class T>
struct lu_step {
  index_t K;    ///< columns, rounded up to a multiple of eight
  T* inverses;  ///< L11 as folded_lower
  T* F;
  T* packed;  ///< L21 as left_operand
  row_moves moves;
};

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
