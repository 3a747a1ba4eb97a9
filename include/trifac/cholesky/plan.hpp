#pragma once
// cholesky_workspace_bytes(), and the block sizes from which it follows.

#include <cstddef>

#include "trifac/cholesky/options.hpp"
#include "trifac/detail/min_max.hpp"
#include "trifac/detail/workspace.hpp"
#include "trifac/panel/packed_cholesky.hpp"
#include "trifac/variant.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

namespace detail {

inline constexpr index_t default_cholesky_block = 64;

/// Variants that pack panels: on the types with kernels `best` is `packed`.
template <variant V, class T>
inline constexpr bool packs_cholesky =
    (V == variant::best || V == variant::packed) && simd::has_kernels<T>;

/// Smallest order that is divided into panels at all: two of half its columns need no more memory
/// than one of all.
inline constexpr index_t divided_order = 256;

/// What the width of packed panels depends on besides the order. The factor has the same bits for
/// every width.
struct panel_use {
  bool looks_ahead = false;     ///< a team, which has two panels at a time
  bool parts_of_lines = false;  ///< a tile takes only a part of a cache line from each row
};

/// Columns of a packed panel. A team: a third, since each panel is handed over between cores, but no
/// more than nobody waits long for. One thread: all up to order 640, then 384, with which strips of
/// the panel and a group of its rows still share a second-level cache; at most 128 up to order 512
/// where lines are needed again for the next tile.
constexpr index_t packed_cholesky_block(index_t n, const cholesky_options& options,
                                        panel_use use = {}) {
  const index_t unit = simd::panel_unit;
  if (options.block > 0) return (detail::min(options.block, n) + unit - 1) / unit * unit;
  if (n < divided_order) return detail::max(n, unit);
  if (use.looks_ahead) return detail::clamp<index_t>(n / 3 / 32 * 32, 64, n < 1536 ? 192 : 320);
  if (n <= 512 && use.parts_of_lines) return 128;
  return n <= 640 ? n : 384;
}

/// Bytes for the panels of cholesky_packed, for any use.
template <class T>
constexpr std::size_t packed_cholesky_bytes(index_t n, const cholesky_options& options) {
  const auto bytes = [&](panel_use use) {
    const index_t block = packed_cholesky_block(n, options, use);
    const std::size_t panel = simd::most_panel_bytes<T>(n, detail::min(block, n));
    return block < n && use.looks_ahead ? 2 * panel : panel;
  };
  return detail::max(bytes({}),
                     detail::max(bytes({.looks_ahead = true}), bytes({.parts_of_lines = true})));
}

}  // namespace detail

/// Bytes of workspace that cholesky<V> needs for order n with these options; 0 where it needs none.
/// The packed variant, which `best` is for s, d, c, z: about n² elements up to n = 640, then up to
/// 640·n, and none as long as 144 KiB on the stack suffice (n ≤ 128 for double) or the backend
/// packs no panels.
template <class T, variant V = variant::best>
constexpr std::size_t cholesky_workspace_bytes(index_t n, const cholesky_options& given = {}) {
  if (n <= 0) return 0;
  const auto options = detail::tuned<T, V == variant::best, factorization::cholesky>(given, n);
  if constexpr (detail::packs_cholesky<V, T>) {
    const std::size_t bytes = detail::packed_cholesky_bytes<T>(n, options);
    return bytes <= simd::panel_bytes_on_stack ? 0 : bytes + detail::workspace_alignment;
  }
  return V == variant::crout_distributed_sum
             ? detail::scratch_bytes<real_t<T>>(n) + detail::workspace_alignment
             : 0;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
