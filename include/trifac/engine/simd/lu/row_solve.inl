// The rows of U right of a panel in row-major storage: solve.inl with rows and columns exchanged.
// Vectors run along the rows of A, whose rows of U are packed as micro-panels.

/// V packets of a row, the last of which has `last` elements.
template <int V, class T>
TRIFAC_INLINE void load_row_packets(packet<T> (&x)[as_size(V)], const T* row, int last) {
  constexpr int W = packet_rows<T>;
  TRIFAC_UNROLL
  for (int v = 0; v + 1 < V; ++v) x[v] = load_packet(row + v * W);
  x[V - 1] = last == W ? load_packet(row + (V - 1) * W) : load_packet(row + (V - 1) * W, 0, last);
}
template <int V, class T>
TRIFAC_INLINE void store_row_packets(const packet<T> (&x)[as_size(V)], T* row, int last) {
  constexpr int W = packet_rows<T>;
  TRIFAC_UNROLL
  for (int v = 0; v + 1 < V; ++v) store_packet(row + v * W, x[v]);
  if (last == W)
    store_packet(row + (V - 1) * W, x[V - 1]);
  else
    store_packet(row + (V - 1) * W, x[V - 1], 0, last);
}

/// Row k of V micro-panels.
template <int V, class T>
TRIFAC_INLINE void load_panel_row(packet<T> (&x)[as_size(V)], const real_t<T>* U, index_t stride,
                                  index_t k) {
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) x[v] = load_parts<T>(U + v * stride + k * k_step<T>);
}
template <int V, class T>
TRIFAC_INLINE void store_panel_row(const packet<T> (&x)[as_size(V)], real_t<T>* U, index_t stride,
                                   index_t k) {
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) store_parts(U + v * stride + k * k_step<T>, x[v]);
}

/// V packets of columns at C: rows moved, the first K of them := L11⁻¹ · themselves. U: those K
/// rows as micro-panels. Rows are fetched `ahead` columns from here.
template <int V, class T>
inline __attribute__((noinline)) void interchange_and_solve_rows(T* C, index_t ld,
                                                                 const inverted_blocks<T>& L,
                                                                 const permutation& moves, int last,
                                                                 real_t<T>* U, index_t ahead = 0) {
  constexpr int W = packet_rows<T>, N = target::tile<T>.columns;
  constexpr index_t raw_stride = panel_stride<T>(base_columns);
  const index_t stride = panel_stride<T>(L.K), ldf = L.K + base_columns;
  packet<T> x[as_size(V)];
  for (index_t k = 0; k < L.K; ++k) {
    const T* const row = C + moves.source[k] * ld;
    load_row_packets<V>(x, row, last);
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) __builtin_prefetch(row + ahead + v * W, 1, 2);
    store_panel_row<V>(x, U, stride, k);
  }
  for (index_t k = 0; k < L.K; ++k) {
    if (moves.target[k] == k) continue;
    load_row_packets<V>(x, C + k * ld, last);
    store_row_packets<V>(x, C + moves.target[k] * ld, last);
  }
  alignas(64) real_t<T> raw[as_size(V * raw_stride)];
  for (index_t block = 0; block < L.K; block += base_columns) {
    for (index_t q = 0; q < base_columns; ++q) {
      load_panel_row<V, T>(x, U, stride, block + q);
      store_panel_row<V>(x, raw, raw_stride, q);
    }
    const T* const X = L.inverses + block / base_columns * inverse_size<T>;
    for (int i = 0; i < base_columns; i += N) {  // N rows of the block
      tile<T, N, V> sum = {};
      packed_operand<T> right_side = {raw, raw_stride}, above = {U, stride};
      columns_in_place<T> inverse = {X + i, inverse_ld<T>}, F = {L.F + block + i, ldf};
      sum_products<term::plus_ba>(sum, right_side, inverse, base_columns);
      sum_products<term::minus_ba>(sum, above, F, block);
      TRIFAC_UNROLL
      for (int c = 0; c < N; ++c) store_panel_row<V>(sum.part[c], U, stride, block + i + c);
    }
  }
  for (index_t k = 0; k < L.K; ++k) {
    load_panel_row<V, T>(x, U, stride, k);
    store_row_packets<V>(x, C + k * ld, last);
  }
}

// What is left right of the last tile of M + 1 packets.
template <int M, class T>
TRIFAC_INLINE void interchange_and_solve_rest(T* C, index_t ld, const inverted_blocks<T>& L,
                                              const permutation& moves, index_t cols,
                                              real_t<T>* U) {
  constexpr index_t W = packet_rows<T>;
  if constexpr (M > 0) {
    if (cols > (M - 1) * W)
      interchange_and_solve_rows<M>(C, ld, L, moves, static_cast<int>(cols - (M - 1) * W), U);
    else
      interchange_and_solve_rest<M - 1>(C, ld, L, moves, cols, U);
  }
}
