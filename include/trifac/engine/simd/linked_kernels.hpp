#pragma once
// For the programs of this build that compile nests of their own (the benchmarks, some tests): with
// this header included first, the CPU kernels of the four LAPACK types are not compiled again in
// each file but come from trifac::kernels, which was compiled with the same flags.
// cmake/kernels.cpp defines them. Programs of users link that library's calls instead:
// calls/calls.hpp.

#include <complex>

#include "trifac/engine/panel/packed_cholesky.hpp"
#include "trifac/engine/simd/core/few_right_hand_sides.hpp"
#include "trifac/engine/simd/core/reflectors.hpp"
#include "trifac/engine/simd/core/small_solve.hpp"
#include "trifac/engine/simd/core/solve_triangular.hpp"
#include "trifac/engine/simd/lu/kernels.hpp"

#if TRIFAC_SIMD

  #define TRIFAC_KERNEL_EXTERN extern
  #define TRIFAC_KERNEL_TYPES(f) f(float) f(double) f(std::complex<float>) f(std::complex<double>)
  #include "trifac/engine/simd/kernel_instances.inl"
  #undef TRIFAC_KERNEL_EXTERN
  #undef TRIFAC_KERNEL_TYPES

#endif
