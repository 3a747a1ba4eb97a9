#pragma once
// The LU kernels: their texts, in the order in which they build on each other, for every
// instruction set.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "trifac/matrix_view.hpp"
#include "trifac/simd/core/tile.hpp"
#include "trifac/simd/lu/interchanges.hpp"
#include "trifac/simd/lu/memory.hpp"
#include "trifac/simd/lu/pivot_faults.hpp"

#if TRIFAC_SIMD

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/pivot_key.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/pivot.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/rows.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/copies.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/base_short.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/base_tall.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/update.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/solve.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/panel.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/row_step.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/step.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/tournament.inl"
  #include "trifac/simd/isa/each.inl"

#endif
