#pragma once
// The plan of an LU factorization: the only place that decides how a matrix is factored. With it
// lu_workspace_bytes().

#include <cstddef>
#include <limits>
#include <type_traits>

#include "trifac/backend.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/base/variant.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/lu/options.hpp"
#include "trifac/engine/panel/tournament.hpp"
#include "trifac/engine/simd/core/small_kernels.hpp"
#include "trifac/engine/simd/lu/memory.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

using simd::lu_kernel;

/// Columns of a plain panel where none are asked for, and those at which its recursion ends: at
/// n = 1000 panels of 32 cost 1 % more, of 128 4 %; recursion to 4 columns 8 %, to 16 17 %.
inline constexpr index_t default_lu_block = 64;
inline constexpr index_t lu_panel_base = 8;

/// Panels up to this size are on the stack: n ≤ 128 for double.
inline constexpr std::size_t lu_bytes_on_stack = 192 << 10;

struct lu_plan {
  lu_kernel kernel = lu_kernel::blocks;
  index_t block = 0;                ///< columns of a panel
  index_t width = 0;                ///< of the first panel, not more than rows
  index_t slots = 0;                ///< packed: local LUs that have memory; 0: partial pivoting
  index_t group_rows = 0;           ///< packed: most rows of a local LU
  std::size_t bytes = 0;            ///< of workspace; 0 where the stack has room or none is needed
  double flops = threads_as_asked;  ///< for run(); of best m·n·min(m, n), more than LU takes
};

/// Variants that pack panels, on the types with kernels.
template <variant V, class T>
inline constexpr bool packs_lu =
    (V == variant::best || V == variant::packed) && simd::has_kernels<T>;

/// Columns of a plain panel.
constexpr index_t lu_block(index_t m, index_t n, const lu_options& options) {
  const index_t block = options.block > 0 ? options.block : default_lu_block;
  return detail::max<index_t>(1, detail::min(block, detail::min(m, n)));
}

/// Largest order that is factored as one panel; special path lu-one-packed-panel. From here on the
/// product of a step, whose operands are packed, outweighs their packing.
template <class T>
inline constexpr index_t one_packed_panel = is_complex<T> ? 120 : 256;

/// Columns of a packed panel: all of them while the matrix is small or has few.
template <class T>
constexpr index_t packed_lu_block(index_t m, index_t n, const lu_options& options) {
  constexpr index_t unit = simd::base_columns, widest = simd::widest_block;
  const index_t steps = detail::min(m, n), whole = detail::max<index_t>(unit, steps / unit * unit);
  // A tournament of one group is partial pivoting to the last bit, but for scaled selection, which
  // needs as many rows as columns even there.
  const bool scaled =
                 options.pivoting == pivoting::tournament && options.selection == selection::scaled,
             is_tournament =
                 options.pivoting == pivoting::tournament && (scaled || options.leaves != 1);
  const index_t most = scaled ? detail::min(steps, widest) : widest;
  if (options.block > 0) return detail::min(detail::min(options.block, n), most);
  if (!(is_tournament && (scaled || options.leaves > 0)) &&
      (n <= 64 || (n <= one_packed_panel<T> && m <= 1024)))
    return n;
  // Wider panels mean fewer passes over what is on their right, which pays while that is not in a
  // cache. A team waits for its panel, the longer the wider it is: docs/cores.md has the model. A
  // tournament factors its panel twice.
  const index_t width = is_tournament || steps <= 512 ? 64
                        : steps < 2048                ? 96
                        : steps < 8192                ? 128
                                                      : 192;
  return detail::min(detail::min(whole, width), most);
}

/// options.max_l, at most the largest finite number of T.
template <class T>
constexpr double finite_max_l(const lu_options& options) {
  using limits = std::numeric_limits<real_t<T>>;
  if constexpr (std::is_same_v<real_t<T>, float>)
    return detail::min(options.max_l, static_cast<double>(limits::max()));
  else
    return detail::min(options.max_l, std::numeric_limits<double>::max());
}

/// The tournament that the options ask for, still without memory.
template <class T>
constexpr tournament<T> tournament_of(const lu_options& options) {
  tournament<T> t;
  t.leaves = options.leaves;
  t.arity = options.arity;
  t.max_l = finite_max_l<T>(options);
  t.scaled = options.selection == selection::scaled;
  return t;
}

