#pragma once
// Right-looking LU with row interchanges over panels that keep packed what their right side needs.

#include <cstddef>
#include <span>

#include "trifac/detail/as_size.hpp"
#include "trifac/lu/tournament.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// P·A = L·U in place with partial pivoting; A: m×n. The next panel is factored as soon as its
/// columns are updated, while the update of the others goes on. The interchanges of later panels
/// reach the columns left of them in one last pass. With block ≥ n there is one panel and nothing
/// else.
///
/// mn² − n³/3 flops for m ≥ n. LAPACK: getrf.
template <class On, class Panel>
void lu_packed(On& on, Panel panel) {
  on.factor_packed(panel, 0);  // [A11; A21] = Pᵀ·[L11; L21]·U11
  while (!on.stopped() && panel.columns_left() > 0) {
    //     | …   …    …   |
    // A = | …  A11  A12  |    panel: L11, L21 and P; next: the first columns of A22, if it has rows
    //     | …  A21  A22  |
    const Panel next = panel.next();
    // A12 = L11⁻¹·P·A12, A22 = P·A22 − A21·A12, and next: [A22] = Pᵀ·[L22]·U22 in its columns
    on.eliminate_packed(panel, next);
    if (!next.exists()) break;
    panel = next;
  }
  on.interchange_left_packed(panel);
}

/// A panel's executor for lu_tournament_rounds.
template <class On, class Panel, class Games>
struct packed_games {
  On& on;
  const Panel& panel;
  const Games& games;
  template <class Round>
  void local_lu(const Round& round) const {
    on.local_lu_packed(panel, round, games);
  }
};

/// One panel with tournament pivoting, as lu_tournament_panel: its games, its pivot rows, L21, and
/// partial pivoting instead where a pivot is bad or some |l_ij| is larger than max_l.
template <class On, class Panel, class T, class Games>
void lu_packed_tournament(On& on, const Panel& panel, std::span<index_t> interchanges,
                          const tournament<T>& t, const Games& games) {
  const auto A = panel.view();
  const index_t rows = A.rows(), b = A.cols(), leaves = t.groups(rows, b);
  if (leaves == 1) {
    on.factor_packed(panel, panel.first());
    return;
  }
  const packed_games<On, Panel, Games> here{on, panel, games};
  const auto winners = lu_tournament_rounds(here, A, leaves, t);
  on.interchanges_from_candidates(winners, panel.first(), interchanges,
                                  t.order.first(detail::as_size(2 * rows)));
  on.start_packed(panel, games);                // P, A11 = L11\U11
  on.solve_left_packed(panel, games, t.max_l);  // L21 = P·A21·U11⁻¹, not bounded by 1
  on.finish_packed(panel, games);               // [A11; A21] = [L11\U11; L21]
}

/// Whether one thread plays a panel's tournament before the others have updated `columns` columns
/// to its right: it has the panel's own update and twice its elimination to do, which takes about as
/// long as the update of 2.5 times as many columns.
constexpr bool plays_ahead(int threads, index_t panel, index_t columns) {
  return threads > 1 && 2 * columns >= 5 * (threads - 1) * panel;
}

/// The same factorization with tournament pivoting. While the update of the other columns hides it
/// one thread plays the next panel's games; near the end, and where there are many threads, all of
/// them do that together.
template <class On, class Panel, class T, class Games>
void lu_packed(On& on, Panel panel, std::span<index_t> interchanges, const tournament<T>& t,
               const Games& games) {
  lu_packed_tournament(on, panel, interchanges, t, games);
  while (!on.stopped() && panel.columns_left() > 0) {
    const Panel next = panel.next();
    const auto factor = [&](auto& here) {
      lu_packed_tournament(here, next, interchanges, t, games);
    };
    if (plays_ahead(on.threads(), next.cols(), panel.columns_left() - next.cols())) {
      on.eliminate_packed(panel, next, factor);
    } else {
      on.eliminate_packed(panel);
      if (next.exists()) factor(on);
    }
    if (!next.exists()) break;
    panel = next;
  }
  on.interchange_left_packed(panel);
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
