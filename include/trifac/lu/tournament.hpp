#pragma once
// The panel of LU with tournament pivoting: all its pivots are found by games among groups of rows
// before it is factored.

#include <span>
#include <utility>

#include "trifac/backend.hpp"
#include "trifac/detail/as_size.hpp"
#include "trifac/detail/min_max.hpp"
#include "trifac/lu/options.hpp"
#include "trifac/lu/recursive.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// How tournaments are played, and their memory. The groups depend on the shape of the panel only,
/// never on the threads.
template <class T, class Memory = host_memory<T>>
struct tournament {
  index_t leaves = 0;  ///< groups of the first round; 0: default_leaves()
  index_t arity = 0;   ///< groups that meet in one later game; 0: all of them
  double max_l = 64;   ///< a larger |l_ij| asks for partial pivoting
  selection rule = selection::plain;
  index_t base = 8;  ///< columns at which the recursion of partial pivoting ends
  typename Memory::view
      copies;  ///< m×b: the copies that games eliminate; afterwards the panel as it was
  typename Memory::view root;     ///< b×b: the factor that the last game leaves
  typename Memory::indices rows;  ///< 2m: the candidates of a round and of the next
  typename Memory::indices
      order;  ///< 2m: the order of elimination in each game; places while winners are moved
  typename Memory::scales scales;  ///< m for scaled selection, else empty

  /// Groups of about 512 rows, at least 4·b.
  static index_t default_leaves(index_t height, index_t b) {
    return detail::max<index_t>(1, height / detail::max<index_t>(512, 4 * b));
  }
  /// Groups of the first round for a height×b panel: at least b rows in each.
  index_t groups(index_t height, index_t b) const {
    const index_t wanted = leaves > 0 ? leaves : default_leaves(height, b);
    return detail::clamp<index_t>(wanted, 1, detail::max<index_t>(1, height / b));
  }
};

/// The rounds of a tournament over `panel` (rows×b) with at least b rows in each of `leaves`
/// groups. Afterwards the returned b rows of the panel are its pivot rows in order, and the top of
/// t.copies holds their factor L11\U11.
template <class On, class T, class Memory>
typename Memory::const_indices lu_tournament_rounds(On& on, typename Memory::view panel,
                                                    index_t leaves,
                                                    const tournament<T, Memory>& t) {
  const index_t rows = panel.rows(), b = panel.cols();
  auto next = t.rows.first(detail::as_size(rows)), current = t.rows.last(detail::as_size(rows));
  //  round 1: `leaves` groups of rows of the panel   | · · · · | · · · · | · · · · | · · · · |
  //  round 2: b winners of each, `arity` at a table  |      b    b       |      b    b       |
  //  last:    one table                              |                b    b                 |
  //           its b winners are the pivot rows
  tournament_round<T, Memory> round{.panel = panel,
                                    .candidates = {},
                                    .chosen = next,
                                    .order = t.order,
                                    .groups = leaves,
                                    .units = rows,
                                    .unit = 1,
                                    .copies = t.copies,
                                    .scales = t.scales};
  on.local_lu(round);
  while (round.groups > 1) {
    std::swap(next, current);
    const index_t groups = round.groups;
    const index_t arity = t.arity > 1 ? detail::min(t.arity, groups) : groups;
    round.candidates = current;
    round.chosen = next;
    round.groups = (groups + arity - 1) / arity;
    round.units = groups;
    round.unit = b;
    on.local_lu(round);
  }
  return round.chosen.first(detail::as_size(b));
}

/// Columns k … k+b−1 of A from row k on := L\U, the pivot rows chosen by a tournament;
/// interchanges[k … k+b−1] is written. One group with plain selection is partial pivoting, exactly.
/// A panel in which a chosen pivot is zero or not finite, or some |l_ij| is larger than max_l (of
/// L11, too, as scaled selection does not bound it), is factored again with partial pivoting. About
/// (m−k)·b² flops more than partial pivoting. Sources: Grigori, Demmel, Xiang, CALU, SIMAX 32(4),
/// 2011; Martins, Tomás, Chaves (scaled selection).
template <class On, class T, class Memory>
void lu_tournament_panel(On& on, typename Memory::view A, index_t k, index_t b,
                         std::span<index_t> interchanges, const tournament<T, Memory>& t) {
  const index_t m = A.rows(), rows = m - k;
  const index_t leaves = t.groups(rows, b);
  if (leaves == 1 && t.rule == selection::plain) {
    lu_recursive(on, A, k, b, interchanges, t.base);
    return;
  }
  const auto panel = A.block(k, k, rows, b), A11 = A.block(k, k, b, b),
             A21 = A.block(k + b, k, rows - b, b);
  const auto winners = lu_tournament_rounds(on, panel, leaves, t);
  const auto root = t.root.block(0, 0, b, b), before = t.copies.block(0, 0, rows, b);
  on.copy(t.copies.block(0, 0, b, b), root);
  on.copy(panel, before);

  on.interchanges_from_candidates(winners, k, interchanges,
                                  t.order.first(detail::as_size(2 * rows)));
  on.swap_rows(A.block(0, k, m, b), k, k + b, interchanges);  // [A11; A21] = P·[A11; A21]
  on.copy(root, A11);                                         // A11 = L11\U11
  on.solve_right_upper(A11, A21);  // A21 = A21·U11⁻¹, not bounded by 1

  on.check_growth(A11, A21, t.max_l);
  on.fallback([&](auto& here) {
    here.copy(before, panel);
    lu_recursive(here, A, k, b, interchanges, t.base);
  });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
