// One step of right-looking LU right of its panel in row-major storage: as in lu_step.inl, with rows
// and columns exchanged. Vectors run along the rows of A: rows of U are packed, and strips hold
// eight rows of L21. Every element has the sums of lu_step.inl in their order.

/// Bytes of U's rows that are taken through all rows below at a time: they stay in a second-level
/// cache, and the more columns there are, the fewer times rows of L21 and pages are gone through.
inline constexpr index_t row_group_bytes = index_t{384} << 10;
/// The same on the stack, for pieces of a team, since the step's memory would have to come from
/// another core, and for columns that have no place there.
inline constexpr index_t row_stack_bytes = index_t{160} << 10;

/// Columns of a tile.
template <class T>
inline constexpr index_t row_tile = target::tile<T>.vectors* packet_rows<T>;

/// Whole tiles of K rows in so many bytes, at least one.
template <class T>
constexpr index_t row_group(index_t bytes, index_t K) {
  const index_t tiles = bytes / (K * row_tile<T> * index_t(sizeof(T)));
  return row_tile<T> * (tiles < 1 ? 1 : tiles);
}

/// M packets of a row, the last of which has `last` elements.
template <int M, class T>
TRIFAC_INLINE void load_row_packets(packet<T> (&x)[as_size(M)], const T* row, int last) {
  constexpr int W = packet_rows<T>;
  TRIFAC_UNROLL
  for (int v = 0; v + 1 < M; ++v) x[v] = load_packet(row + v * W);
  x[M - 1] = last == W ? load_packet(row + (M - 1) * W) : load_packet(row + (M - 1) * W, 0, last);
}
template <int M, class T>
TRIFAC_INLINE void store_row_packets(const packet<T> (&x)[as_size(M)], T* row, int last) {
  constexpr int W = packet_rows<T>;
  TRIFAC_UNROLL
  for (int v = 0; v + 1 < M; ++v) store_packet(row + v * W, x[v]);
  if (last == W)
    store_packet(row + (M - 1) * W, x[M - 1]);
  else
    store_packet(row + (M - 1) * W, x[M - 1], 0, last);
}

/// N rows of U from `row` on: their block row is raw, 8 × M packets, and all rows above it are done.
template <int M, int N, class T>
TRIFAC_INLINE void solve_rows_of_block(const folded_lower<T>& L, index_t block, index_t row,
                                       const T* raw, T* U) {
  constexpr int W = packet_rows<T>;
  const T* const X = L.inverses + block / base_columns * inverse_size<T> + (row - block);
  const index_t ldf = L.K + base_columns;
  packet<T> sum[as_size(N)][as_size(M)], u[as_size(M)];
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
      for (int v = 0; v < M; ++v) sum[i][v] = add_product(sum[i][v], x, u[v]);
    }
  }
  for (index_t k = 0; k < block; ++k) {
    TRIFAC_UNROLL
    for (int v = 0; v < M; ++v) u[v] = load_packet(U + (k * M + v) * W);
    TRIFAC_UNROLL
    for (int i = 0; i < N; ++i) {
      const packet<T> f = spread(L.F[row + i + k * ldf]);
      TRIFAC_UNROLL
      for (int v = 0; v < M; ++v) sum[i][v] = subtract_product(sum[i][v], f, u[v]);
    }
  }
  TRIFAC_UNROLL
  for (int i = 0; i < N; ++i) {
    TRIFAC_UNROLL
    for (int v = 0; v < M; ++v) store_packet(U + ((row + i) * M + v) * W, sum[i][v]);
  }
}

