// The texts of the LU kernels, in the order in which they build on each other.

// clang-format off
#include "trifac/engine/simd/lu/rows.inl"
#include "trifac/engine/simd/lu/last_pass.inl"
#include "trifac/engine/simd/lu/copies.inl"
#include "trifac/engine/simd/lu/base_short.inl"
#include "trifac/engine/simd/lu/scalars.inl"
#include "trifac/engine/simd/lu/base_tall.inl"
#include "trifac/engine/simd/lu/update.inl"
#include "trifac/engine/simd/lu/solve.inl"
#include "trifac/engine/simd/lu/step.inl"
#include "trifac/engine/simd/lu/panel.inl"
#include "trifac/engine/simd/lu/register_panel.inl"
#include "trifac/engine/simd/lu/in_registers.inl"
#include "trifac/engine/simd/lu/tournament.inl"
// clang-format on
