#pragma once
// The rounds of a tournament on a device: their groups and their memory.

#include "trifac/engine/device/lu_tournament.hpp"
#include "trifac/engine/lu/plan.hpp"
#include "trifac/engine/panel/tournament.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// For panels of b columns of a matrix with m rows; allocates nothing if m = 0.
template <class Runtime, class T>
class lu_rounds {
 public:
  using parts = lu_tournament<Runtime, T>;
  using memory = typename parts::memory;

  /// Default groups are as large as registers allow; model: docs/cuda.md.
  lu_rounds(session<Runtime>& s, const tile_shape& shape, index_t m, index_t b,
            const lu_options& options)
      : elements_(s.borrow(static_cast<std::uint64_t>((m + b) * b * (m > 0)) * sizeof(T))),
        numbers_(s.borrow(static_cast<std::uint64_t>(4 * m) * sizeof(index_t))),
        tournament_{.leaves = options.leaves,
                    .arity = options.arity,
                    .max_l = trifac::detail::finite_max_l<T>(options),
                    .copies = {elements_.get(), 0, m, b, 1, m},
                    .root = {elements_.get(), m * b, b, b, 1, b},
                    .rows = {numbers_.get(), 2 * m, 2 * m},
                    .order = {numbers_.get(), 0, 2 * m},
                    .scaled = options.selection == selection::scaled,
                    .scales = {options.selection}} {
    const index_t held = parts::held_rows(shape);
    if (options.leaves > 0 || held < 2 * b) return;
    tournament_.most_rows = held;
    if (options.arity == 0) tournament_.arity = held / b;
  }
  const tournament<T, memory>& get() const { return tournament_; }

 private:
  typename session<Runtime>::scratch elements_, numbers_;
  tournament<T, memory> tournament_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device
