#pragma once
// The blocks of LU by packed panels, and its memory: of a panel, of its step, of a tournament.

#include <cstddef>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/simd/lu/interchanges.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Orders up to which a matrix is factored as one panel in a fixed piece of the stack.
inline constexpr index_t small_lu = 64;

/// Columns at which the recursion of a panel ends; the order of the diagonal blocks that are
/// inverted; columns in a micro-panel.
inline constexpr index_t base_columns = 8;

/// Most columns of a block whose rows of U are solved together, and the leading dimension of a
/// micro-panel's copy: more by a few lines, so that its columns do not fall into the same sets of
/// the cache.
inline constexpr index_t widest_block = 256;
inline constexpr index_t micro_ld = widest_block + 24;

/// Columns of a turn of a team, of which a piece has up to turns_of_piece: micro-panels of eight
/// and, in row-major storage, tiles of every type.
inline constexpr index_t column_turn = 32, row_turn = 48, turns_of_piece = 4;

/// Up to this many rows of U, the solve reads rows in their old places instead of gathering them
/// first: 4 to 12 % at orders 16 to 200 (double, AVX-512).
inline constexpr index_t most_rows_in_place = 32;

/// The next multiple of a power of two.
constexpr index_t round_up(index_t n, index_t power) {
  return (n + power - 1) & -power;
}

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
    index_t widest = base_columns;  // block; with as many columns, fewer rows have no wider ones
    for (index_t w = columns; w > base_columns; w = block_width(m, w)) {
      const index_t block = block_width(m, w);
      widest = block > widest ? block : widest;
    }
    inverses = widest * widest_packet;
    inverted = (widest + base_columns) * widest + widest_packet;
    micro_panel = micro_ld * base_columns + widest_packet;
    column = rows;
    moves = columns;
    ipiv = columns;
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
    before_copy = elements(inverses) + elements(inverted) + elements(micro_panel) +
                  elements(column) + 3 * indices(rows) + 2 * indices(moves) + indices(ipiv);
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
  template <class T>
  static constexpr std::size_t padded(index_t count) {
    return padded(sizeof(T) * static_cast<std::size_t>(count));
  }

  index_t rows, columns;
  index_t inverses = 0, inverted = 0, micro_panel = 0, column = 0, moves = 0, ipiv = 0;
  index_t copy_ld = 0, copy = 0;
  std::size_t before_copy = 0, bytes = 0;
};

/// What the columns right of a factored panel need of it, in memory of its own.
template <class T>
struct lu_step {
  index_t K;    ///< columns, rounded up to a multiple of eight
  T* inverses;  ///< L11 as inverted_blocks
  T* F;
  T* packed;  ///< L21 as packed_operand; null in row-major storage, where it is read in place
  permutation moves;
};

/// A panel whose pivot rows are known before L21: a copy of it in the making, rows interchanged,
/// padded with zeros to `rows` rows and whole micro-panels, and its U11 as solve_right reads it.
template <class T>
struct candidate_panel {
  T* copy;
  index_t ld, rows;
  permutation moves;  ///< as many as columns, rounded up to a multiple of eight
  T* U11;
  T* reciprocals;
};

/// Bytes of one lu_step for a panel of `rows` × `cols`.
template <class T>
constexpr std::size_t lu_step_bytes(index_t rows, index_t cols) {
  using memory = panel_memory;
  constexpr index_t packet = memory::widest_packet;
  const index_t K = round_up(cols, base_columns);
  return memory::padded<T>(K * packet) + memory::padded<T>((K + base_columns) * K + packet) +
         memory::padded<T>(round_up(rows, packet) * K + packet) + 2 * memory::padded<index_t>(K);
}

/// The step of a panel of `cols` columns in such memory; `packs`: L21 is packed there.
template <class T>
lu_step<T> place_lu_step(std::byte* memory, index_t rows, index_t block, index_t cols, bool packs) {
  constexpr index_t packet = panel_memory::widest_packet;
  const index_t K = round_up(block, base_columns);  // of the widest panel, for all
  lu_step<T> step;
  step.inverses = panel_memory::take<T>(memory, K * packet);
  step.F = panel_memory::take<T>(memory, (K + base_columns) * K + packet);
  T* const packed = panel_memory::take<T>(memory, round_up(rows, packet) * K + packet);
  step.packed = packs ? packed : nullptr;
  step.moves.source = panel_memory::take<index_t>(memory, K);
  step.moves.target = panel_memory::take<index_t>(memory, K);
  step.K = step.moves.count = round_up(cols, base_columns);
  return step;
}

/// Bytes for the last pass of one thread over columns of so many rows.
template <class T>
constexpr std::size_t lu_left_bytes(index_t rows) {
  return 2 * panel_memory::padded<index_t>(rows) +
         panel_memory::padded<T>(rows + panel_memory::widest_packet);
}

/// Bytes for all panels of a factorization: one that is being factored, and the steps of two, since
/// the next panel is factored while this one is still in use. The last pass reuses them.
template <class T>
constexpr std::size_t lu_panels_bytes(index_t m, index_t n, index_t block) {
  const std::size_t working = panel_memory(m, block, sizeof(T)).bytes;
  return block >= n ? working
                    : detail::max(working + 2 * lu_step_bytes<T>(m, block), lu_left_bytes<T>(m));
}

/// What the panels of a tournament need besides: memory for local LUs that run at the same time,
/// the root, and its U11 as solve_right reads it.
template <class T>
struct tournament_memory {
  static constexpr index_t most_slots = 8;

  index_t slots;      ///< local LUs that may run at the same time
  index_t most_rows;  ///< of one local LU
  matrix_view<T> root;
  T* U11;
  T* reciprocals;
  permutation moves;
  std::byte* memory;

  static constexpr std::size_t slot_bytes(index_t rows, index_t b) {
    return panel_memory(rows, b, sizeof(T)).bytes;
  }
  static constexpr std::size_t bytes(index_t slots, index_t rows, index_t b) {
    const index_t K = round_up(b, base_columns);
    using memory = panel_memory;
    return static_cast<std::size_t>(slots) * slot_bytes(rows, b) + memory::padded<T>(K * micro_ld) +
           memory::padded<T>(K) + memory::padded<T>(b * b) + 2 * memory::padded<index_t>(K);
  }
  tournament_memory(index_t count, index_t rows, index_t b, std::byte* p)
      : slots(count), most_rows(rows) {
    const index_t K = round_up(b, base_columns);
    U11 = panel_memory::take<T>(p, K * micro_ld);
    reciprocals = panel_memory::take<T>(p, K);
    root = column_major(panel_memory::take<T>(p, b * b), b, b);
    moves.source = panel_memory::take<index_t>(p, K);
    moves.target = panel_memory::take<index_t>(p, K);
    moves.count = K;
    memory = p;
  }
};

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
