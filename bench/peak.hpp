#pragma once
// The measured peak of one core: multiply-adds of the instruction set in use, on registers only.

#include <algorithm>
#include <chrono>
#include <limits>

#include "trifac/engine/simd/core/vector.hpp"

#if TRIFAC_SIMD
namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {
inline constexpr int chains = 12;  // enough for two units with a latency of five
}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

  #define TRIFAC_SIMD_TEXT "bench/peak.inl"
  #include "trifac/engine/simd/isa/each.inl"
#endif

namespace bench {

/// Real operations per second of R on one core, the best of several short runs; NaN where the
/// compiler has no kernels.
template <class R>
double multiply_add_peak() {
#if TRIFAC_SIMD
  using namespace trifac::simd;
  using clock = std::chrono::steady_clock;
  constexpr long rounds = 200000;
  const auto one_run = [](auto target) {
    constexpr int lanes = decltype(target)::vector_bytes / int(sizeof(R));
    // Towards the fixed point 1, so that no number becomes infinite or subnormal.
    R start[2 + chains] = {R(0.5), R(0.5)};
    R sink[chains * lanes];
    std::fill(start + 2, start + 2 + chains, R(1));
    const auto begin = clock::now();
    multiply_add_chains<R>(target, rounds, start, sink);
    const std::chrono::duration<double> taken = clock::now() - begin;
    const bool right = std::all_of(sink, sink + chains * lanes, [](R x) { return x == R(1); });
    return right ? 2.0 * rounds * chains * lanes / taken.count()
                 : std::numeric_limits<double>::quiet_NaN();
  };
  double best = 0;
  for (int run = 0; run < 40; ++run)
    best = std::max(best, with_isa([&](auto target) { return one_run(target); }));
  return best;
#else
  return std::numeric_limits<double>::quiet_NaN();
#endif
}

}  // namespace bench
