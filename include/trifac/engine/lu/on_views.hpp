#pragma once
// LU by block operations on views: for any scalar type and any backend.

#include <span>

#include "trifac/engine/lu/blocked.hpp"
#include "trifac/engine/lu/four_block.hpp"
#include "trifac/engine/lu/options.hpp"
#include "trifac/engine/panel/plain_lu.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// P·A = L·U; t: of tournaments.
template <class On, class View, class Tournament>
void lu_on_views(On& on, View A, std::span<index_t> interchanges, index_t block, pivoting how,
                 index_t base, const Tournament& t) {
  if (how == pivoting::none) return lu_four_block(on, A, block);
  const auto* const by_tournament = how == pivoting::tournament ? &t : nullptr;
  lu_blocked(on, plain_lu_panel(A, interchanges, block, base, by_tournament));
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
