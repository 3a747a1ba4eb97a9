#pragma once
// The instruction sets that kernels can be tested on.

#include <vector>

#include "trifac/engine/simd/isa/isa.hpp"

namespace trifac::test {

/// Those that this CPU has.
inline std::vector<simd::isa> sets_here() {
  std::vector<simd::isa> sets;
  for (int i = 0; i <= static_cast<int>(simd::detected_isa()); ++i)
    sets.push_back(static_cast<simd::isa>(i));
  return sets;
}

}  // namespace trifac::test
