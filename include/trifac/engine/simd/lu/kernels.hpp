#pragma once
// The LU kernels, for every instruction set.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "trifac/engine/blas/factor_panel.hpp"
#include "trifac/engine/simd/core/pivot.hpp"
#include "trifac/engine/simd/core/small_kernels.hpp"
#include "trifac/engine/simd/core/solve_triangular.hpp"
#include "trifac/engine/simd/lu/interchanges.hpp"
#include "trifac/engine/simd/lu/memory.hpp"
#include "trifac/matrix_view.hpp"

#if TRIFAC_SIMD

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/lu/kernels.inl"
  #include "trifac/engine/simd/isa/each.inl"

#endif