/// Packed panels and, for a tournament, the memory of its local LUs.
template <class T>
constexpr void plan_packed_panels(lu_plan& plan, index_t m, index_t n, const lu_options& options) {
  plan.kernel = lu_kernel::panels;
  plan.block = packed_lu_block<T>(m, n, options);
  const index_t width = plan.width = detail::min(plan.block, detail::min(m, n));
  std::size_t bytes = simd::lu_panels_bytes<T>(m, n, plan.block);
  if (options.pivoting == pivoting::tournament) {
    // Of the first panel, and of a narrower last one, which may have more groups. They are of less
    // than twice the size that groups are meant to have, or of less than 2·width rows.
    const auto t = tournament_of<T>(options);
    const index_t leaves = t.groups(m, width), narrow = detail::min(m, n) % width;
    const index_t first = options.leaves > 0 ? detail::max((m + leaves - 1) / leaves, 2 * width)
                                             : 2 * tournament<T>::group_rows(width);
    const auto candidates = [&](index_t groups, index_t b) {
      return b * (options.arity > 0 ? detail::min(options.arity, groups) : groups);
    };
    const index_t later = detail::max(candidates(leaves, width),
                                      narrow > 0 ? candidates(t.groups(m, narrow), narrow) : 0);
    plan.group_rows = detail::min(m, detail::max(first, later));
    if (leaves > 1 || t.scaled)
      plan.slots = detail::min(leaves, simd::tournament_memory<T>::most_slots);
    if (plan.slots > 0)
      bytes += simd::tournament_memory<T>::bytes(plan.slots, plan.group_rows, width) +
               2 * scratch_bytes<index_t>(2 * m);
  }
  plan.bytes = bytes <= lu_bytes_on_stack ? 0 : bytes + workspace_alignment;
}

/// The plan for an m×n matrix, not empty. The options are those that a profile has tuned; of `set`
/// nothing but the kernel depends.
template <class T, variant V>
constexpr lu_plan plan_lu(index_t m, index_t n, const lu_options& options,
                          const backend_facts& facts, simd::isa set) {
  lu_plan plan;
  if (V == variant::best && facts.has_small_path && options.block == 0 &&
      options.pivoting != pivoting::tournament) {
    const auto best = options.pivoting == pivoting::partial ? simd::best_lu_kernel<T>(set, m, n)
                                                            : simd::best_panels_of_lu<T>(m, n);
    if (best < lu_kernel::panels) {
      plan.kernel = best;
      plan.block = n;
      plan.width = detail::min(m, n);
      return plan;
    }
  }
  if (V == variant::best)
    plan.flops =
        static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(detail::min(m, n));
  if constexpr (packs_lu<V, T>)
    if (facts.packs_panels) {
      plan_packed_panels<T>(plan, m, n, options);
      // One panel without a tournament is one thread's.
      if (plan.block >= n && plan.slots == 0) plan.flops = one_thread;
      return plan;
    }
  const index_t b = plan.block = plan.width = lu_block(m, n, options);
  if (options.pivoting != pivoting::tournament) return plan;
  const index_t scales = options.selection == selection::scaled ? m : 0;
  plan.bytes = scratch_bytes<T>(m * b) + scratch_bytes<T>(b * b) +
               2 * scratch_bytes<index_t>(2 * m) + scratch_bytes<real_t<T>>(scales) +
               workspace_alignment;
  return plan;
}

}  // namespace detail

/// Bytes of workspace that lu<V> needs for an m×n matrix with these options: O(m·block), and 0
/// where 192 KiB on the stack suffice (a square matrix of double up to n = 128) or the variant
/// needs none. Products that are not part of a packed panel (recursive, four_block) pack their
/// operands in memory of their own, which the thread keeps, too; without it they are slower, with
/// the same bits. On a backend that packs no panels `best` and `packed` need what `right_looking`
/// does. The largest std::size_t for a size of which no memory has room.
template <class T, variant V = variant::best>
constexpr std::size_t lu_workspace_bytes(index_t m, index_t n, const lu_options& given = {}) {
  if (m <= 0 || n <= 0) return 0;
  if (!detail::fits_memory<T>(m, n)) return detail::no_such_memory;
  const auto options =
      detail::tuned<T, V == variant::best, factorization::lu>(given, detail::min(m, n));
  return detail::plan_lu<T, V>(m, n, options, {}, simd::isa{}).bytes;
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
