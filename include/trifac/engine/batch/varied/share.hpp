#pragma once
// How the groups of a varied_view are shared among the threads: by cost, since one of order 64
// takes as long as hundreds of order 4.

#include <cmath>
#include <vector>

#include "trifac/engine/batch/pieces/run.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Matrices from … to−1 of a group that are worked on alike.
struct varied_work {
  std::size_t part;  ///< its number among the groups or parts of the call
  index_t from, to, lanes;
  double cost;  ///< of one matrix
};

/// In flops: to pack and unpack an element takes the time of about eight.
inline double cost_of(double flops, index_t elements) {
  return flops + 8 * static_cast<double>(elements);
}
inline double flops_of_solve(index_t n, index_t sides) {
  const double order = static_cast<double>(n);
  return 2 * order * order * static_cast<double>(sides);
}

/// work(w, from, to, memory) for parts of all works, of equal cost for each piece: run_batch on
/// slices of the total cost in place of matrices.
template <class T, Backend B, class Work>
status run_varied(const B& backend, const std::vector<varied_work>& works, std::size_t slot,
                  std::span<std::byte> given, const Work& work) {
  constexpr index_t slices = index_t{1} << 20;
  double total = 0;
  for (const varied_work& w : works) total += static_cast<double>(w.to - w.from) * w.cost;
  if (works.empty()) return {};
  return run_batch<T>(
      backend, slices, 1, total, slot, given, [&](index_t first, index_t last, std::byte* memory) {
        double before = 0;  // cost of the works in front
        for (const varied_work& w : works) {
          const index_t groups = (w.to - w.from + w.lanes - 1) / w.lanes;
          // Groups of lanes that begin in front of a slice: the same number for both its sides.
          const auto groups_until = [&](index_t slice) {
            if (slice == slices) return groups;
            const double cost = total * static_cast<double>(slice) / double{slices} - before;
            const double many = std::ceil(cost / (w.cost * static_cast<double>(w.lanes)));
            return many <= 0                             ? 0
                   : many >= static_cast<double>(groups) ? groups
                                                         : static_cast<index_t>(many);
          };
          const index_t from = w.from + groups_until(first) * w.lanes,
                        to = min(w.to, w.from + groups_until(last) * w.lanes);
          if (from < to) work(w, from, to, memory);
          before += static_cast<double>(w.to - w.from) * w.cost;
        }
      });
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
