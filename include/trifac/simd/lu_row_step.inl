// One step of right-looking LU right of its panel in row-major storage: as in lu_step.inl, with rows
// and columns exchanged. Vectors run along the rows of A: rows of U are packed, and strips hold
// eight rows of L21. Every element has the sums of lu_step.inl in their order.

/// Columns that are taken through all rows at a time: whole tiles, whose rows of U stay in a
/// second-level cache.
inline constexpr index_t row_group_bytes = index_t{128} << 10;
template <class T>
constexpr index_t row_group(index_t K) {
  constexpr index_t tile = target::tile<T>.vectors * packet_rows<T>, most = 192 / tile;
  const index_t tiles = row_group_bytes / (K * tile * index_t(sizeof(T)));
  return tile * (tiles < 1 ? 1 : tiles < most ? tiles : most);
}

/// M packets of a row, the last of which has `last` elements.
template <int M, class T>
TRIFAC_INLINE void load_row_packets(packet<T> (&x)[M], const T* row, int last) {
  constexpr int W = packet_rows<T>;
  TRIFAC_UNROLL
  for (int v = 0; v + 1 < M; ++v) x[v] = load_packet(row + v * W);
  x[M - 1] =
      last == W ? load_packet(row + (M - 1) * W) : load_packet_first(row + (M - 1) * W, last);
}
template <int M, class T>
TRIFAC_INLINE void store_row_packets(const packet<T> (&x)[M], T* row, int last) {
  constexpr int W = packet_rows<T>;
  TRIFAC_UNROLL
  for (int v = 0; v + 1 < M; ++v) store_packet(row + v * W, x[v]);
  if (last == W)
    store_packet(row + (M - 1) * W, x[M - 1]);
  else
    store_packet_first(row + (M - 1) * W, x[M - 1], last);
}

/// N rows of U from `row` on: their block row is raw, 8 × M packets, and all rows above it are done.
template <int M, int N, class T>
TRIFAC_INLINE void solve_rows_of_block(const folded_lower<T>& L, index_t block, index_t row,
                                       const T* raw, T* U) {
  constexpr int W = packet_rows<T>;
  const T* const X = L.inverses + block / base_columns * inverse_size<T> + (row - block);
  const index_t ldf = L.K + base_columns;
  packet<T> sum[N][M], u[M];
  TRIFAC_UNROLL
  for (int i = 0; i < N; ++i) {
    TRIFAC_UNROLL
    for (int v = 0; v < M; ++v) sum[i][v] = packet<T>{};
  }
  for (index_t q = 0; q < base_columns; ++q) {
    TRIFAC_UNROLL
    for (int v = 0; v < M; ++v) u[v] = load_packet(raw + (q * M + v) * W);
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) {
      const packet<T> x = spread(X[i + q * inverse_ld<T>]);
      TRIFAC_UNROLL
      for (int v = 0; v < M; ++v) sum[i][v] = add_packet_product(sum[i][v], x, u[v]);
    }
  }
  for (index_t k = 0; k < block; ++k) {
    TRIFAC_UNROLL
    for (int v = 0; v < M; ++v) u[v] = load_packet(U + (k * M + v) * W);
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) {
      const packet<T> f = spread(L.F[row + i + k * ldf]);
      TRIFAC_UNROLL
      for (int v = 0; v < M; ++v) sum[i][v] = subtract_packet_product(sum[i][v], f, u[v]);
    }
  }
  TRIFAC_UNROLL
  for (int i = 0; i < N; ++i) {
    TRIFAC_UNROLL
    for (int v = 0; v < M; ++v) store_packet(U + ((row + i) * M + v) * W, sum[i][v]);
  }
}

/// M packets of columns at C: rows moved, the first K of them := L11⁻¹ · themselves. U: those K
/// rows, packed.
template <int M, class T>
inline __attribute__((noinline)) void interchange_and_solve_rows(T* C, index_t ld,
                                                                 const folded_lower<T>& L,
                                                                 const row_moves& moves, int last,
                                                                 T* U) {
  constexpr int W = packet_rows<T>, N = target::tile<T>.columns;
  packet<T> x[M];
  for (index_t k = 0; k < L.K; ++k) {
    load_row_packets(x, C + moves.source[k] * ld, last);
    store_row_packets(x, U + k * M * W, W);
  }
  for (index_t k = 0; k < L.K; ++k) {
    if (moves.target[k] == k) continue;
    load_row_packets(x, C + k * ld, last);
    store_row_packets(x, C + moves.target[k] * ld, last);
  }
  alignas(64) real_t<T> parts[base_columns * M * W * index_t(sizeof(T) / sizeof(real_t<T>))];
  T* const raw = reinterpret_cast<T*>(parts);
  for (index_t block = 0; block < L.K; block += base_columns) {
    for (index_t q = 0; q < base_columns; ++q) {
      load_row_packets(x, U + (block + q) * M * W, W);
      store_row_packets(x, raw + q * M * W, W);
    }
    for (index_t row = block; row < block + base_columns; row += N)
      solve_rows_of_block<M, N>(L, block, row, raw, U);
  }
  for (index_t k = 0; k < L.K; ++k) {
    load_row_packets(x, U + k * M * W, W);
    store_row_packets(x, C + k * ld, last);
  }
}

