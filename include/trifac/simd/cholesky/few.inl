// Cholesky of a few rows and columns, by scalars in registers: a vector would be mostly empty, and
// its chain of lanes is longer.

template <class R>
TRIFAC_INLINE R root_of_scalar(R x) {
  if constexpr (sizeof(R) == 8)
    return __builtin_sqrt(x);
  else
    return __builtin_sqrtf(x);
}

/// Lower triangle of the N×N matrix at A := L, in the operations of diagonal.inl and so with its
/// bits. False, and A unchanged, where a pivot is not ordinary.
template <int N, class R>
TRIFAC_INLINE bool factor_in_scalars(R* A, index_t down, index_t along) {
  R a[as_size(N)][as_size(N)], reciprocal[as_size(N)];  // a[c][i]: row i of column c
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int i = c; i < N; ++i) a[c][i] = A[i * down + c * along];
  }
  bool ordinary = true;
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    const R D = a[c][c], r = R(1) / D;
    ordinary &= D >= least_ordinary_pivot<R> && D <= std::numeric_limits<R>::max();
    reciprocal[c] = r;
    TRIFAC_UNROLL
    for (int j = c + 1; j < N; ++j) {
      const R y = a[c][j], u = y * r;
      if (j == c + 1 && has_short_chain(j) && j % tile_columns<R> != 0)
        a[j][j] = scalar_fnma(y * y, r, a[j][j]);  // see next_pivot
      else
        a[j][j] = scalar_fnma(u, y, a[j][j]);
      TRIFAC_UNROLL
      for (int i = j + 1; i < N; ++i) a[j][i] = scalar_fnma(u, a[c][i], a[j][i]);
    }
  }
  if (__builtin_expect(!ordinary, 0)) return false;
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    const R root = root_of_scalar(a[c][c]), factor = root * reciprocal[c];
    A[c * down + c * along] = root;
    TRIFAC_UNROLL
    for (int i = c + 1; i < N; ++i) A[i * down + c * along] = a[c][i] * factor;
  }
  return true;
}

/// The same for n ≤ few_rows_of_cholesky known at run time.
template <class R>
TRIFAC_ENTRY bool factor_few_rows(target, R* A, index_t n, index_t down, index_t along) {
  switch (n) {
    case 1:
      return factor_in_scalars<1>(A, down, along);
    case 2:
      return factor_in_scalars<2>(A, down, along);
    case 3:
      return factor_in_scalars<3>(A, down, along);
    case 4:
      return factor_in_scalars<4>(A, down, along);
    case 5:
      return factor_in_scalars<5>(A, down, along);
    case 6:
      return factor_in_scalars<6>(A, down, along);
    case 7:
      return factor_in_scalars<7>(A, down, along);
    default:
      return factor_in_scalars<8>(A, down, along);
  }
}
