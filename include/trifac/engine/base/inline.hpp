#pragma once
// Forced inlining and full unrolling.

#include "trifac/engine/base/config.hpp"

#if defined(__GNUC__) || defined(__clang__)
  // Helpers of kernels are inlined, so they are compiled for the target of the entry point.
  #define TRIFAC_INLINE inline __attribute__((always_inline))

  // Loops over registers are unrolled: an array indexed by a variable would be in memory.
  #if defined(__clang__)
    #define TRIFAC_UNROLL _Pragma("clang loop unroll(full)")
  #else
    #define TRIFAC_UNROLL _Pragma("GCC unroll 32")
  #endif
#else
  #define TRIFAC_INLINE inline
  #define TRIFAC_UNROLL
#endif
