#pragma once
// Row interchanges of LU in the forms that its kernels use: in sequence, as a net movement of rows,
// as bytes in registers.

#include <bit>
#include <cstdint>

#include "trifac/engine/base/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// What `count` interchanges do in the end: new row k < count is old row source[k], and old row k <
/// count has gone to target[k] (to itself where it is among the sources). No other row moves.
/// Worked example, interchanges 2, 3, 2 of the rows a b c d: they become c d a b, so source = 2, 3,
/// 0. Of the old rows 0 … 2 only row 1 is no source: target = 0, 3, 2.
struct permutation {
  index_t* source;
  index_t* target;
  index_t count;
};

/// The moves of the interchanges ipiv[0 … count−1]. row_at[i] must be i for every row, and is
/// again afterwards.
inline void permutation_of(const index_t* ipiv, index_t count, index_t* row_at,
                           permutation& moves) {
  for (index_t k = 0; k < count; ++k) {
    const index_t other = ipiv[k], row = row_at[k];
    row_at[k] = row_at[other];
    row_at[other] = row;
  }
  for (index_t k = 0; k < count; ++k) {
    moves.source[k] = row_at[k];
    moves.target[k] = k;
  }
  for (index_t k = 0; k < count; ++k) {
    const index_t place = ipiv[k], row = row_at[place];
    if (place >= count) moves.target[row] = place;
  }
  for (index_t k = 0; k < count; ++k) {
    row_at[k] = k;
    row_at[ipiv[k]] = ipiv[k];
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
/// row is at place k < 8, and where row k < 8 is. Rows are numbered below 256. Only rows that are
/// chosen move, and those of the first eight that make room for them.
struct row_places {
  static constexpr std::uint64_t in_order = 0x0706050403020100;

  std::uint64_t row_at = in_order;
  std::uint64_t place_of = in_order;

  /// Brings the row that was number `row` at the start to place k; returns where it was.
  index_t choose(index_t k, index_t row) {
    const std::uint64_t leaving = byte(row_at, k), from = present_place(row);
    set_byte(row_at, from, leaving);
    set_byte(row_at, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(row));
    set_byte(place_of, leaving, from);
    set_byte(place_of, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(k));
    return static_cast<index_t>(from);
  }

  /// Of some rows that have not been chosen, a bit for each, the one at the first place.
  std::uint64_t first_of(std::uint64_t rows) const {
    std::uint64_t first = 0;
    for (std::uint64_t least = 256; rows != 0; rows &= rows - 1) {
      const index_t row = std::countr_zero(rows);
      const std::uint64_t place = present_place(row);
      if (place < least) {
        least = place;
        first = rows & -rows;
      }
      if (row >= 8) break;  // it and those after it are at their own places
    }
    return first;
  }

  void write_moves(permutation& moves) const {
    for (index_t k = 0; k < 8; ++k) {
      const auto place = static_cast<index_t>(byte(place_of, k));
      moves.source[k] = static_cast<index_t>(byte(row_at, k));
      moves.target[k] = place < 8 ? k : place;
    }
    moves.count = 8;
  }

 private:
  std::uint64_t present_place(index_t row) const {
    const std::uint64_t first = among_first(row);
    return (byte(place_of, row & 7) & first) | (static_cast<std::uint64_t>(row) & ~first);
  }
  static std::uint64_t byte(std::uint64_t bytes, index_t i) { return bytes >> (8 * i) & 255; }
  // All ones for i < 8, else zero. By arithmetic: compilers make a branch of a comparison, and no
  // predictor knows the pivots.
  static std::uint64_t among_first(index_t i) { return static_cast<std::uint64_t>((i - 8) >> 63); }
  static void set_byte(std::uint64_t& bytes, std::uint64_t i, std::uint64_t value) {
    const std::uint64_t shift = 8 * (i & 7), inside = 255 & among_first(static_cast<index_t>(i));
    bytes = (bytes & ~(inside << shift)) | ((value & inside) << shift);
  }
};

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
