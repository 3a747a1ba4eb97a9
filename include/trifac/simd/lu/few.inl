// LU of a few rows and columns, by scalars: a vector would be mostly empty, and its search for a
// pivot is a tree of shuffles.

/// |x| as an integer, in the order of pivot_key.inl.
template <class R>
TRIFAC_INLINE key<R> scalar_key(R x) {
  key<R> bits;
  __builtin_memcpy(&bits, &x, sizeof(R));
  return bits & lanes<R>::magnitude;
}

/// P·A = L·U of the N×N matrix at A, in the operations of base_short.inl and so with its bits: of
/// rows with equal pivots the one that came first in A is chosen. False, and A unchanged, where a
/// pivot is not ordinary.
template <int N, class R>
TRIFAC_INLINE bool factor_lu_in_scalars(R* A, index_t down, index_t along, index_t* interchanges) {
  R a[as_size(N)][as_size(N)];  // a[c][i]: row i of column c
  int row[as_size(N)];          // of A
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    row[c] = c;
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) a[c][i] = A[i * down + c * along];
  }
  TRIFAC_UNROLL
  for (int k = 0; k < N; ++k) {
    int at = k, first = row[k];
    key<R> largest = scalar_key(a[k][k]);
    TRIFAC_UNROLL
    for (int i = k + 1; i < N; ++i) {
      const key<R> size = scalar_key(a[k][i]);
      const bool better = (size > largest) | ((size == largest) & (row[i] < first));
      at = better ? i : at;
      first = better ? row[i] : first;
      largest = better ? size : largest;
    }
    interchanges[k] = at;
    row[at] = row[k];
    row[k] = first;
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      const R x = a[c][at];
      a[c][at] = a[c][k];
      a[c][k] = x;
    }
    const R pivot = a[k][k];
    if (__builtin_expect(!is_ordinary(pivot_magnitude(pivot), ordinary_pivots<R>::least,
                                      ordinary_pivots<R>::most),
                         0))
      return false;
    const R r = R(1) / pivot;
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

/// The same for n ≤ few_rows_of_lu known at run time.
template <class R>
TRIFAC_ENTRY bool factor_few_lu_rows(target, R* A, index_t n, index_t down, index_t along,
                                     index_t* interchanges) {
  switch (n) {
    case 1:
      return factor_lu_in_scalars<1>(A, down, along, interchanges);
    case 2:
      return factor_lu_in_scalars<2>(A, down, along, interchanges);
    case 3:
      return factor_lu_in_scalars<3>(A, down, along, interchanges);
    case 4:
      return factor_lu_in_scalars<4>(A, down, along, interchanges);
    case 5:
      return factor_lu_in_scalars<5>(A, down, along, interchanges);
    default:
      return factor_lu_in_scalars<6>(A, down, along, interchanges);
  }
}
