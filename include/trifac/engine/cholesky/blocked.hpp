#pragma once
// Blocked Cholesky, right-looking: what factors the matrix of every caller whose order is not
// small.

#include "trifac/engine/base/config.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {

/// A = L·Lᴴ in place, lower triangle. A panel is the first columns of what is not factored yet; the
/// one after the last column to be factored is empty, and A22 then the Schur complement. Its class
/// has the steps: panel/plain_cholesky.hpp by block operations on views (any scalar type, any
/// backend), panel/packed_cholesky.hpp by the CPU's kernels on packed copies.
///
/// n³/3 flops. LAPACK: potrf (variant RL). Golub, Van Loan, Matrix Computations, 4.2.6.
template <class On, class Panel>
void cholesky_blocked(On& on, Panel panel) {
  panel.factor(on);  // A11 = L11 with A11 = L11·L11ᴴ
  while (panel.rows_below() > 0 && !on.stopped()) {
    //     | done            |    A11: b×b, this panel, factored
    // A = |  …   A11        |
    //     |  …   A21   A22  |    A22 starts with the next panel
    panel.solve_below(on);  // A21 = A21·L11⁻ᴴ
    const Panel next = panel.next();
    panel.update(on, next);  // A22 = A22 − A21·A21ᴴ; the next A11 is factored as soon as updated
    panel = next;
  }
}

}  // namespace TRIFAC_ABI
}  // namespace trifac
