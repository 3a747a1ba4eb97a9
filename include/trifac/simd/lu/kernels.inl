// The texts of the LU kernels, in the order in which they build on each other.

// clang-format off
#include "trifac/simd/lu/rows.inl"
#include "trifac/simd/lu/copies.inl"
#include "trifac/simd/lu/base_short.inl"
#include "trifac/simd/lu/few.inl"
#include "trifac/simd/lu/base_tall.inl"
#include "trifac/simd/lu/update.inl"
#include "trifac/simd/lu/solve.inl"
#include "trifac/simd/lu/panel.inl"
#include "trifac/simd/lu/register_panel.inl"
#include "trifac/simd/lu/in_registers.inl"
#include "trifac/simd/lu/row_solve.inl"
#include "trifac/simd/lu/row_step.inl"
#include "trifac/simd/lu/step.inl"
#include "trifac/simd/lu/tournament.inl"
// clang-format on
