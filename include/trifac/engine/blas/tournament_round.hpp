#pragma once
// One round of a tournament, passed from the nests to an executor.

#include <span>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/scalar.hpp"

namespace trifac {

/// The types of a tournament's workspace on the host. Device executors define their own.
template <class T>
struct host_memory {
  using view = matrix_view<T>;
  using const_view = matrix_view<const T>;
  using indices = std::span<index_t>;
  using const_indices = std::span<const index_t>;
  using scales = std::span<real_t<T>>;
};

/// One round of a tournament over a panel of b columns. Its units·unit candidate rows are rows of
/// the panel (all of them, in order, if `candidates` is empty). A group is a run of whole units;
/// the b pivot candidates that the local LU of group g selects are written to chosen[g·b] …
/// chosen[g·b + b − 1] in order of elimination.
template <class T, class Memory = host_memory<T>>
struct tournament_round {
  typename Memory::const_view panel;
  typename Memory::const_indices candidates;
  typename Memory::indices chosen;
  typename Memory::indices order;  ///< one number per candidate, permuted by the local LU
  index_t groups = 1;
  index_t units = 0;
  index_t unit = 1;
  typename Memory::view copies;    ///< one row per candidate, eliminated by the local LUs; the last
                                   ///< one leaves L\U on top
  typename Memory::scales scales;  ///< one number per candidate; empty for plain selection

  /// Position of the first candidate of group g.
  index_t begin(index_t g) const { return units * g / groups * unit; }
  /// Group g's part of `order`, set to its candidate rows. On the host.
  auto candidates_of(index_t g) const {
    const index_t from = begin(g), count = begin(g + 1) - from;
    const auto rows = order.subspan(detail::as_size(from), detail::as_size(count));
    for (index_t i = 0; i < count; ++i)
      rows[detail::as_size(i)] =
          candidates.empty() ? from + i : candidates[detail::as_size(from + i)];
    return rows;
  }
};

}  // namespace trifac
