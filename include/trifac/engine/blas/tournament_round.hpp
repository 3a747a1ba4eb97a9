#pragma once
// One round of a tournament, as the nests hand it to an executor.

#include <span>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/scalar.hpp"

namespace trifac {

/// The types in which a tournament keeps what it works on: on the host. Device executors bring
/// their own.
template <class T>
struct host_memory {
  using view = matrix_view<T>;
  using const_view = matrix_view<const T>;
  using indices = std::span<index_t>;
  using const_indices = std::span<const index_t>;
  using scales = std::span<real_t<T>>;
};

/// One round of a tournament over a panel of b columns. Its units·unit candidate rows are rows of
/// the panel (all of them, in order, where `candidates` is empty). Each group is a run of whole
/// units; the b pivot candidates of group g, which its local LU finds, go to chosen[g·b] …
/// chosen[g·b + b − 1] in the order of the elimination.
template <class T, class Memory = host_memory<T>>
struct tournament_round {
  typename Memory::const_view panel;
  typename Memory::const_indices candidates;
  typename Memory::indices chosen;
  typename Memory::indices order;  ///< one number for each candidate, the local LU's own order
  index_t groups = 1;
  index_t units = 0;
  index_t unit = 1;
  typename Memory::view copies;    ///< one row for each candidate: what a local LU eliminates; the
                                   ///< last one leaves L\U on top
  typename Memory::scales scales;  ///< one number for each candidate; empty for plain selection

  /// Position of the first candidate of group g.
  index_t begin(index_t g) const { return units * g / groups * unit; }
  /// The part of `order` that is group g's, := its candidate rows. On the host.
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
