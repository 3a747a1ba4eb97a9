#pragma once
// lu_workspace_bytes(), and the block sizes and groups of a tournament from which it follows.

#include <cstddef>

#include "trifac/detail/min_max.hpp"
#include "trifac/detail/workspace.hpp"
#include "trifac/lu/options.hpp"
#include "trifac/simd/isa/isa.hpp"
#include "trifac/simd/lu/memory.hpp"
#include "trifac/variant.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

inline constexpr index_t default_lu_block = 64;
inline constexpr index_t lu_panel_base = 8;

inline index_t lu_block(index_t m, index_t n, const lu_options& options) {
  const index_t block = options.block > 0 ? options.block : default_lu_block;
  return detail::max<index_t>(1, detail::min(block, detail::min(m, n)));
}

/// Variants that pack panels, on the types with kernels.
template <variant V, class T>
inline constexpr bool packs_lu =
    (V == variant::best || V == variant::packed) && simd::has_kernels<T>;

/// Columns of a packed panel: all of them while the matrix fits a second-level cache or has few,
/// else as many as keep the panel's share of the work small.
constexpr index_t packed_lu_block(index_t m, index_t n, const lu_options& options) {
  constexpr index_t unit = simd::base_columns, widest = simd::widest_block;
  const index_t steps = detail::min(m, n), whole = detail::max<index_t>(unit, steps / unit * unit);
  if (options.block > 0) return options.block >= n ? n : detail::min(options.block, widest);
  // A tournament of one group is partial pivoting to the last bit.
  const bool plays = options.pivoting == pivoting::tournament && options.leaves != 1;
  if (plays && options.leaves > 0) return detail::min<index_t>(whole, 64);
  if (n <= 64 || (n <= 448 && m <= 1024)) return n;
  if (plays)  // wide panels play fewer games, and groups of at least four times their width
    return detail::min<index_t>(whole, steps < 1280 ? 64 : steps < 3000 ? 256 : 224);
  // Narrow ones where the team would wait for the panel.
  return detail::min<index_t>(whole, steps < 1000   ? 64
                                     : steps < 1536 ? 96
                                     : steps < 3000 ? 192
                                                    : 256);
}

/// Partial pivoting, and tournaments by size: scaled games run on the plain verbs.
constexpr bool packs_pivoting(const lu_options& options) {
  return options.pivoting == pivoting::partial ||
         (options.pivoting == pivoting::tournament && options.selection == selection::plain);
}

/// The memory of a packed factorization: its panels and, for a tournament, the games, with the rows
/// that play.
template <class T>
struct packed_lu_layout {
  index_t m, n, block, width;  ///< width: of the first panel, not more than m
  index_t slots = 0, game_rows = 0;

  constexpr packed_lu_layout(index_t rows, index_t cols, const lu_options& options)
      : m(rows),
        n(cols),
        block(packed_lu_block(rows, cols, options)),
        width(detail::min(block, detail::min(rows, cols))) {
    if (options.pivoting != pivoting::tournament) return;
    // The first panel has the most groups. Later ones have groups of less than twice the size that
    // groups are meant to have, or of less than 2·width rows.
    const index_t leaf = detail::max<index_t>(512, 4 * width);
    const index_t leaves = detail::clamp<index_t>(options.leaves > 0 ? options.leaves : m / leaf, 1,
                                                  detail::max<index_t>(1, m / width));
    const index_t first =
        options.leaves > 0 ? detail::max((m + leaves - 1) / leaves, 2 * width) : 2 * leaf;
    const index_t later = width * (options.arity > 0 ? detail::min(options.arity, leaves) : leaves);
    game_rows = detail::min(m, detail::max(first, later));
    slots = leaves > 1 ? detail::min(leaves, simd::tournament_memory<T>::most_slots) : 0;
  }
  constexpr std::size_t bytes() const {
    return simd::lu_panels_bytes<T>(m, n, block) +
           (slots == 0 ? 0
                       : simd::tournament_memory<T>::bytes(slots, game_rows, width) +
                             2 * scratch_bytes<index_t>(2 * m));
  }
};

/// Panels up to this size are on the stack: n ≤ 128 for double.
inline constexpr std::size_t lu_bytes_on_stack = 192 << 10;

}  // namespace detail

/// Bytes of workspace that lu<V> needs for an m×n matrix with these options: O(m·block), and 0
/// where 192 KiB on the stack suffice (n ≤ 128 for double; row-major storage takes as much again for
/// rows of U) or the variant needs none. Products that are not part of a packed panel (recursive,
/// four_block, scaled selection, no pivoting) pack their operands in memory of their own, which the
/// thread keeps, too; without it they are slower, with the same bits. On a backend that packs no
/// panels `best` and `packed` need what `right_looking` does.
template <class T, variant V = variant::best>
constexpr std::size_t lu_workspace_bytes(index_t m, index_t n, const lu_options& given = {}) {
  if (m <= 0 || n <= 0) return 0;
  const auto options =
      detail::tuned<T, V == variant::best, factorization::lu>(given, detail::min(m, n));
  if constexpr (detail::packs_lu<V, T>) {
    if (detail::packs_pivoting(options)) {
      const std::size_t bytes = detail::packed_lu_layout<T>(m, n, options).bytes();
      return bytes <= detail::lu_bytes_on_stack ? 0 : bytes + detail::workspace_alignment;
    }
  }
  if (options.pivoting != pivoting::tournament) return 0;
  const index_t b = detail::lu_block(m, n, options);
  const index_t scales = options.selection == selection::scaled ? m : 0;
  return detail::scratch_bytes<T>(m * b) + detail::scratch_bytes<T>(b * b) +
         2 * detail::scratch_bytes<index_t>(2 * m) + detail::scratch_bytes<real_t<T>>(scales) +
         detail::workspace_alignment;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
