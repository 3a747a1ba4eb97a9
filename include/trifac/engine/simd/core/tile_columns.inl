// Tiles from and to a matrix whose columns lie in one piece: vectors along them. The last vectors
// have `last` rows. Below the diagonal, which the first column meets in lane Offset, there may be
// fewer columns than N.

template <region Region = region::whole, int Offset = 0, class T, int N, int V>
TRIFAC_INLINE void load_columns(tile<T, N, V>& t, const T* C, index_t ld, int last,
                                index_t cols = N) {
  constexpr int w = packet_rows<T>;
  constexpr bool whole = Region == region::whole;
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v + 1 < V; ++v) t.part[c][v] = load_packet(C + c * ld + v * w);
  }
  C += (V - 1) * w;
  if (__builtin_expect(last == w && (whole || cols >= N), 1)) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c)
      t.part[c][V - 1] = whole ? load_packet(C + c * ld) : load_packet(C + c * ld, Offset + c, w);
  } else {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      const bool exists = whole || c < cols;
      const int first = whole ? 0 : Offset + c;
      t.part[c][V - 1] = load_packet(C + (exists ? c * ld : 0), first, exists ? last : first);
    }
  }
}

template <region Region = region::whole, int Offset = 0, class T, int N, int V>
TRIFAC_INLINE void store_columns(const tile<T, N, V>& t, T* C, index_t ld, int last,
                                 index_t cols = N) {
  constexpr int w = packet_rows<T>;
  constexpr bool whole = Region == region::whole;
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v + 1 < V; ++v) store_packet(C + c * ld + v * w, t.part[c][v]);
  }
  C += (V - 1) * w;
  if (__builtin_expect(last == w && (whole || cols >= N), 1)) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      if constexpr (whole)
        store_packet(C + c * ld, t.part[c][V - 1]);
      else
        store_packet(C + c * ld, t.part[c][V - 1], Offset + c, w);
    }
  } else if constexpr (has_masks) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c)
      if (whole || c < cols)
        store_packet(C + c * ld, t.part[c][V - 1], whole ? 0 : Offset + c, last);
  } else {  // element by element
    alignas(64) real_t<T> parts[N * planes<T> * w];
    T* const copy = reinterpret_cast<T*>(parts);
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) store_packet(copy + c * w, t.part[c][V - 1]);
    for (int c = 0; c < (whole ? N : cols); ++c)
      for (int i = whole ? 0 : Offset + c; i < last; ++i) C[i + c * ld] = copy[i + c * w];
  }
}
