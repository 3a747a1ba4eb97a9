#pragma once
// The kernels on a matrix in each lane, in the order in which they build on each other.

#include "trifac/simd/batch/lanes.hpp"
#include "trifac/simd/core/division.hpp"
#include "trifac/simd/core/pivot.hpp"
#include "trifac/simd/core/vector.hpp"

#if TRIFAC_SIMD
  #define TRIFAC_SIMD_TEXT "trifac/simd/batch/roots.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/batch/tile.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/batch/pack_columns.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/batch/pack.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/batch/cholesky.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/batch/pivoting.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/batch/lu_registers.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/batch/lu_columns.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/batch/lu.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/batch/solve_registers.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/batch/solve.inl"
  #include "trifac/simd/isa/each.inl"
#endif
