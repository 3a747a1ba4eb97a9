#pragma once
// The choice of a published variant's nest, on views of the host's memory or a device's.

#include <span>

#include "trifac/engine/cholesky/blocked.hpp"
#include "trifac/engine/cholesky/plan.hpp"
#include "trifac/engine/lu/four_block.hpp"
#include "trifac/engine/lu/on_views.hpp"
#include "trifac/engine/panel/plain_cholesky.hpp"
#include "trifac/engine/panel/recursive_lu.hpp"
#include "trifac/engine/variants/cholesky_elements.hpp"
#include "trifac/engine/variants/left_looking.hpp"
#include "trifac/engine/variants/recursive_cholesky.hpp"
#include "trifac/engine/variants/top_looking.hpp"
#include "trifac/engine/variants/unblocked.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// S is the source, L the destination, both lower triangles; for the blocked variants S has been
/// copied to L.
template <variant V, class On, class Source, class View, class R>
void run_cholesky(On& on, const Source& S, const View& L, const cholesky_options& options,
                  R* sums) {
  const index_t block = cholesky_block(L.rows(), options);
  if constexpr (V == variant::banachiewicz)
    cholesky_banachiewicz(on, S, L);
  else if constexpr (V == variant::crout)
    cholesky_crout(on, S, L, options.cutoff);
  else if constexpr (V == variant::crout_distributed_sum)
    cholesky_crout_distributed_sum(on, S, L, options.cutoff, sums);
  else if constexpr (V == variant::left_looking)
    cholesky_left_looking(on, L, block);
  else if constexpr (V == variant::top_looking)
    cholesky_top_looking(on, L, block);
  else if constexpr (V == variant::recursive)
    cholesky_recursive(on, L, 0, block);
  else if constexpr (V == variant::right_looking || V == variant::packed || V == variant::best)
    cholesky_blocked(on, plain_cholesky_panel(L, L.rows(), block));
  else
    static_assert(V == variant::best, "this variant of Cholesky has no nest here");
}

template <variant V, class On, class View, class Tournament>
void run_lu(On& on, View A, std::span<index_t> interchanges, index_t block, pivoting how,
            index_t base, const Tournament& t) {
  if constexpr (V == variant::unblocked)
    lu_unblocked(on, A);
  else if constexpr (V == variant::four_block)
    lu_four_block(on, A, block);
  else if constexpr (V == variant::recursive)
    lu_recursive(on, A, 0, A.cols(), interchanges, base);
  else if constexpr (V == variant::right_looking || V == variant::packed || V == variant::best)
    lu_on_views(on, A, interchanges, block, how, base, t);
  else
    static_assert(V == variant::best, "this variant of LU has no nest here");
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
