#pragma once
// The verbs of tournaments on a device: games, winners, the verdict on a panel.

#include <algorithm>
#include <span>

#include "trifac/backend/device/lu_ahead.hpp"
#include "trifac/kernel/tournament.hpp"
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

/// The verbs of a tournament; see backend.hpp for their equations.
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

  void play(const tournament_round<T, memory>& round) {
    const index_t most = (round.units + round.games - 1) / round.games * round.unit;
    const index_t b = round.panel.cols();
    const view &A = round.panel, &root = round.copies;
    const int rule = round.scales.empty() ? plain_rule : scaled_rule;
    const int listed = !round.candidates.empty();
    const handle candidates = listed ? round.candidates.memory : round.order.memory;
    const extent groups{static_cast<std::size_t>(round.games)};
    const index_t height = base::panel_height(most), columns = b + kernel::panel_cols_beyond;
    base::template reserve<T>(this->panel_, round.games * height * columns);
    base::template reserve<T>(this->step_, round.games * kernel::panel_cols_beyond * columns);
    base::template reserve<real_t<T>>(scales_, round.games * height);
    base::template reserve<index_t>(exchanges_, round.games * b);
    launch_tournament("play", groups, this->panel_items(), A.memory(), A.offset(), A.row_stride(),
                      A.col_stride(), static_cast<int>(b), listed, candidates,
                      round.candidates.offset, round.winners.memory, round.winners.offset,
                      round.order.memory, round.games, round.units, round.unit, rule,
                      this->panel_.get(), static_cast<int>(height), this->step_.get(),
                      scales_.get(), exchanges_.get(), root.memory(), root.offset(),
                      root.row_stride(), root.col_stride(), this->state());
  }
  void adopt_winners(indices winners, index_t first, spans, indices places) {
    launch_tournament("adopt_winners", {}, this->line(places.count / 2), winners.memory,
                      winners.offset, static_cast<int>(winners.count), first, places.count / 2,
                      this->interchanges_, places.memory, this->state());
  }
  void judge(view A11, view A21, double limit) {
    const index_t rows = A11.rows() + A21.rows();
    const extent items = this->line(rows);
    launch_tournament("judge", {base::parts_of(rows, base::index_of(items.x))}, items, A11.memory(),
                      A11.offset(), A21.memory(), A21.offset(), A21.rows(),
                      static_cast<int>(A11.cols()), A11.row_stride(), A11.col_stride(),
                      static_cast<real_t<T>>(limit), this->state());
  }
  void settle_fallback() { launch_tournament("settle_fallback", {}, {}, this->state()); }

 protected:
  static constexpr int no_pivoting = 0, plain_rule = 1,
                       scaled_rule = 2;  // kernel/lu_panel_pivots.hpp

  extent panel_items() const { return {static_cast<std::size_t>(this->shape().diagonal_items)}; }

 private:
  // A program of its own, so that only what a factorization uses gets compiled.
  template <class... Arguments>
  void launch_tournament(const char* kernel_name, extent groups, extent items,
                         const Arguments&... arguments) {
    if (!tournament_)
      tournament_ = &this->load_tiled("tournament", {kernel::lu_pivot, kernel::lu_panel_pivots,
                                                     kernel::lu_panel, kernel::tournament});
    this->enqueue(*tournament_, kernel_name, groups, items, arguments...);
  }

  typename Runtime::program* tournament_ = nullptr;
  scratch scales_, exchanges_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
