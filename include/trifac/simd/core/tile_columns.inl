// Tiles from and to a matrix whose columns lie in one piece: vectors along them.

// All N columns; the last vectors have `last` rows.
template <class T, int N, int V>
TRIFAC_INLINE void load_columns(tile<T, N, V>& t, const T* C, index_t ld, int last) {
  constexpr int w = packet_rows<T>;
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v + 1 < V; ++v) t.part[c][v] = load_packet(C + c * ld + v * w);
  }
  C += (V - 1) * w;
  if (__builtin_expect(last == w, 1)) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) t.part[c][V - 1] = load_packet(C + c * ld);
  } else {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) t.part[c][V - 1] = load_packet(C + c * ld, 0, last);
  }
}

// Rows up to `last` of the last vectors of `cols` columns, element by element; from row `first` + c
// on in column c.
template <class T, int N, int V>
TRIFAC_INLINE void store_one_by_one(const tile<T, N, V>& t, T* C, index_t ld, int first, int last,
                                    index_t cols) {
  constexpr int w = packet_rows<T>;
  alignas(64) real_t<T> parts[N * planes<T> * w];
  T* const copy = reinterpret_cast<T*>(parts);
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) store_packet(copy + c * w, t.part[c][V - 1]);
  for (int c = 0; c < cols; ++c)
    for (int i = first + c < 0 ? 0 : first + c; i < last; ++i) C[i + c * ld] = copy[i + c * w];
}

template <class T, int N, int V>
TRIFAC_INLINE void store_columns(const tile<T, N, V>& t, T* C, index_t ld, int last) {
  constexpr int w = packet_rows<T>;
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v + 1 < V; ++v) store_packet(C + c * ld + v * w, t.part[c][v]);
  }
  C += (V - 1) * w;
  if (__builtin_expect(last == w, 1)) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) store_packet(C + c * ld, t.part[c][V - 1]);
  } else if constexpr (has_masks) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) store_packet(C + c * ld, t.part[c][V - 1], 0, last);
  } else {
    store_one_by_one(t, C, ld, -N, last, N);
  }
}

// The same below the diagonal, which the first column meets in lane Offset, `cols` columns.
template <int Offset, class T, int N>
TRIFAC_INLINE void load_lower_columns(tile<T, N, 1>& t, const T* C, index_t ld, int last,
                                      index_t cols) {
  constexpr int w = packet_rows<T>;
  if (__builtin_expect(last == w && cols >= N, 1)) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) t.part[c][0] = load_packet(C + c * ld, Offset + c, w);
  } else {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) {
      const int to = c < cols ? last : Offset + c;
      t.part[c][0] = load_packet(C + (c < cols ? c * ld : 0), Offset + c, to);
    }
  }
}

template <int Offset, class T, int N>
TRIFAC_INLINE void store_lower_columns(const tile<T, N, 1>& t, T* C, index_t ld, int last,
                                       index_t cols) {
  constexpr int w = packet_rows<T>;
  if (__builtin_expect(last == w && cols >= N, 1)) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c) store_packet(C + c * ld, t.part[c][0], Offset + c, w);
  } else if constexpr (has_masks) {
    TRIFAC_UNROLL
    for (int c = 0; c < N; ++c)
      if (c < cols) store_packet(C + c * ld, t.part[c][0], Offset + c, last);
  } else {
    store_one_by_one(t, C, ld, Offset, last, cols);
  }
}