// What is left right of the last tile of M + 1 packets.
template <int M, class T>
TRIFAC_INLINE void interchange_and_solve_rest(T* C, index_t ld, const folded_lower<T>& L,
                                              const row_moves& moves, index_t cols, T* U) {
  constexpr index_t W = packet_rows<T>;
  if constexpr (M > 0) {
    if (cols > (M - 1) * W)
      interchange_and_solve_rows<M>(C, ld, L, moves, static_cast<int>(cols - (M - 1) * W), U);
    else
      interchange_and_solve_rest<M - 1>(C, ld, L, moves, cols, U);
  }
}

/// `count` ≤ 8 rows of L21, of which `cols` elements of each, as a strip of eight with K elements:
/// zeros elsewhere.
template <class T>
TRIFAC_INLINE void copy_strip(const T* L21, index_t ld, index_t count, index_t cols, index_t K,
                              T* strip) {
  constexpr int W = packet_rows<T>;
  for (index_t r = 0; r < base_columns; ++r, strip += strip_ld) {
    const T* const row = L21 + r * ld;
    index_t k = 0;
    if (r < count) {
      for (; k + W <= cols; k += W) store_packet(strip + k, load_packet(row + k));
      for (; k < cols; ++k) strip[k] = row[k];
    }
    for (; k < K; ++k) strip[k] = T(0);
  }
}

/// C right of `panel`, both with all their rows and at least as many as S.K.
template <class T>
inline __attribute__((noinline)) void eliminate_row_major(const lu_step<T>& S,
                                                          const matrix_view<T>& panel,
                                                          const matrix_view<T>& C) {
  constexpr int M = target::tile<T>.vectors;
  constexpr index_t tile = M * packet_rows<T>, parts_per = sizeof(T) / sizeof(real_t<T>);
  constexpr index_t last_ld = 192 + 2 * tile;
  alignas(64) real_t<T> parts[row_group_bytes / index_t(sizeof(real_t<T>)) + 64];
  alignas(64) real_t<T> last[base_columns * last_ld * parts_per];
  strip_buffer<T, 1> buffer;
  T *const U = reinterpret_cast<T*>(parts), *const strip = buffer.strip(0),
           *const last_rows = reinterpret_cast<T*>(last);
  const folded_lower<T> L11 = {S.inverses, S.F, S.K};
  const index_t K = S.K, rows = C.rows(), ld = C.row_stride(), group = row_group<T>(K);
  for (index_t first = 0; first < C.cols(); first += group) {
    const index_t cols = C.cols() - first < group ? C.cols() - first : group;
    T* const part = C.data() + first;
    index_t c = 0;
    for (; c + tile <= cols; c += tile)
      interchange_and_solve_rows<M>(part + c, ld, L11, S.moves, packet_rows<T>, U + c * K);
    interchange_and_solve_rest<M>(part + c, ld, L11, S.moves, cols - c, U + c * K);
    const left_operand<T> Ut = {U, 0, K};
    index_t row = K;
    for (; row + base_columns <= rows; row += base_columns) {
      copy_strip(&panel(row, 0), ld, base_columns, panel.cols(), K, strip);
      update_strip<along_rows<T>>(part + row * ld, ld, Ut, cols, strip,
                                  row + 2 * base_columns <= rows ? base_columns : 0);
    }
    if (row < rows) {
      const auto below = matrix_view<T>(part + row * ld, rows - row, cols, ld, 1);
      const auto copy = matrix_view<T>(last_rows, rows - row, cols, last_ld, 1);
      copy_strip(&panel(row, 0), ld, rows - row, panel.cols(), K, strip);
      copy_elements(below, copy);
      update_strip<along_rows<T>>(last_rows, last_ld, Ut, cols, strip);
      copy_elements(copy, below);
    }
  }
}

/// Rows k of A exchanged with rows interchanges[k], k = from … to − 1, in turn.
template <class T>
inline __attribute__((noinline)) void exchange_rows(const matrix_view<T>& A,
                                                    const index_t* interchanges, index_t from,
                                                    index_t to) {
  constexpr int W = packet_rows<T>;
  for (index_t k = from; k < to; ++k) {
    if (interchanges[k] == k) continue;
    T *const upper = &A(k, 0), *const lower = &A(interchanges[k], 0);
    index_t j = 0;
    for (; j + W <= A.cols(); j += W) {
      const packet<T> x = load_packet(upper + j);
      store_packet(upper + j, load_packet(lower + j));
      store_packet(lower + j, x);
    }
    for (; j < A.cols(); ++j) {
      const T x = upper[j];
      upper[j] = lower[j];
      lower[j] = x;
    }
  }
}
