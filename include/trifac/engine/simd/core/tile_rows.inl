// Tiles from and to a matrix whose rows lie in one piece: vectors along them, transposed in
// registers.

// N elements of row r, and N of the row N below it where a vector has room for both and there is
// one of `rows`: lanes from N on. Below the diagonal, row Offset + c ends with column c.
template <region Region, int Offset, int N, class T>
TRIFAC_INLINE packet<T> load_row(const T* C, index_t ld, int r, int rows) {
  using R = real_t<T>;
  const T* const row = C + r * ld;
  const int end = Region == region::lower ? at_most(r - Offset + 1, N) : N;
  if constexpr (N == packet_rows<T>) {
    return end == N ? load_packet(row) : load_packet(row, 0, end);
  } else {  // a vector holds N complex elements, or N real ones in a half
    const int most = r + N < rows ? N : 0;
    const int end_below = Region == region::lower ? at_most(r + N - Offset + 1, most) : most;
    const R* const below = reinterpret_cast<const R*>(row + N * ld);
    packet<T> x;
    x.re = load_range(reinterpret_cast<const R*>(row), 0, planes<T> * end);
    vec<R> lower = load_range(below, 0, planes<T> * end_below);
    if constexpr (is_complex<T>) {
      separate(x.re, lower, lane_sequence<R>{});
      x.im = lower;
    } else {
      x.re = join_halves(x.re, lower, lane_sequence<R>{});
    }
    return x;
  }
}

template <region Region, int Offset, int N, class T>
TRIFAC_INLINE void store_row(packet<T> x, T* C, index_t ld, int r, int rows) {
  using R = real_t<T>;
  T* const row = C + r * ld;
  const int end = Region == region::lower ? at_most(r - Offset + 1, N) : N;
  if constexpr (N == packet_rows<T>) {
    if (end == N)
      store_packet(row, x);
    else
      store_packet(row, x, 0, end);
  } else {
    const int most = r + N < rows ? N : 0;
    const int end_below = Region == region::lower ? at_most(r + N - Offset + 1, most) : most;
    R* const below = reinterpret_cast<R*>(row + N * ld);
    vec<R> upper = x.re, lower;
    if constexpr (is_complex<T>) {
      lower = x.im;
      interleave(upper, lower, lane_sequence<R>{});
    } else {
      lower = upper_half(upper, lane_sequence<R>{});
    }
    store_first(reinterpret_cast<R*>(row), upper, planes<T> * end);
    store_first(below, lower, planes<T> * end_below);
  }
}

// N consecutive elements of each of `rows` rows, transposed in registers. Only whole
// tiles of one micro-panel may have fewer rows than lanes.
template <region Region, int Offset, class T, int N, int V>
TRIFAC_INLINE void load_rows(tile<T, N, V>& t, const T* C, index_t ld, int rows) {
  constexpr int w = packet_rows<T>;
  constexpr bool guarded = V == 1 && Region == region::whole;
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) {
    packet<T> x[as_size(N)];
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i)
      x[i] = guarded && i >= rows
                 ? packet<T>{}
                 : load_row<Region, Offset, N>(C, ld, v * w + i, guarded ? rows : V * w);
    transpose_packets<T, N>(x);
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) t.part[c][v] = x[c];
  }
}

template <region Region, int Offset, class T, int N, int V>
TRIFAC_INLINE void store_rows(const tile<T, N, V>& t, T* C, index_t ld, int rows) {
  constexpr int w = packet_rows<T>;
  constexpr bool guarded = V == 1 && Region == region::whole;
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) {
    packet<T> x[as_size(N)];
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) x[c] = t.part[c][v];
    transpose_packets<T, N>(x);
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i)
      if (!guarded || i < rows)
        store_row<Region, Offset, N>(x[i], C, ld, v * w + i, guarded ? rows : V * w);
  }
}
