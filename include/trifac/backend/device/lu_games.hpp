#pragma once
// The verbs of tournaments on a device: games, winners, the verdict on a panel.

#include <algorithm>
#include <span>

#include "trifac/backend/device/lu_ahead.hpp"
#include "trifac/kernel/lu_game.hpp"
#include "trifac/kernel/settle_panel.hpp"
#include "trifac/kernel/tournament.hpp"
#include "trifac/kernel/tournament_rows.hpp"
#include "trifac/lu.hpp"

namespace trifac::device {

/// A run of row numbers in device memory, with the members of std::span that a tournament uses.
template <class Handle>
struct device_indices {
  Handle memory{};
  index_t offset = 0, count = 0;

  bool empty() const { return count == 0; }
  device_indices first(std::size_t n) const { return {memory, offset, static_cast<index_t>(n)}; }
  device_indices last(std::size_t n) const {
    const auto rows = static_cast<index_t>(n);
    return {memory, offset + count - rows, rows};
  }
};

/// Where a tournament on a device keeps what it works on. The scales live with the executor.
template <class T, class Handle>
struct device_memory {
  struct scales {
    selection rule = selection::plain;
    bool empty() const { return rule == selection::plain; }
  };
  using view = device_view<T, Handle>;
  using const_view = view;
  using indices = device_indices<Handle>;
  using const_indices = indices;
};

inline namespace TRIFAC_ABI {

/// The verbs of a tournament; see backend.hpp for their equations. Games of few rows in narrow
/// panels are played in registers, others in memory.
template <class Runtime, class T>
class lu_game_verbs : public lu_ahead_verbs<Runtime, T> {
 public:
  using base = lu_ahead_verbs<Runtime, T>;
  using typename base::handle;
  using typename base::scratch;
  using typename base::view;
  using memory = device_memory<T, handle>;
  using indices = typename memory::indices;
  using spans = std::span<const index_t>;

  using base::base;

  /// The most rows of a game in registers.
  index_t rows_in_registers() const {
    return static_cast<index_t>(this->shape().diagonal_items) * kernel::game_rows<T>;
  }
  /// Whether panels of so many columns may stay in registers, all of what follows from a tournament
  /// for one being done by settle_panel.
  bool is_narrow(index_t columns) const {
    return this->shape().diagonal_items >= 64 && columns <= kernel::game_columns<T>;
  }

  void local_lu(const tournament_round<T, memory>& round) {
    const index_t most = (round.units + round.groups - 1) / round.groups * round.unit;
    const index_t b = round.panel.cols();
    const view &A = round.panel, &root = round.copies;
    const int rule = round.scales.empty() ? plain_rule : scaled_rule;
    const int listed = !round.candidates.empty();
    const handle candidates = listed ? round.candidates.memory : round.order.memory;
    const extent groups{static_cast<std::size_t>(round.groups)};
    if (is_narrow(b) && most <= rows_in_registers())
      return launch_tournament(
          "play_rows", groups, this->panel_items(), A.memory(), A.offset(), A.row_stride(),
          A.col_stride(), static_cast<int>(b), listed, candidates, round.candidates.offset,
          round.chosen.memory, round.chosen.offset, round.groups, round.units, round.unit, rule,
          root.memory(), root.offset(), root.row_stride(), root.col_stride(), this->state());
    const index_t height = base::panel_height(most), columns = b + kernel::panel_cols_beyond;
    base::template reserve<T>(this->panel_, round.groups * height * columns);
    base::template reserve<T>(this->step_, round.groups * kernel::panel_cols_beyond * columns);
    base::template reserve<real_t<T>>(scales_, round.groups * height);
    base::template reserve<index_t>(exchanges_, round.groups * b);
    launch_tournament("play", groups, this->panel_items(), A.memory(), A.offset(), A.row_stride(),
                      A.col_stride(), static_cast<int>(b), listed, candidates,
                      round.candidates.offset, round.chosen.memory, round.chosen.offset,
                      round.order.memory, round.groups, round.units, round.unit, rule,
                      this->panel_.get(), static_cast<int>(height), this->step_.get(),
                      scales_.get(), exchanges_.get(), root.memory(), root.offset(),
                      root.row_stride(), root.col_stride(), this->state());
  }
  void interchanges_from_candidates(indices winners, index_t first, spans, indices places) {
    launch_tournament("adopt_winners", {}, this->line(places.count / 2), winners.memory,
                      winners.offset, static_cast<int>(winners.count), first, places.count / 2,
                      this->interchanges_, places.memory, this->state());
  }
  void check_growth(view A11, view A21, double limit) {
    const index_t rows = A11.rows() + A21.rows();
    const extent items = this->line(rows);
    launch_tournament("judge", {base::parts_of(rows, base::index_of(items.x))}, items, A11.memory(),
                      A11.offset(), A21.memory(), A21.offset(), A21.rows(),
                      static_cast<int>(A11.cols()), A11.row_stride(), A11.col_stride(),
                      static_cast<real_t<T>>(limit), this->state());
  }
  void settle_fallback() { launch_tournament("settle_fallback", {}, {}, this->state()); }

  /// All that follows from the winners for a narrow panel, whose row 0 is row `first` of the matrix:
  /// interchanges, L21 = A21·U11⁻¹, the verdict, and partial pivoting where that asks for it.
  /// root: b×b, L11\U11; before: memory for a copy of the panel; both column-major.
  void settle_panel(view panel, index_t first, indices winners, view root, view before,
                    double limit) {
    const index_t m = panel.rows(), b = panel.cols(), height = base::panel_height(m);
    if (height > std::numeric_limits<int>::max())
      throw backend_error("a panel of more than 2^31 rows");
    launch_tournament("settle_panel", {base::parts_of(m, settle_items)},
                      {static_cast<std::size_t>(settle_items)}, panel.memory(), panel.offset(), m,
                      static_cast<int>(b), panel.row_stride(), panel.col_stride(), winners.memory,
                      winners.offset, root.memory(), root.offset(), root.col_stride(),
                      before.memory(), before.offset(), before.col_stride(),
                      static_cast<real_t<T>>(limit), first, this->interchanges_, this->state());
    const index_t columns = b + kernel::panel_cols_beyond;
    base::template reserve<T>(this->panel_, height * columns);
    base::template reserve<T>(this->step_, kernel::panel_cols_beyond * columns);
    launch_tournament("conclude_panel", {}, this->panel_items(), panel.memory(), panel.offset(),
                      static_cast<int>(m), static_cast<int>(b), panel.row_stride(),
                      panel.col_stride(), root.memory(), root.offset(), root.col_stride(),
                      before.memory(), before.offset(), before.col_stride(), this->panel_.get(),
                      static_cast<int>(height), this->step_.get(), first, this->interchanges_,
                      this->state());
  }

 protected:
  static constexpr int no_pivoting = 0, plain_rule = 1,
                       scaled_rule = 2;  // kernel/lu_panel_pivots.hpp

  extent panel_items() const { return {static_cast<std::size_t>(this->shape().diagonal_items)}; }

 private:
  static constexpr index_t settle_items = 64;  // SETTLE_ITEMS in kernel/settle_panel.hpp

  // A program of its own, so that only what a factorization uses gets compiled.
  template <class... Arguments>
  void launch_tournament(const char* kernel_name, extent groups, extent items,
                         const Arguments&... arguments) {
    if (!tournament_)
      tournament_ =
          &this->load_tiled("tournament", {kernel::lu_pivot, kernel::lu_panel_pivots,
                                           kernel::lu_panel, kernel::tournament, kernel::lu_game,
                                           kernel::tournament_rows, kernel::settle_panel});
    this->enqueue(*tournament_, kernel_name, groups, items, arguments...);
  }

  typename Runtime::program* tournament_ = nullptr;
  scratch scales_, exchanges_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
