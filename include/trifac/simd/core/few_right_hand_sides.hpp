#pragma once
// Triangular solves with a few right-hand sides, for which packing the matrix does not pay.

#include "trifac/simd/core/solve_triangular.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Fewer right-hand sides than these are few.
inline constexpr index_t few_right_hand_sides = 7;

/// Columns of A that are taken at a time, and the order of the triangles that are solved at once;
/// and the rows of B that become known before the others hear of it.
inline constexpr int few_steps = 8, few_block = 64;

#if TRIFAC_SIMD

/// A triangle of at most few_steps rows: element (d, c) and the inverses of the diagonal, ones and
/// zeros behind the last row.
template <class T>
struct few_triangle {
  static constexpr int most = few_steps;
  real_t<T> element[most][most][planes<T>];  // of column c, row d
  real_t<T> inverse[most][planes<T>];
};

/// Fills L from A; false where a diagonal element has no finite inverse. As in verb/, an element
/// zero divides nothing, and the other triangle of A is not read.
template <substitution Order, class T>
__attribute__((noinline)) bool prepare_few(few_triangle<T>& L, const operand<T>& A, diagonal diag) {
  constexpr int most = few_triangle<T>::most;
  const auto set = [](real_t<T>* at, const T& x) {
    at[0] = detail::real_part(x);
    if constexpr (is_complex<T>) at[1] = x.imag();
  };
  const int n = static_cast<int>(A.rows());
  for (int c = 0; c < most; ++c) {
    const T pivot = c < n && diag == diagonal::general ? A(c, c) : T(1);
    const T inverse = pivot == T(0) ? T(1) : blas::quotient(T(1), pivot);
    if (!detail::is_finite(inverse)) return false;
    set(L.inverse[c], inverse);
    const int from = Order == substitution::forward ? c + 1 : 0;
    const int to = Order == substitution::forward ? most : c;
    for (int d = from; d < to; ++d) set(L.element[c][d], c < n && d < n ? A(d, c) : T(0));
  }
  return true;
}

/// The same as blas::solve_lower or solve_upper.
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
  #define TRIFAC_SIMD_TEXT "trifac/simd/core/few_products.inl"
  #include "trifac/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/simd/core/few_right_hand_sides.inl"
  #include "trifac/simd/isa/each.inl"
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Whether solve_few takes them: few columns, and A is read along its columns or along its rows.
template <class T>
constexpr bool are_few_columns(const operand<T>& A, const matrix_view<T>& B) {
  return has_kernels<T> && B.cols() < few_right_hand_sides &&
         (A.view.row_stride() == 1 || A.view.col_stride() == 1);
}

/// B := A⁻¹·B as blas::solve_lower or solve_upper. n²·r flops. BLAS: trsv, trsm.
template <substitution Order, class T>
void solve_few(const operand<T>& A, const matrix_view<T>& B, diagonal diag) {
#if TRIFAC_SIMD
  with_isa([&](auto target) { substitute_few<Order>(target, A, B, diag); });
#else
  static_cast<void>(A), static_cast<void>(B), static_cast<void>(diag);
#endif
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