/// M packets of columns at C: rows moved, the first K of them := L11⁻¹ · themselves. U: those K
/// rows, packed. Rows are fetched `ahead` columns from here.
template <int M, class T>
inline __attribute__((noinline)) void interchange_and_solve_rows(T* C, index_t ld,
                                                                 const folded_lower<T>& L,
                                                                 const row_moves& moves, int last,
                                                                 T* U, index_t ahead = 0) {
  constexpr int W = packet_rows<T>, N = target::tile<T>.columns;
  packet<T> x[as_size(M)];
  for (index_t k = 0; k < L.K; ++k) {
    const T* const row = C + moves.source[k] * ld;
    load_row_packets<M>(x, row, last);
    TRIFAC_UNROLL
    for (int v = 0; v < M; ++v) __builtin_prefetch(row + ahead + v * W, 1, 2);
    store_row_packets<M>(x, U + k * M * W, W);
  }
  for (index_t k = 0; k < L.K; ++k) {
    if (moves.target[k] == k) continue;
    load_row_packets<M>(x, C + k * ld, last);
    store_row_packets<M>(x, C + moves.target[k] * ld, last);
  }
  alignas(64) real_t<T>
      parts[as_size(base_columns * M * W * index_t(sizeof(T) / sizeof(real_t<T>)))];
  T* const raw = reinterpret_cast<T*>(parts);
  for (index_t block = 0; block < L.K; block += base_columns) {
    for (index_t q = 0; q < base_columns; ++q) {
      load_row_packets<M>(x, U + (block + q) * M * W, W);
      store_row_packets<M>(x, raw + q * M * W, W);
    }
    for (index_t row = block; row < block + base_columns; row += N)
      solve_rows_of_block<M, N>(L, block, row, raw, U);
  }
  for (index_t k = 0; k < L.K; ++k) {
    load_row_packets<M>(x, U + k * M * W, W);
    store_row_packets<M>(x, C + k * ld, last);
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

/// Columns of A12 and A22 with their rows of U: whole tiles at `tiles`, what is left at `rest`.
template <class T>
struct row_columns {
  T* C;
  index_t ld, whole, left;
  T* tiles;
  T* rest;
};

template <class T>
TRIFAC_INLINE void interchange_and_solve_columns(const lu_step<T>& S, const row_columns<T>& at) {
  constexpr int M = target::tile<T>.vectors;
  const folded_lower<T> L11 = {S.inverses, S.F, S.K};
  constexpr index_t fetched = 2 * row_tile<T>;
  for (index_t c = 0; c < at.whole; c += row_tile<T>)
    interchange_and_solve_rows<M>(at.C + c, at.ld, L11, S.moves, packet_rows<T>, at.tiles + c * S.K,
                                  c + fetched < at.whole ? fetched : 0);
  if (at.left > 0)
    interchange_and_solve_rest<M>(at.C + at.whole, at.ld, L11, S.moves, at.left, at.rest);
}

/// Eight rows at C, those of the columns, −= strip · U.
template <class T>
TRIFAC_INLINE void update_rows(T* C, index_t ld, const row_columns<T>& at, index_t K,
                               const T* strip, strip_ahead ahead) {
  const left_operand<T> tiles = {at.tiles, 0, K}, rest = {at.rest, 0, K};
  update_strip<along_rows<T>>(C, ld, tiles, at.whole, strip, ahead);
  if (at.left > 0) update_strip<along_rows<T>>(C + at.whole, ld, rest, at.left, strip, ahead);
}

/// Less than eight rows, by way of a copy.
template <class T>
inline __attribute__((noinline)) void update_last_rows(const matrix_view<T>& C,
                                                       const row_columns<T>& at, index_t K,
                                                       const T* strip) {
  constexpr index_t some = 2 * row_tile<T>;
  alignas(64) real_t<T>
      parts[as_size(base_columns * some * index_t(sizeof(T) / sizeof(real_t<T>)))];
  T* const rows = reinterpret_cast<T*>(parts);
  for (index_t c = 0; c < C.cols();) {
    const index_t end = c < at.whole ? at.whole : C.cols();
    const index_t cols = end - c < row_tile<T> ? end - c : row_tile<T>;
    const auto part = C.block(0, c, C.rows(), cols);
    const auto copy = matrix_view<T>(rows, C.rows(), cols, some, 1);
    const T* const U = c < at.whole ? at.tiles + c * K : at.rest;
    copy_elements(part, copy);
    update_strip<along_rows<T>>(rows, some, left_operand<T>{U, 0, K}, cols, strip);
    copy_elements(copy, part);
    c += cols;
  }
}

/// Columns of C right of `panel`, all rows of both, at least S.K.
template <class T>
inline __attribute__((noinline)) void eliminate_rows_of(const lu_step<T>& S,
                                                        const matrix_view<T>& panel,
                                                        const matrix_view<T>& C,
                                                        const row_columns<T>& at) {
  strip_buffer<T, 1> buffer;
  T* const strip = buffer.strip(0);
  const index_t K = S.K, rows = C.rows(), b = panel.cols();
  interchange_and_solve_columns(S, at);
  index_t row = K;
  for (; row + base_columns <= rows; row += base_columns) {
    copy_strip(&panel(row, 0), at.ld, base_columns, b, K, strip);
    update_rows(at.C + row * at.ld, at.ld, at, K, strip,
                row + 2 * base_columns <= rows ? base_columns : 0);
  }
  if (row == rows) return;
  copy_strip(&panel(row, 0), at.ld, rows - row, b, K, strip);
  update_last_rows(C.block(row, 0, rows - row, C.cols()), at, K, strip);
}

/// C right of `panel`, both with all their rows and at least as many as S.K. More columns than a
/// team's piece has have their whole tiles in S.U, as far as that reaches.
template <class T>
inline __attribute__((noinline)) void eliminate_row_major(const lu_step<T>& S,
                                                          const matrix_view<T>& panel,
                                                          const matrix_view<T>& C) {
  alignas(64) real_t<T> parts[as_size(row_stack_bytes / index_t(sizeof(real_t<T>)))];
  T* const stack = reinterpret_cast<T*>(parts);
  const index_t before = C.data() - panel.data() - panel.cols();  // columns between them
  const bool fits = C.cols() > widest_row_piece && before + C.cols() <= S.places;
  for (index_t c = 0; c < C.cols();) {
    const index_t most = row_group<T>(fits ? row_group_bytes : row_stack_bytes, S.K);
    const index_t cols = C.cols() - c < most ? C.cols() - c : most;
    const index_t whole = cols / row_tile<T> * row_tile<T>;
    T* const tiles = fits ? S.U + (before + c) * S.K : stack;
    T* const rest = fits ? stack : stack + whole * S.K;
    eliminate_rows_of<T>(S, panel, C.block(0, c, C.rows(), cols),
                         {C.data() + c, C.row_stride(), whole, cols - whole, tiles, rest});
    c += cols;
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
