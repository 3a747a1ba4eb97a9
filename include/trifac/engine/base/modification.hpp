#pragma once
// What is done to a factored matrix.

namespace trifac {

/// A + X·Xᴴ or A − X·Xᴴ.
enum class modification { update, downdate };

}  // namespace trifac
