#pragma once
// A tournament on packed panels: the memory of its local LUs, and when one thread factors ahead.

#include <cstddef>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/panel/tournament.hpp"
#include "trifac/engine/simd/lu/kernels.hpp"
#include "trifac/engine/simd/lu/memory.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

#if TRIFAC_SIMD

/// The options and rows of a tournament, and the memory of its local LUs.
template <class T>
struct packed_tournament {
  tournament<T> rules;
  tournament_memory<T> local;

  /// The local LU of group g in one of the slots of memory, each for panels of at most `block`
  /// columns; see tournament_round.
  template <class Round>
  void local_lu(isa set, const Round& round, index_t g, index_t slot, index_t block) const {
    const index_t b = round.panel.cols();
    const auto order = round.candidates_of(g);
    const bool last = round.groups == 1;
    const auto root = last ? local.root.block(0, 0, b, b) : matrix_view<T>();
    std::byte* const memory =
        local.memory + static_cast<std::size_t>(slot) * local.slot_bytes(local.most_rows, block);
    const auto choice = rules.scaled ? pivot_choice::scaled : pivot_choice::largest;
    with_isa(set, [&](auto target) {
      local_lu_of_rows(target, round.panel, choice, order.data(),
                       static_cast<index_t>(order.size()), round.chosen.data() + g * b, root,
                       memory);
    });
  }

  /// Whether L11 of the last round, b×b, has no |l_ij| above max_l: scaled selection does not bound
  /// them.
  bool root_is_bounded(index_t b) const {
    for (index_t j = 0; rules.scaled && j < b; ++j)
      for (index_t i = j + 1; i < b; ++i)
        if (!(detail::pivot_size(local.root(i, j)) <= static_cast<real_t<T>>(rules.max_l)))
          return false;
    return true;
  }

  /// The copy of a rows × cols panel in `memory`, in which it is made.
  candidate_panel<T> chosen(index_t rows, index_t cols, std::byte* memory) const {
    const panel_memory here(rows, cols, sizeof(T));
    permutation moves = local.moves;
    moves.count = cols;
    return {reinterpret_cast<T*>(memory + here.before_copy),
            here.copy_ld,
            here.rows,
            moves,
            local.U11,
            local.reciprocals};
  }
};

/// Whether one thread factors the next panel by a tournament before the others have updated
/// `columns` columns to its right: it has the panel's own update and twice its elimination to do,
/// about as long as the update of 2.5 times as many columns. Near the end, and where there are many
/// threads, all of them factor it together.
constexpr bool factors_ahead(int threads, index_t panel, index_t columns) {
  return threads > 1 && 2 * columns >= 5 * (threads - 1) * panel;
}

#else

// has_kernels<T> is false: named, but never called.
template <class T>
struct packed_tournament;

#endif

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
