#pragma once
// Tournaments on a device: local LUs, interchanges from candidates, the check of growth.

#include "trifac/engine/blas/tournament_round.hpp"
#include "trifac/engine/device/lu_panels.hpp"
#include "trifac/engine/kernel/local_lu.hpp"
#include "trifac/engine/kernel/local_lu_registers.hpp"
#include "trifac/engine/kernel/tournament.hpp"
#include "trifac/engine/lu/options.hpp"

namespace trifac::device {

/// The memory of a tournament on a device. lu_tournament holds the scales.
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

template <class Runtime, class T>
class lu_tournament {
 public:
  using on_type = launcher<Runtime, T>;
  using memory = device_memory<T, typename on_type::handle>;
  using indices = typename memory::indices;
  using view = typename on_type::view;

  explicit lu_tournament(const on_type& on)
      : on_(on),
        kernels_(
            on, "tournament",
            {kernel::lu_pivot, kernel::lu_search, kernel::local_lu_registers, kernel::tournament}),
        in_memory_(on, "local_lu",
                   {kernel::lu_pivot, kernel::lu_search, kernel::lu_panel_pivots, kernel::lu_panel,
                    kernel::local_lu}) {}

  /// Rows of a local LU that fit in registers; 0 if items work alone.
  static index_t held_rows(const tile_shape& shape) {
    return shape.diagonal_items > 1 ? kernel::held_rows * std::min(shape.diagonal_items, 32) : 0;
  }

  /// The local LUs of a round, one per work-group.
  void local_lu(const tournament_round<T, memory>& round) {
    const index_t groups = round.groups, b = round.panel.cols();
    const index_t rows = (round.units + groups - 1) / groups * round.unit;
    const pivot_rule rule = round.scales.empty() ? pivot_rule::plain : pivot_rule::scaled;
    const bool listed = !round.candidates.empty();
    const kernel::ROUND shape{groups, round.units, round.unit, listed, static_cast<int>(rule)};
    const indices candidates = listed ? round.candidates : round.order;
    const extent all{static_cast<std::size_t>(groups)},
        items{static_cast<std::size_t>(on_.shape().diagonal_items)};
    if (const index_t held = held_rows(on_.shape()); rows <= held) {
      on_.template reserve<T>(columns_, groups * held * b);
      kernels_.launch("local_lu_held", all, items, round.panel, shape, candidates, round.chosen,
                      columns_, round.copies);
      return;
    }
    memory_.reserve(on_, rows, b, groups);
    on_.template reserve<real_t<T>>(scales_, groups * memory_.rows());
    on_.template reserve<index_t>(exchanges_, groups * b);
    in_memory_.launch("local_lu", all, items, round.panel, shape, candidates, round.chosen,
                      round.order.memory, memory_.elements, memory_.height(), memory_.step, scales_,
                      exchanges_, round.copies);
  }
  /// The interchanges that move the chosen rows to rows first, first + 1, …
  void interchanges_from_candidates(indices chosen, index_t first, indices places,
                                    const lu_interchanges<Runtime, T>& interchanges) {
    kernels_.launch("interchanges_from_candidates", {}, on_.line(chosen.count), chosen,
                    static_cast<int>(chosen.count), first, interchanges.get(), places.memory);
  }
  /// Requests a fallback if a pivot is zero or not finite or an |l_ij| exceeds the limit.
  void check_growth(view A11, view A21, double limit) {
    const index_t rows = A11.rows() + A21.rows();
    kernels_.launch("check_growth", on_.lines(rows), on_.line(rows), A11, A21,
                    static_cast<real_t<T>>(limit));
  }
  void end_fallback() { kernels_.launch("end_fallback", {}, {}); }

 private:
  const on_type& on_;
  lazy_program<Runtime, T> kernels_, in_memory_;
  packed_panel<Runtime, T> memory_;
  typename on_type::scratch columns_, scales_, exchanges_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
