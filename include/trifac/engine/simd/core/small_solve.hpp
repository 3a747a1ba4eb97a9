#pragma once
// Solves with a small factor: both substitutions at once, over a copy of the right-hand sides, with
// the factor read where it lies.

#include <limits>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/simd/core/division.hpp"
#include "trifac/engine/simd/core/pivot.hpp"
#include "trifac/engine/simd/core/small_kernels.hpp"
#include "trifac/engine/simd/core/tile.hpp"
#include "trifac/matrix_view.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

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

  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/core/scalars.inl"
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

// Part of their caller: views that are handed on would be written to memory and read again.

/// B := K⁻ᴴ·K⁻¹·B with the lower triangle K. 2n²·r flops. LAPACK: potrs.
template <class T>
TRIFAC_INLINE void solve_small_cholesky(const operand<T>& K, const matrix_view<T>& B) {
  if constexpr (!is_complex<T>)
    if (best_solve_kernel<T>(B.rows(), B.cols(), cholesky_by_scalars) == solve_kernel::scalars &&
        with_isa([&](auto target) {
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
    if (best_solve_kernel<T>(B.rows(), B.cols(), lu_by_scalars) == solve_kernel::scalars)
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

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac
