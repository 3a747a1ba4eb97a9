#pragma once
// Functions that become part of their caller, and loops that vanish.

#include "trifac/engine/base/config.hpp"

#if defined(__GNUC__) || defined(__clang__)
  // In kernels a helper becomes part of the entry point that calls it, and so is compiled for its
  // region.
  #define TRIFAC_INLINE inline __attribute__((always_inline))

  // Loops over registers must vanish: an array indexed by a variable would live in memory.
  #if defined(__clang__)
    #define TRIFAC_UNROLL _Pragma("clang loop unroll(full)")
  #else
    #define TRIFAC_UNROLL _Pragma("GCC unroll 32")
  #endif
#else
  #define TRIFAC_INLINE inline
  #define TRIFAC_UNROLL
#endif
