// Cholesky of a small compile-time order, by scalars in registers. Included into a namespace that
// defines
//
//   scalar_fnma(a, b, c)   c − a·b
//   scalar_root(x)         √x
//   has_short_chain(j), least_ordinary_pivot<R>     see base/ordinary_pivots.hpp
//   as_size(n)             see base/as_size.hpp
//
// blas/scalars.hpp compiles it for the caller's instruction set, simd/cholesky/scalars.inl for all.

/// Lower triangle of the N×N matrix at A := L, computed as L·D·Lᵀ with square roots at the end: the
/// same bits as simd/cholesky/diagonal.inl. False, with A unchanged, if a pivot is outside the
/// ordinary range.
template <int N, class R>
TRIFAC_INLINE constexpr bool factor_in_scalars(R* A, index_t down, index_t along) {
  R a[as_size(N)][as_size(N)], reciprocal[as_size(N)];  // a[c][i]: row i of column c
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int i = c; i < N; ++i) a[c][i] = A[i * down + c * along];
  }
  bool ordinary = true;
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    const R D = a[c][c];
    const bool is_ordinary = D >= least_ordinary_pivot<R> && D <= std::numeric_limits<R>::max();
    if (std::is_constant_evaluated() && !is_ordinary)
      return false;  // 1/0 is not a constant
                     // expression
    const R r = R(1) / D;
    ordinary &= is_ordinary;
    reciprocal[c] = r;
    TRIFAC_UNROLL
    for (int j = c + 1; j < N; ++j) {
      const R y = a[c][j], u = y * r;
      if (j == c + 1 && has_short_chain(j))
        a[j][j] = scalar_fnma(y * y, r, a[j][j]);
      else
        a[j][j] = scalar_fnma(u, y, a[j][j]);
      TRIFAC_UNROLL
      for (int i = j + 1; i < N; ++i) a[j][i] = scalar_fnma(u, a[c][i], a[j][i]);
    }
  }
  if (!ordinary) [[unlikely]]
    return false;
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    const R root = scalar_root(a[c][c]), factor = root * reciprocal[c];
    A[c * down + c * along] = root;
    TRIFAC_UNROLL
    for (int i = c + 1; i < N; ++i) A[i * down + c * along] = a[c][i] * factor;
  }
  return true;
}
