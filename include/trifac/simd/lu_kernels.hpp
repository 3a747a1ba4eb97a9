#pragma once
// The LU kernels: their texts, in the order in which they build on each other, for every
// instruction set.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "trifac/matrix_view.hpp"
#include "trifac/simd/lu_interchanges.hpp"
#include "trifac/simd/lu_memory.hpp"
#include "trifac/simd/pivot_faults.hpp"
#include "trifac/simd/vector.hpp"

#if TRIFAC_SIMD

  #define TRIFAC_SIMD_TEXT "trifac/simd/packet.inl"
  #include "trifac/simd/each_isa.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lane_set.inl"
  #include "trifac/simd/each_isa.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/pivot_key.inl"
  #include "trifac/simd/each_isa.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu_pivot.inl"
  #include "trifac/simd/each_isa.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu_rows.inl"
  #include "trifac/simd/each_isa.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu_copies.inl"
  #include "trifac/simd/each_isa.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu_base_short.inl"
  #include "trifac/simd/each_isa.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu_base_tall.inl"
  #include "trifac/simd/each_isa.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu_update.inl"
  #include "trifac/simd/each_isa.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu_solve.inl"
  #include "trifac/simd/each_isa.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu_panel.inl"
  #include "trifac/simd/each_isa.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu_row_step.inl"
  #include "trifac/simd/each_isa.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu_step.inl"
  #include "trifac/simd/each_isa.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu_tournament.inl"
  #include "trifac/simd/each_isa.inl"

#endif
