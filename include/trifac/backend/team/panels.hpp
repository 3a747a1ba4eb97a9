#pragma once
// The steps on packed panels, shared among the threads of a team: cholesky_packed and lu_packed
// consist of them.

#include <algorithm>

#include "trifac/backend/serial.hpp"
#include "trifac/backend/team/team.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// One thread of a team: the steps on packed panels (simd/packed_panel.hpp and
/// simd/lu_packed_panel.hpp). A step that has a next panel goes on to factor it, while other
/// threads do the rest of the step.
class team_panels : public team_member {
 public:
  using team_member::team_member;

  // The steps of cholesky_packed. Ranges are whole tiles, so that their order does not matter.
  static constexpr bool looks_ahead = true;
  template <class Panel>
  void factor_packed(const Panel& panel, index_t first) {
    once([&] { serial_executor(outcome()).factor_packed(panel, first); });
  }
  template <class Panel>
  void solve_packed(const Panel& panel) {
    const index_t strips = panel.strips(), some = 6;
    taken((strips + some - 1) / some,
          [&](index_t i) { panel.solve(i * some, std::min(strips, (i + 1) * some)); });
  }
  /// Piece 0 is the next diagonal block, update and factorization; the others are groups of
  /// columns without that block.
  template <class Panel>
  void update_packed(const Panel& panel, const Panel& next, index_t first) {
    const index_t n = next.rows(), b = next.cols(), group = columns_at_once(n);
    taken(1 + (n + group - 1) / group, [&](index_t i) {
      if (i == 0) {
        panel.update_block(b);
        serial_executor(outcome()).factor_packed(next, first);
        return;
      }
      const index_t from = (i - 1) * group, to = std::min(n, i * group), middle = std::min(to, b);
      if (from < middle) panel.update(from, middle, b);
      if (middle < to) panel.update(std::max(from, middle), to, 0);
    });
  }

  // The steps of lu_packed.
  /// Piece 0 is the next panel: its columns first, then factor(on), its factorization.
  template <class Panel, class Factor>
  void eliminate_packed(const Panel& panel, const Panel& next, const Factor& factor) {
    const index_t n = panel.columns_left(), ahead = next.cols(), group = columns_of(panel, n);
    taken(1 + (n - ahead + group - 1) / group, [&](index_t i) {
      if (i > 0) {
        panel.eliminate(ahead + (i - 1) * group, std::min(n, ahead + i * group));
      } else if (ahead > 0) {
        panel.eliminate(0, ahead);
        serial_executor here(outcome());
        factor(here);
      }
    });
  }
  template <class Panel>
  void eliminate_packed(const Panel& panel, const Panel& next) {
    eliminate_packed(panel, next, [&](auto& here) { here.factor_packed(next, next.first()); });
  }
  template <class Panel>
  void eliminate_packed(const Panel& panel) {
    const index_t n = panel.columns_left(), group = columns_of(panel, n);
    taken((n + group - 1) / group,
          [&](index_t i) { panel.eliminate(i * group, std::min(n, (i + 1) * group)); });
  }
  template <class Panel, class Round, class Games>
  void play_packed(const Panel& panel, const Round& round, const Games& games) {
    taken(std::min(games.slots, round.games), [&](index_t slot) {
      for (index_t g = slot; g < round.games; g += games.slots) panel.play(round, g, games, slot);
    });
  }
  template <class Panel, class Games>
  void start_packed(const Panel& panel, const Games& games) {
    once([&] { fallback_flag() = !panel.start(games); });
  }
  template <class Panel, class Games>
  void solve_left_packed(const Panel& panel, const Games& games, double limit) {
    taken(panel.left_chunks(), [&](index_t i) {
      if (!fallback_flag() && !(panel.solve_left(games, i) <= limit)) fallback_flag() = true;
    });
  }
  template <class Panel, class Games>
  void finish_packed(const Panel& panel, const Games& games) {
    taken(panel.finish_pieces(), [&](index_t i) {
      if (!fallback_flag())
        panel.finish(games, i);
      else if (i == 0)
        serial_executor(outcome()).factor_packed(panel, panel.first());
    });
  }
  template <class Panel>
  void interchange_left_packed(const Panel& panel) {
    const index_t pieces = panel.left_pieces();
    taken(pieces, [&](index_t i) { panel.interchange_left(i, pieces); });
  }

 private:
  // Columns that one thread updates at a time: many groups for a balance, wide ones for the caches.
  index_t columns_at_once(index_t n) const {
    return std::clamp<index_t>(n / (4 * size()) / 16 * 16, 48, 256);
  }

  // The same for LU.
  template <class Panel>
  index_t columns_of(const Panel& panel, index_t n) const {
    return panel.piece(n / (4 * size()));
  }
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac
