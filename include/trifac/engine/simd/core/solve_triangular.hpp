#pragma once
// Triangular solves B := L⁻¹·B, B := U⁻¹·B, B := B·U⁻¹ of any size and layout: recursively, halves
// joined by products, down to blocks that are solved in registers. blas/solve_triangular.hpp says
// what is computed.

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/blas/solve_triangular.hpp"
#include "trifac/engine/simd/core/product.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// The order in which unknowns become known: forward for a lower triangle, backward for an upper.
enum class substitution { forward, backward };

#if TRIFAC_SIMD

/// A triangle of at most Columns rows for substitution: element (d, c) and the inverses of the
/// diagonal, ones and zeros behind the last row. Real parts, then imaginary parts.
template <class T, int Columns, int Width = Columns>
struct prepared_triangle {
  alignas(64) real_t<T> element[detail::as_size(Columns)][detail::as_size(planes<T>)]
                               [detail::as_size(Width)];
  alignas(64) real_t<T> inverse[detail::as_size(planes<T>)][detail::as_size(Width)];
};

template <class Target, class T>
using triangle_of = prepared_triangle<T, Target::template tile<T>.columns,
                                      Target::vector_bytes / int{sizeof(real_t<T>)}>;

/// Fills L from A; false where a diagonal element has no good inverse. The other triangle of A is
/// not read.
template <substitution Order, class T, int N, int W>
__attribute__((noinline)) bool prepare_triangle(prepared_triangle<T, N, W>& L, const operand<T>& A,
                                                diagonal diag) {
  const auto set = [](real_t<T>* at, const T& x) {
    at[0] = detail::real_part(x);
    if constexpr (is_complex<T>) at[W] = x.imag();
  };
  const int n = static_cast<int>(A.rows());
  for (int c = 0; c < N; ++c) {
    const T pivot = c < n && diag == diagonal::non_unit ? A(c, c) : T(1);
    const T inverse = blas::quotient(T(1), pivot);
    if (!detail::is_good_inverse(inverse)) return false;
    set(&L.inverse[0][c], inverse);
    const int from = Order == substitution::forward ? c + 1 : 0;
    const int to = Order == substitution::forward ? N : c;
    for (int d = from; d < to; ++d) set(&L.element[c][0][d], c < n && d < n ? A(d, c) : T(0));
  }
  return true;
}

/// The same as blas::solve_lower or solve_upper, for triangles without inverses.
template <substitution Order, class T>
void substitute_plainly(const operand<T>& A, const matrix_view<T>& B, diagonal diag) {
  if constexpr (Order == substitution::forward)
    blas::solve_lower(A, B, diag);
  else
    blas::solve_upper(A, B, diag);
}

#endif

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#if TRIFAC_SIMD
  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/solve_triangular.inl"
  #include "trifac/engine/simd/isa/each.inl"
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

#if TRIFAC_SIMD

/// B := A⁻¹·B for one instruction set.
template <substitution Order, class Target, class T>
void solve_on(Target target, const operand<T>& A, const matrix_view<T>& B, diagonal diag) {
  constexpr index_t most = Target::template tile<T>.columns;
  const index_t n = B.rows(), r = B.cols();
  if (n <= most) {
    triangle_of<Target, T> block;
    if (prepare_triangle<Order>(block, A, diag))
      substitute_rows<Order>(target, B.transposed(), block);
    else
      substitute_plainly<Order>(A, B, diag);
    return;
  }
  //     | A11  A12 |        | B1 |    one of A12, A21 is zero, and the block
  // A = |          |    B = |    |    opposite it is solved first
  //     | A21  A22 |        | B2 |
  const index_t h = (n / 2 + most - 1) / most * most;
  const matrix_view<T> B1 = B.block(0, 0, h, r), B2 = B.block(h, 0, n - h, r);
  const operand<T> A11 = A.block(0, 0, h, h), A22 = A.block(h, h, n - h, n - h);
  // As B2ᵀ −= B1ᵀ·A21ᵀ, which adds up the products of complex numbers in the order of
  // substitute_rows: no bit depends on where the blocks end.
  const auto subtract = [&](const matrix_view<T>& C, const operand<T>& off, const operand<T>& X) {
    update_on(target, C.transposed(), X.transposed(), off.transposed());
  };
  if constexpr (Order == substitution::forward) {
    solve_on<Order>(target, A11, B1, diag);
    subtract(B2, A.block(h, 0, n - h, h), B1);
    solve_on<Order>(target, A22, B2, diag);
  } else {
    solve_on<Order>(target, A22, B2, diag);
    subtract(B1, A.block(0, h, h, n - h), B2);
    solve_on<Order>(target, A11, B1, diag);
  }
}

#endif

/// Right-hand sides below which packing does not pay.
inline constexpr index_t least_packed_columns = 4;

/// B := L⁻¹·B as blas::solve_lower. `all_columns`: those of the whole right-hand side, of which B
/// may be one thread's part: their number chooses the kernel, and so the bits. BLAS: trsm.
template <Scalar T>
void solve_lower(operand<T> L, matrix_view<T> B, diagonal diag, index_t all_columns) {
  if constexpr (has_kernels<T>)
    if (all_columns >= least_packed_columns)
      return with_isa([&](auto t) { solve_on<substitution::forward>(t, L, B, diag); });
  blas::solve_lower(L, B, diag);
}

/// B := U⁻¹·B as blas::solve_upper. BLAS: trsm.
template <Scalar T>
void solve_upper(operand<T> U, matrix_view<T> B, diagonal diag, index_t all_columns) {
  if constexpr (has_kernels<T>)
    if (all_columns >= least_packed_columns)
      return with_isa([&](auto t) { solve_on<substitution::backward>(t, U, B, diag); });
  blas::solve_upper(U, B, diag);
}

/// B := B·U⁻¹ as blas::solve_right_upper; `all_rows`: those of the whole B. BLAS: trsm.
template <Scalar T>
void solve_right_upper(operand<T> U, matrix_view<T> B, index_t all_rows) {
  solve_lower(U.transposed(), B.transposed(), diagonal::non_unit, all_rows);
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
