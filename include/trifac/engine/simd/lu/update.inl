// C −= L21·U12 in a panel, for one micro-panel of eight columns: L21 in place, U from the
// micro-panel's copy.

/// The elements of a micro-panel as the right operand.
template <class T>
struct u_panel {
  const T* at;
  TRIFAC_INLINE packet<T> element(int c) const { return spread(at[c * micro_ld]); }
  TRIFAC_INLINE void next() { ++at; }
};

/// V packets of rows of eight columns at C, the last of which has `last` rows, −= L·U.
template <int V, class T>
TRIFAC_INLINE void update_tiles(T* C, index_t ldc, columns_in_place<T> L, const T* U, index_t K,
                                int last) {
  constexpr int N = target::tile<T>.columns;
  for (int c = 0; c < base_columns; c += N, C += N * ldc, U += N * micro_ld) {
    tile<T, N, V> t;
    load_columns(t, C, ldc, last);
    sum_products<term::minus_ab>(t, L, u_panel<T>{U}, K, fetch_ahead<T>{});
    store_columns(t, C, ldc, last);
  }
}

// What is left below the last tile of V + 1 packets.
template <int V, class T>
TRIFAC_INLINE void update_rest(T* C, index_t ldc, columns_in_place<T> L, index_t rows, const T* U,
                               index_t K) {
  constexpr index_t W = packet_rows<T>;
  if constexpr (V > 0) {
    if (rows > (V - 1) * W)
      update_tiles<V>(C, ldc, L, U, K, static_cast<int>(rows - (V - 1) * W));
    else
      update_rest<V - 1>(C, ldc, L, rows, U, K);
  }
}

/// Eight columns and `rows` rows at C −= L·U, U of K rows. L is readable up to the next multiple of
/// a packet's rows.
template <class T>
inline __attribute__((noinline)) void update_micro_panel(T* C, index_t ldc, columns_in_place<T> L,
                                                         index_t rows, const T* U, index_t K) {
  constexpr int V = target::tile<T>.vectors, W = packet_rows<T>;
  index_t row = 0;
  for (; row + V * W <= rows; row += V * W) update_tiles<V>(C + row, ldc, L.from(row), U, K, W);
  update_rest<V>(C + row, ldc, L.from(row), rows - row, U, K);
}

/// V packets of rows of a matrix in place, `columns` of them, as V micro-panels.
template <int V, class T>
TRIFAC_INLINE void pack_columns(const T* L, index_t ld, index_t columns, real_t<T>* packed,
                                index_t stride) {
  for (index_t k = 0; k < columns; ++k, L += ld, packed += k_step<T>) {
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v)
      store_parts(packed + v * stride, load_packet(L + v * packet_rows<T>));
  }
}
