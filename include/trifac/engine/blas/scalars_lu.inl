// LU of a small compile-time order with partial pivoting, by scalars. Included into a namespace
// that defines
//
//   scalar_fnma(a, b, c)     c − a·b
//   scalar_key(x)            an integer monotone in |x|, largest for NaN
//
// blas/scalars.hpp compiles it for the caller's instruction set, simd/lu/scalars.inl for all.

/// P·A = L·U of the N×N matrix at A, with the same bits as simd/lu/base_short.inl except for the
/// sign of zeros in U, from which that one also subtracts 0·u. False, with A unchanged, if a pivot
/// is outside the ordinary range.
template <int N, class R>
TRIFAC_INLINE constexpr bool factor_lu_in_scalars(R* A, index_t down, index_t along,
                                                  index_t* interchanges) {
  R a[as_size(N)][as_size(N)];  // a[c][i]: row i of column c
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) a[c][i] = A[i * down + c * along];
  }
  TRIFAC_UNROLL
  for (int k = 0; k < N; ++k) {
    int at = k;
    auto largest = scalar_key(a[k][k]);
    TRIFAC_UNROLL
    for (int i = k + 1; i < N; ++i) {
      const auto size = scalar_key(a[k][i]);
      const bool better = size > largest;
      at = better ? i : at;
      largest = better ? size : largest;
    }
    interchanges[k] = at;
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      const R x = a[c][at];
      a[c][at] = a[c][k];
      a[c][k] = x;
    }
    // Compare keys, not values: a branch on the sign is mispredicted half of the time.
    using range = detail::ordinary_pivots<R>;
    if (largest < scalar_key(range::least) || largest > scalar_key(range::most)) [[unlikely]]
      return false;
    const R r = R(1) / a[k][k];
    TRIFAC_UNROLL
    for (int i = k + 1; i < N; ++i) a[k][i] *= r;
    TRIFAC_UNROLL
    for (int c = k + 1; c < N; ++c) {
      TRIFAC_UNROLL
      for (int i = k + 1; i < N; ++i) a[c][i] = scalar_fnma(a[k][i], a[c][k], a[c][i]);
    }
  }
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) A[i * down + c * along] = a[c][i];
  }
  return true;
}
