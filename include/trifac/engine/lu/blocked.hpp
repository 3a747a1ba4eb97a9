#pragma once
// Blocked LU with row interchanges, right-looking: what factors the matrix of every caller whose
// order is not small.

#include "trifac/engine/base/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// P·A = L·U in place; A: m×n. A panel is some columns from its diagonal block on. Its
/// class has the steps: panel/plain_lu.hpp by block operations on views (any scalar type, any
/// backend), panel/packed_lu.hpp by the CPU's kernels on packed copies; and the choice of pivots:
/// partial pivoting or a tournament (panel/tournament.hpp).
///
/// mn² − n³/3 flops for m ≥ n. LAPACK: getrf.
template <class On, class Panel>
void lu_blocked(On& on, Panel panel) {
  panel.factor(on);  // [A11; A21] = Pᵀ·[L11; L21]·U11
  while (panel.columns_right() > 0 && !on.stopped()) {
    //     | …   …    …   |
    // A = | …  A11  A12  |    A11: b×b, [A11; A21]: this panel, factored
    //     | …  A21  A22  |    A22 starts with the next panel, if it has rows
    const Panel next = panel.next();
    // A12 = L11⁻¹·P·A12, A22 = P·A22 − A21·A12; the next panel is factored as soon as updated
    panel.eliminate(on, next);
    panel = next;
  }
  panel.interchange_left(on);  // the interchanges of later panels, each column once
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
