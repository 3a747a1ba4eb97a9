#pragma once
// The kinds of low-rank modification of a factored matrix.

namespace trifac {

/// A + X·Xᴴ or A − X·Xᴴ.
enum class modification { update, downdate };

}  // namespace trifac
