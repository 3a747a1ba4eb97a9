// Tiles from and to a matrix whose rows lie in one piece: vectors along them, transposed in
// registers.

// N elements of row r, and N of the row N below it where a vector has room for both and there is one
// of `rows`: lanes from N on. Below the diagonal, row Offset + c ends with column c.
template <region Region, int Offset, int N, class T>
TRIFAC_INLINE void load_row(vec<real_t<T>> (&x)[planes<T>], const T* C, index_t ld, int r,
                            int rows) {
  using R = real_t<T>;
  constexpr int w = width<R>, per = planes<T>;
  const T* const row = C + r * ld;
  const int end = Region == region::lower ? at_most(r - Offset + 1, N) : N;
  if constexpr (N == w) {
    if (end == N)
      load_elements(x, row);
    else
      load_elements(x, row, 0, end);
  } else {  // a vector holds N complex elements, or N real ones in a half
    const int most = r + N < rows ? N : 0;
    const int end_below = Region == region::lower ? at_most(r + N - Offset + 1, most) : most;
    const R* const below = reinterpret_cast<const R*>(row + N * ld);
    vec<R> upper = load_range(reinterpret_cast<const R*>(row), 0, per * end);
    vec<R> lower = load_range(below, 0, per * end_below);
    if constexpr (is_complex<T>) {
      separate(upper, lower, lane_sequence<R>{});
      x[0] = upper;
      x[1] = lower;
    } else {
      x[0] = join_halves(upper, lower, lane_sequence<R>{});
    }
  }
}

template <region Region, int Offset, int N, class T>
TRIFAC_INLINE void store_row(const vec<real_t<T>> (&x)[planes<T>], T* C, index_t ld, int r,
                             int rows) {
  using R = real_t<T>;
  constexpr int w = width<R>, per = planes<T>;
  T* const row = C + r * ld;
  const int end = Region == region::lower ? at_most(r - Offset + 1, N) : N;
  if constexpr (N == w) {
    if (end == N)
      store_elements(row, x);
    else
      store_elements(row, x, 0, end);
  } else {
    const int most = r + N < rows ? N : 0;
    const int end_below = Region == region::lower ? at_most(r + N - Offset + 1, most) : most;
    R* const below = reinterpret_cast<R*>(row + N * ld);
    vec<R> upper = x[0], lower = x[0];
    if constexpr (is_complex<T>) {
      lower = x[1];
      interleave(upper, lower, lane_sequence<R>{});
    } else {
      lower = upper_half(upper, lane_sequence<R>{});
    }
    store_first(reinterpret_cast<R*>(row), upper, per * end);
    store_first(below, lower, per * end_below);
  }
}

// N consecutive elements of each of `rows` rows, transposed in registers. Only whole
// tiles of one strip may have fewer rows than lanes.
template <region Region, int Offset, class T, int N, int V>
TRIFAC_INLINE void load_rows(tile<T, N, V>& t, const T* C, index_t ld, int rows) {
  using R = real_t<T>;
  constexpr bool guarded = V == 1 && Region == region::whole;
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) {
    vec<R> x[as_size(planes<T>)][as_size(N)];
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) {
      if (guarded && i >= rows) {
        for (int p = 0; p < planes<T>; ++p) x[p][i] = vec<R>{};
        continue;
      }
      vec<R> row[planes<T>];
      load_row<Region, Offset, N>(row, C, ld, v * width<R> + i, guarded ? rows : V * width<R>);
      TRIFAC_UNROLL
      for (int p = 0; p < planes<T>; ++p) x[p][i] = row[p];
    }
    TRIFAC_UNROLL
    for (int p = 0; p < planes<T>; ++p) {
      transpose<R, N>(x[p]);
      TRIFAC_UNROLL
      for (int c = 0; c < N; ++c) t.part[c][v][p] = x[p][c];
    }
  }
}

template <region Region, int Offset, class T, int N, int V>
TRIFAC_INLINE void store_rows(const tile<T, N, V>& t, T* C, index_t ld, int rows) {
  using R = real_t<T>;
  constexpr bool guarded = V == 1 && Region == region::whole;
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) {
    vec<R> x[as_size(planes<T>)][as_size(N)];
    TRIFAC_UNROLL
    for (int p = 0; p < planes<T>; ++p) {
      TRIFAC_UNROLL
      for (int c = 0; c < N; ++c) x[p][c] = t.part[c][v][p];
      transpose<R, N>(x[p]);
    }
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) {
      vec<R> row[planes<T>];
      TRIFAC_UNROLL
      for (int p = 0; p < planes<T>; ++p) row[p] = x[p][i];
      if (guarded && i >= rows) continue;
      store_row<Region, Offset, N>(row, C, ld, v * width<R> + i, guarded ? rows : V * width<R>);
    }
  }
}
