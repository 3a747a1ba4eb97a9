#pragma once
// A ± X·Xᵀ of a compile-time order: inlined scalar code.

#include "trifac/engine/blas/reflectors.hpp"
#include "trifac/engine/blas/scalars.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/call/known_order.hpp"
#include "trifac/engine/simd/core/small_kernels.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Columns of X: a matrix, or a vector with one.
template <class M>
constexpr index_t columns_added() {
  if constexpr (MatrixLike<M>)
    return cols_of<M>;
  else
    return 1;
}

/// N if X is N×K, both known at compile time, and fits one group of reflectors; else 0.
template <class T, class M, class B>
constexpr index_t known_modified_order() {
  constexpr index_t n = rows_of_sides<M>(), k = columns_added<M>();
  if constexpr (n > 0 && k > 0 && k <= reflector_width)
    return known_order<matrix_view<T, n>, variant::best, B>(simd::cholesky_by_scalars.of<T>());
  return 0;
}

/// Column j of L and the rows of X below, by the reflector of blas/reflectors.hpp. False if a
/// number is outside the ordinary range.
template <int N, int K, class T>
TRIFAC_INLINE bool reflect_known(modification how, int j, T (&l)[as_size(N)],
                                 T (&y)[as_size(K)][as_size(N)]) {
  constexpr T least = least_ordinary_pivot<T>, most = 1 / least;  // of squares, too
  const T alpha = l[j], square_of_alpha = alpha * alpha;
  T x[as_size(K)], size(0);
  TRIFAC_UNROLL
  for (int c = 0; c < K; ++c) {
    x[c] = y[c][j];
    size = size + x[c] * x[c];
  }
  const T square = how == modification::update ? square_of_alpha + size : square_of_alpha - size;
  if (!(square_of_alpha > least && square_of_alpha < most && square > least && square < most))
    return false;
  l[j] = square_root(square);
  reflector<T> h;
  blas::set_reflector(h, how, alpha, l[j], x, K);
  TRIFAC_UNROLL
  for (int i = j + 1; i < N; ++i) {
    T next = l[i] * h.a, rest(0);
    TRIFAC_UNROLL
    for (int c = 0; c < K; ++c) (c < 2 ? next : rest) += y[c][i] * h.s[c];
    if (K > 2) next = next + rest;
    rest = l[i] + next;
    l[i] = next;
    TRIFAC_UNROLL
    for (int c = 0; c < K; ++c) y[c][i] = y[c][i] - rest * h.w[c];
  }
  return true;
}

/// The same of one vector, by the rotation.
template <int N, class T>
TRIFAC_INLINE bool rotate_known(modification how, int j, T (&l)[as_size(N)], T (&y)[as_size(N)],
                                T& t) {
  reflector<T> h;
  if (!blas::set_rotation(h, how, l[j], t, y[j])) return false;
  TRIFAC_UNROLL
  for (int i = j + 1; i < N; ++i) {
    const T before = y[i];
    y[i] = y[i] - l[i] * h.w[0];
    l[i] = l[i] * h.a + (how == modification::update ? before : y[i]) * h.s[0];
  }
  return true;
}

/// The lower triangle of L := L′ with L′·L′ᵀ = L·Lᵀ ± X·Xᵀ, X: N×K, with the same bits as the
/// kernels of `baseline`. False, with L unchanged, if a number is outside the ordinary range.
template <int N, int K, class T>
TRIFAC_INLINE bool modify_in_scalars(modification how, T* L, index_t down, index_t along,
                                     const matrix_view<const T>& X) {
  T l[as_size(N)][as_size(N)], y[as_size(K)][as_size(N)];  // l[j][i]: row i of column j
  TRIFAC_UNROLL
  for (int j = 0; j < N; ++j) {
    TRIFAC_UNROLL
    for (int i = j; i < N; ++i) l[j][i] = L[i * down + j * along];
  }
  TRIFAC_UNROLL
  for (int c = 0; c < K; ++c) {
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) y[c][i] = X(i, c);
  }
  [[maybe_unused]] T t(1);
  TRIFAC_UNROLL
  for (int j = 0; j < N; ++j) {
    bool ordinary;
    if constexpr (K == 1)
      ordinary = rotate_known<N>(how, j, l[j], y[0], t);
    else
      ordinary = reflect_known<N, K>(how, j, l[j], y);
    if (!ordinary) [[unlikely]]
      return false;
  }
  TRIFAC_UNROLL
  for (int j = 0; j < N; ++j) {
    TRIFAC_UNROLL
    for (int i = j; i < N; ++i) L[i * down + j * along] = l[j][i];
  }
  return true;
}

/// f := the factor of A ± X·Xᵀ. False, with f unchanged, if the arguments need full checks or a
/// number is outside the ordinary range: then call update_checked.
template <index_t N, index_t K, Backend B, class Factor, class T>
TRIFAC_INLINE bool modify_known(const B& backend, modification how, Factor& f,
                                const matrix_view<const T>& X) {
  const matrix_view<T> A = factor_access::state(f).writable_view();
  if (!f.status().ok() || A.rows() != N || X.rows() != N || !is_plain(A) || !is_plain(X) ||
      !is_ready(backend))
    return false;
  const bool upper = f.part() == triangle::upper;
  return modify_in_scalars<int{N}, int{K}>(how, A.data(), upper ? A.col_stride() : A.row_stride(),
                                           upper ? A.row_stride() : A.col_stride(), X);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac
