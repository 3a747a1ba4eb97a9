#pragma once
// The plan of a Cholesky factorization: the only place that decides how a matrix is factored. With
// it cholesky_workspace_bytes().

#include <cstddef>

#include "trifac/backend.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/base/variant.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/cholesky/options.hpp"
#include "trifac/engine/panel/packed_cholesky.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

using simd::cholesky_kernel;

/// Columns of a plain panel where none are asked for.
inline constexpr index_t default_cholesky_block = 64;
/// Smallest order that is divided into packed panels for a team: the two panels that a team has at
/// a time, each a third of the columns at most, need no more memory than one of all.
inline constexpr index_t divided_order = 256;
/// Up to one_panel_order one thread takes one packed panel, beyond it panels of packed_block
/// columns, with which micro-panels and a group of the panel's rows share an L2 cache of 1 MiB;
/// special path cholesky-one-packed-panel. At 2000 half the columns cost 1 %, twice as many 2 %
/// (Zen 4, double).
inline constexpr index_t one_panel_order = 640, packed_block = 384;
/// A team's panel is a third of the columns, as each panel is handed over between cores, but at
/// most team_block_below below team_order and team_block_from from there on, so that no thread
/// waits long for a panel.
inline constexpr index_t team_order = 1536, team_block_below = 192, team_block_from = 320;

struct cholesky_plan {
  cholesky_kernel kernel = cholesky_kernel::blocks;
  index_t block = 0;       ///< columns of a packed panel on one thread
  index_t team_block = 0;  ///< the same for a team, which has two panels at a time
  std::size_t bytes = 0;   ///< of workspace; 0 where the stack has room or nothing is needed
  double flops = threads_as_asked;  ///< for run()
};

constexpr bool is_by_elements(variant v) {
  return v == variant::banachiewicz || v == variant::crout || v == variant::crout_distributed_sum;
}

/// Variants that pack panels, on the types with kernels.
template <variant V, class T>
inline constexpr bool packs_cholesky =
    (V == variant::best || V == variant::packed) && simd::has_kernels<T>;

/// Columns of a plain panel of an n×n matrix.
constexpr index_t cholesky_block(index_t n, const cholesky_options& options) {
  return detail::min(options.block > 0 ? options.block : default_cholesky_block, n);
}

/// Columns of a packed panel of one thread. The factor has the same bits for every width.
constexpr index_t packed_cholesky_block(index_t n) {
  return n <= one_panel_order ? detail::max(n, simd::panel_unit) : packed_block;
}
/// The same of a team.
constexpr index_t team_cholesky_block(index_t n) {
  if (n < divided_order) return detail::max(n, simd::panel_unit);
  return detail::clamp<index_t>(n / 3 / 32 * 32, 64,
                                n < team_order ? team_block_below : team_block_from);
}

template <class T, variant V>
constexpr void plan_packed_panels(cholesky_plan& plan, index_t n, const cholesky_options& options) {
  plan.kernel = cholesky_kernel::panels;
  const index_t unit = simd::panel_unit;
  const index_t asked = (detail::min(options.block, n) + unit - 1) / unit * unit;
  plan.block = asked > 0 ? asked : packed_cholesky_block(n);
  plan.team_block = asked > 0 ? asked : team_cholesky_block(n);
  // One panel is one thread's.
  if (V == variant::best && plan.team_block >= n) plan.flops = one_thread;
  const auto panel = [&](index_t block) {
    return simd::most_panel_bytes<T>(n, detail::min(block, n));
  };
  const std::size_t one = panel(plan.block);
  const std::size_t two = panel(plan.team_block) * (plan.team_block < n ? 2 : 1);
  const std::size_t bytes = detail::max(one, two);
  plan.bytes = bytes <= simd::panel_bytes_on_stack ? 0 : bytes + workspace_alignment;
}

/// The plan for an n×n matrix, n > 0. The options are those that a profile has tuned.
template <class T, variant V>
constexpr cholesky_plan plan_cholesky(index_t n, const cholesky_options& options,
                                      const backend_facts& facts) {
  cholesky_plan plan;
  if constexpr (is_by_elements(V)) {
    plan.kernel = cholesky_kernel::elements;
    if (V == variant::crout_distributed_sum)
      plan.bytes = scratch_bytes<real_t<T>>(n) + workspace_alignment;
    return plan;
  }
  if (V == variant::best && facts.has_small_path && options.block == 0)
    if (const auto best = simd::best_cholesky_kernel<T>(n); best < cholesky_kernel::panels) {
      plan.kernel = best;
      return plan;
    }
  const double order = static_cast<double>(n);
  if (V == variant::best) plan.flops = order * order * order / 3;
  if constexpr (packs_cholesky<V, T>)
    if (facts.packs_panels) plan_packed_panels<T, V>(plan, n, options);
  return plan;
}

}  // namespace detail

/// Bytes of workspace that cholesky<V> needs for order n with these options; 0 where it needs none.
/// The packed variant, which `best` is for s, d, c, z: about n² elements up to n = 640, then at
/// most 660·n, and none as long as 144 KiB on the stack suffice (n ≤ 128 for double) or the backend
/// packs no panels. The largest std::size_t for an order of which no memory has room.
template <class T, variant V = variant::best>
constexpr std::size_t cholesky_workspace_bytes(index_t n, const cholesky_options& given = {}) {
  if (n <= 0) return 0;
  if (!detail::fits_memory<T>(n, n)) return detail::no_such_memory;
  const auto options = detail::tuned<T, V == variant::best, factorization::cholesky>(given, n);
  return detail::plan_cholesky<T, V>(n, options, {}).bytes;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
