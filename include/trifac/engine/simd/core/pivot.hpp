#pragma once
// Pivots on every instruction set: the keys that a search compares, quotients by a pivot, and what
// is wrong with one.

#include <complex>
#include <cstdint>
#include <type_traits>

#include "trifac/engine/simd/core/pivot_faults.hpp"
#include "trifac/engine/simd/core/vector.hpp"

#if TRIFAC_SIMD

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/pivot_key.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/pivot_division.inl"
  #include "trifac/engine/simd/isa/each.inl"

#endif
