#pragma once
// Solves with a small factor: both substitutions at once, over a copy of the right-hand sides, with
// the factor read where it lies.

#include <limits>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/blas/few_rows.hpp"
#include "trifac/engine/simd/core/division.hpp"
#include "trifac/engine/simd/core/pivot.hpp"
#include "trifac/engine/simd/core/tile.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

/// Most rows of a small solve, and most right-hand sides of a call of its kernel. Beside blocks
/// with packed operands it takes, in double at order 128 and 256, 0.3 and 0.4 of the time with 8
/// right-hand sides, 0.5 and 0.7 with 64 (Zen 3, AVX2; Zen 4, AVX-512: 0.4 and 0.6); at 500 LU
/// gains nothing.
inline constexpr index_t small_solve_rows = 256, small_solve_columns = 64;

/// Largest n·r solved by the scalar kernel: B stays in registers.
inline constexpr index_t few_elements_of_solve = 24;

/// One substitution, forward over the rows of `at` and its strides. An upper triangle is solved
/// from its last row up: `at` is its last element, and strides and step are negative.
template <class T>
struct small_triangle {
  const T* at;
  index_t row_stride, col_stride;
  division by_diagonal;
  index_t step;    ///< from row to row of the right-hand sides: 1 or −1
  real_t<T> sign;  ///< of imaginary parts: −1 where the triangle is conjugated
};

template <class T>
struct small_solve {
  matrix_view<T> B;
  small_triangle<T> first, second;  ///< second.at null: one substitution
  const index_t* before = nullptr;  ///< row interchanges before both substitutions
  const index_t* after = nullptr;   ///< to be undone after both
};

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#if TRIFAC_SIMD
  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/small_lanes.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/small_solve.inl"
  #include "trifac/engine/simd/isa/each.inl"

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/few_solve.inl"
  #include "trifac/engine/simd/isa/each.inl"
#endif

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

#if TRIFAC_SIMD

/// The lower triangle of A, forward; the upper one, backward.
template <class T>
TRIFAC_INLINE small_triangle<T> forward_triangle(const operand<T>& A, division by_diagonal) {
  return {A.view.data(),
          A.view.row_stride(),
          A.view.col_stride(),
          by_diagonal,
          1,
          real_t<T>(A.conjugated ? -1 : 1)};
}
template <class T>
TRIFAC_INLINE small_triangle<T> backward_triangle(const operand<T>& A, division by_diagonal) {
  const index_t last = A.rows() - 1;
  return {&A.view(last, last),
          -A.view.row_stride(),
          -A.view.col_stride(),
          by_diagonal,
          -1,
          real_t<T>(A.conjugated ? -1 : 1)};
}

/// Whether the diagonal is real and all of its reciprocals are good, as those of roots are.
template <class T>
TRIFAC_INLINE bool has_reciprocals(const matrix_view<const T>& K) {
  if constexpr (is_complex<T>) {
    return false;
  } else {
    constexpr T least = std::numeric_limits<T>::min(), most = 1 / least;
    bool all = true;
    for (index_t k = 0; k < K.rows(); ++k) {
      const T size = detail::absolute(K(k, k));
      all &= size >= least && size <= most;
    }
    return all;
  }
}

template <class T>
TRIFAC_INLINE bool is_few_solve(const matrix_view<T>& B, index_t most_rows) {
  return B.rows() <= most_rows && B.rows() * B.cols() <= few_elements_of_solve;
}

// Part of their caller: views that are handed on would be written to memory and read again.

/// B := K⁻ᴴ·K⁻¹·B with the lower triangle K. 2n²·r flops. LAPACK: potrs.
template <class T>
TRIFAC_INLINE void solve_small_cholesky(const operand<T>& K, const matrix_view<T>& B) {
  if constexpr (!is_complex<T>)
    if (is_few_solve(B, blas::few_rows_of_cholesky))
      if (with_isa([&](auto target) {
            return solve_few_cholesky(target, K.view.data(), B.rows(), K.view.row_stride(),
                                      K.view.col_stride(), B);
          }))
        return;
  const operand<T> adjoint(K.view.transposed(), is_complex<T> && !K.conjugated);
  const division by = has_reciprocals(K.view) ? division::by_reciprocal : division::exact;
  const small_solve<T> solve = {B, forward_triangle(K, by), backward_triangle(adjoint, by)};
  with_isa([&](auto target) { substitute_small(target, solve); });
}

/// B := op(A)⁻¹·B with P·A = L·U. Else as above. LAPACK: getrs.
template <class T>
TRIFAC_INLINE void solve_small_lu(const matrix_view<const T>& LU, const index_t* interchanges,
                                  operation op, const matrix_view<T>& B) {
  if constexpr (!is_complex<T>)
    if (is_few_solve(B, blas::few_rows_of_lu))
      return with_isa([&](auto target) {
        solve_few_lu(target, LU.data(), B.rows(), LU.row_stride(), LU.col_stride(), interchanges,
                     op, B);
      });
  const bool plain = op == operation::none;
  const operand<T> A = plain
                           ? operand<T>(LU)
                           : operand<T>(LU.transposed(), is_complex<T> && op == operation::adjoint);
  small_solve<T> solve = {B, forward_triangle(A, plain ? division::none : division::exact),
                          backward_triangle(A, plain ? division::exact : division::none)};
  (plain ? solve.before : solve.after) = interchanges;
  with_isa([&](auto target) { substitute_small(target, solve); });
}

/// B := A⁻¹·B with one triangle of A. n²·r flops. LAPACK: trtrs.
template <class T>
void solve_small_triangle(const operand<T>& A, triangle part, diagonal diag,
                          const matrix_view<T>& B) {
  const small_solve<T> solve = {B,
                                part == triangle::lower ? forward_triangle(A, division_of(diag))
                                                        : backward_triangle(A, division_of(diag)),
                                {}};
  with_isa([&](auto target) { substitute_small(target, solve); });
}

#else

// has_kernels<T> is false: named, but never called.
template <class T>
void solve_small_cholesky(const operand<T>&, const matrix_view<T>&) {}
template <class T>
void solve_small_lu(const matrix_view<const T>&, const index_t*, operation, const matrix_view<T>&) {
}
template <class T>
void solve_small_triangle(const operand<T>&, triangle, diagonal, const matrix_view<T>&) {}

#endif

/// Whether they are the way for a factor of that order with so many right-hand sides. Where these
/// fill no more than half of a vector, few_right_hand_sides.hpp is faster from about order 80 on.
template <class T>
constexpr bool is_small_solve(index_t n, index_t columns) {
  constexpr index_t half_a_vector = 16 / index_t{sizeof(real_t<T>)};
  return n <= (columns > half_a_vector ? small_solve_rows : 80);
}

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
