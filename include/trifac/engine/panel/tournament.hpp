#pragma once
// Tournament pivoting of a panel: its pivot rows are chosen by local LU factorizations of groups of
// rows before it is factored.

#include <utility>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/blas/tournament_round.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// The options of tournaments, and their memory. The groups depend on the shape of the panel only,
/// never on the threads.
template <class T, class Memory = host_memory<T>>
struct tournament {
  index_t leaves = 0;             ///< groups of the first round; 0: of group_rows()
  index_t most_rows = 0;          ///< of a group, with leaves = 0; 0: group_rows()
  index_t arity = 0;              ///< groups whose candidates meet in a later round; 0: all of them
  double max_l = 64;              ///< a larger |l_ij| asks for partial pivoting
  typename Memory::view copies;   ///< m×b: what the local LUs eliminate
  typename Memory::view root;     ///< b×b: L11\U11 of the last round
  typename Memory::indices rows;  ///< 2m: the candidate rows of a round and of the next
  typename Memory::indices order;  ///< 2m: the order of elimination in each local LU
  bool scaled = false;             ///< the candidates are compared by |a_ij| / max_j |a_ij|
  typename Memory::scales scales;  ///< what that takes on views: m numbers

  /// Rows that a group of b columns is meant to have.
  static constexpr index_t group_rows(index_t b) { return detail::max<index_t>(512, 4 * b); }
  /// Groups of the first round for a height×b panel: at least b rows in each.
  constexpr index_t groups(index_t height, index_t b) const {
    const index_t wanted = leaves > 0      ? leaves
                           : most_rows > 0 ? (height + most_rows - 1) / most_rows
                                           : height / group_rows(b);
    return detail::clamp<index_t>(wanted, 1, detail::max<index_t>(1, height / b));
  }
};

/// The rounds of a tournament over `panel` (rows×b) with at least b rows in each of `leaves`
/// groups; local_lu(round) does all local LUs of a round. Returns the b pivot rows of the panel, in
/// order; the last local LU has left their factor L11\U11.
template <class T, class Memory, class LocalLu>
typename Memory::const_indices tournament_rounds(const typename Memory::view& panel, index_t leaves,
                                                 const tournament<T, Memory>& t, LocalLu local_lu) {
  const index_t rows = panel.rows(), b = panel.cols();
  auto next = t.rows.first(detail::as_size(rows)), current = t.rows.last(detail::as_size(rows));
  //  round 1: `leaves` groups of rows of the panel    | · · · · | · · · · | · · · · | · · · · |
  //  round 2: b candidates of each, `arity` together  |      b    b       |      b    b       |
  //  last:    one group                               |                b    b                 |
  //           its b candidates are the pivot rows
  tournament_round<T, Memory> round{.panel = panel,
                                    .candidates = {},
                                    .chosen = next,
                                    .order = t.order,
                                    .groups = leaves,
                                    .units = rows,
                                    .unit = 1,
                                    .copies = t.copies,
                                    .scales = t.scales};
  local_lu(round);
  while (round.groups > 1) {
    std::swap(next, current);
    const index_t before = round.groups;
    const index_t arity = t.arity > 1 ? detail::min(t.arity, before) : before;
    round.candidates = current;
    round.chosen = next;
    round.groups = (before + arity - 1) / arity;
    round.units = before;
    round.unit = b;
    local_lu(round);
  }
  return round.chosen.first(detail::as_size(b));
}

/// A panel := L\U with P·panel = L·U, the pivot rows chosen by a tournament. One group with plain
/// selection is partial pivoting, exactly. A panel in which a chosen pivot is zero or not finite,
/// or some |l_ij| is larger than max_l (of L11, too, as scaled selection does not bound it), is
/// factored again with partial pivoting. About m·b² flops more than partial pivoting for an m×b
/// panel. Sources: Grigori, Demmel, Xiang, CALU, SIMAX 32(4), 2011; Martins, Tomás, Chaves (scaled
/// selection).
template <class On, class Panel, class T, class Memory>
void factor_by_tournament(On& on, const Panel& panel, const tournament<T, Memory>& t) {
  const index_t leaves = t.groups(panel.rows(), panel.cols());
  if (leaves == 1 && !t.scaled) return panel.factor_partial(on);
  const auto candidates = tournament_rounds(panel.view(), leaves, t,
                                            [&](const auto& round) { panel.local_lu(on, round); });
  panel.interchange(on, candidates);  // [A11; A21] = P·[A11; A21], A11 = L11\U11
  panel.solve_left(on);  // A21 = A21·U11⁻¹, not bounded by 1: its growth is checked
  panel.finish(on);      // partial pivoting where the check fails
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
