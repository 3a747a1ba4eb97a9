#pragma once
// The blocks of LU by packed panels, and its memory: of a panel, of its step, of a tournament.

#include <cstddef>

#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/simd/lu/interchanges.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Columns at which the recursion of a panel ends; the order of the diagonal blocks that are
/// inverted; columns in a micro-panel.
inline constexpr index_t base_columns = 8;

/// Most columns of a block, and the leading dimension of a micro-panel's copy: more by a few lines,
/// so that its columns do not fall into the same sets of the cache.
inline constexpr index_t widest_block = 256;
inline constexpr index_t micro_ld = widest_block + 24;

/// Columns of a turn of a team, tiles of every type, and of a piece the most turns.
inline constexpr index_t turn_columns = 48, turns_of_piece = 4;

/// Up to this many rows of U, the solve reads rows in their old places instead of gathering them
/// first; special path rows-in-place.
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

/// Whether what is right of such a block in its panel is updated as right of a panel (step.inl),
/// not in place: where L21 has many rows.
constexpr bool packs_block(index_t rows, index_t columns, index_t width) {
  return width >= 64 && rows >= 2 * columns;
}

/// Pieces of a call's memory.
struct memory_pieces {
  static constexpr index_t line = 64;           ///< bytes to which every piece is aligned
  static constexpr index_t widest_packet = 16;  ///< rows

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
};

/// What the columns right of a factored panel need of it, in memory of its own: its rows as
/// micro-panels, and what its interchanges do.
template <class T>
struct lu_step {
  index_t cols;
  real_t<T>* L11;
  real_t<T>* L21;
  permutation moves;
};

/// Bytes of so many packed rows of a panel, of any instruction set: micro-panels that would meet in
/// a few sets of a cache are a line longer.
constexpr std::size_t packed_rows_bytes(index_t rows, index_t cols, std::size_t element) {
  constexpr index_t packet = memory_pieces::widest_packet;
  const std::size_t row = static_cast<std::size_t>(round_up(cols, packet)) * element + 32;
  return static_cast<std::size_t>(round_up(rows, packet)) * row;
}

/// Bytes of one lu_step for a panel of `rows` × `cols`.
constexpr std::size_t lu_step_bytes(index_t rows, index_t cols, std::size_t element) {
  return packed_rows_bytes(cols, cols, element) + packed_rows_bytes(rows, cols, element) +
         2 * memory_pieces::padded<index_t>(cols);
}

/// The step of a panel of `cols` ≤ block columns in such memory.
template <class T>
lu_step<T> place_lu_step(std::byte* memory, index_t block, index_t cols) {
  lu_step<T> step;
  step.cols = step.moves.count = cols;
  step.moves.source = memory_pieces::take<index_t>(memory, block);
  step.moves.target = memory_pieces::take<index_t>(memory, block);
  step.L11 = reinterpret_cast<real_t<T>*>(memory);
  step.L21 = reinterpret_cast<real_t<T>*>(memory + packed_rows_bytes(block, block, sizeof(T)));
  return step;
}

/// Where the pieces of one panel's memory lie, the same for every instruction set.
class panel_memory : public memory_pieces {
 public:
  constexpr panel_memory(index_t m, index_t n, std::size_t element)
      : rows(round_up(m, widest_packet) + widest_packet), columns(round_up(n, base_columns)) {
    // Of the blocks in the panel; with as many columns, fewer rows have no wider ones.
    index_t in_place = base_columns;
    for (index_t w = columns; w > base_columns; w = block_width(m, w)) {
      const index_t block = block_width(m, w);
      index_t& widest = packs_block(m, w, block) ? packed : in_place;
      widest = block > widest ? block : widest;
    }
    inverses = in_place * widest_packet;
    inverted = (in_place + base_columns) * in_place + widest_packet;
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
    step = packed > 0 ? lu_step_bytes(rows, packed, element) : 0;
    before_copy = step + elements(inverses) + elements(inverted) + elements(micro_panel) +
                  elements(column) + 3 * indices(rows) + 2 * indices(moves) + indices(ipiv);
    bytes = before_copy + elements(copy);
  }

  index_t rows, columns;
  index_t inverses = 0, inverted = 0, micro_panel = 0, column = 0, moves = 0, ipiv = 0;
  index_t packed = 0;  ///< columns of the widest block that is packed
  index_t copy_ld = 0, copy = 0;
  std::size_t step = 0, before_copy = 0, bytes = 0;
};

/// A panel whose pivot rows are known before L21: a copy of it in the making, rows interchanged,
/// padded with zeros to `rows` rows and whole micro-panels, and its U11 as solve_right reads it.
template <class T>
struct candidate_panel {
  T* copy;
  index_t ld, rows;
  permutation moves;
  T* U11;
  T* reciprocals;
};

/// Bytes for the last pass of one thread over columns of so many rows.
template <class T>
constexpr std::size_t lu_left_bytes(index_t rows) {
  return 2 * memory_pieces::padded<index_t>(rows) +
         memory_pieces::padded<T>(rows + memory_pieces::widest_packet);
}

/// Bytes for all panels of a factorization: one that is being factored, and the steps of two, since
/// the next panel is factored while this one is still in use. The last pass reuses them.
template <class T>
constexpr std::size_t lu_panels_bytes(index_t m, index_t n, index_t block) {
  const std::size_t working = panel_memory(m, block, sizeof(T)).bytes;
  return block >= n
             ? working
             : detail::max(working + 2 * lu_step_bytes(m, block, sizeof(T)), lu_left_bytes<T>(m));
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
    using memory = memory_pieces;
    return static_cast<std::size_t>(slots) * slot_bytes(rows, b) + memory::padded<T>(K * micro_ld) +
           memory::padded<T>(K) + memory::padded<T>(b * b) + 2 * memory::padded<index_t>(K);
  }
  tournament_memory(index_t count, index_t rows, index_t b, std::byte* p)
      : slots(count), most_rows(rows) {
    const index_t K = round_up(b, base_columns);
    U11 = memory_pieces::take<T>(p, K * micro_ld);
    reciprocals = memory_pieces::take<T>(p, K);
    root = column_major(memory_pieces::take<T>(p, b * b), b, b);
    moves.source = memory_pieces::take<index_t>(p, K);
    moves.target = memory_pieces::take<index_t>(p, K);
    moves.count = K;
    memory = p;
  }
};

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
