#pragma once
// The LU kernels, for every instruction set.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "trifac/blas/factor_panel.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/simd/core/pivot.hpp"
#include "trifac/simd/core/solve_triangular.hpp"
#include "trifac/simd/lu/interchanges.hpp"
#include "trifac/simd/lu/memory.hpp"

#if TRIFAC_SIMD

  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/kernels.inl"
  #include "trifac/simd/isa/each.inl"

#endif
