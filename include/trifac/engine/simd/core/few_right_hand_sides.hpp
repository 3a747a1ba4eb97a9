#pragma once
// Triangular solves with a few right-hand sides, for which packing the matrix does not pay.

#include "trifac/engine/simd/core/small_solve.hpp"
#include "trifac/engine/simd/core/solve_triangular.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Columns of A that are taken at a time, and the rows of B in a block, which is solved before it
/// is subtracted from the rest: 16 and 64 differ from 32 by less than 10 %.
inline constexpr int few_steps = 8, few_block = 32;

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#if TRIFAC_SIMD
  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/few_products.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/few_right_hand_sides.inl"
  #include "trifac/engine/simd/isa/each.inl"
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Whether solve_few_right_hand_sides takes them: few columns, and A is read along its columns or
/// along its rows; special path few-sides.
template <class T>
constexpr bool are_few_right_hand_sides(const operand<T>& A, const matrix_view<T>& B) {
  return has_kernels<T> && B.cols() <= most_few_right_hand_sides &&
         (A.view.row_stride() == 1 || A.view.col_stride() == 1);
}

/// C −= A·B as blas::update, for an A and a C for which are_few_right_hand_sides is true; A is read
/// once, in place. 2mnr flops. BLAS: gemv, gemm.
template <class T>
void subtract_few(const matrix_view<T>& C, const operand<T>& A, const operand<T>& B) {
#if TRIFAC_SIMD
  with_isa([&](auto target) { subtract_few_columns(target, C, A, B); });
#else
  static_cast<void>(C), static_cast<void>(A), static_cast<void>(B);
#endif
}

/// B := A⁻¹·B as blas::solve_lower or solve_upper. n²·r flops. BLAS: trsv, trsm.
template <substitution Order, class T>
void solve_few_right_hand_sides(const operand<T>& A, const matrix_view<T>& B, diagonal diag) {
#if TRIFAC_SIMD
  with_isa([&](auto target) { substitute_few<Order>(target, A, B, diag); });
#else
  static_cast<void>(A), static_cast<void>(B), static_cast<void>(diag);
#endif
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
