// Moving rows: gathers of whole columns and the net moves of a panel's interchanges.

/// Packets that hold the first eight rows.
template <class T>
inline constexpr int head_packets = packet_rows<T> < base_columns
                                        ? int(base_columns) / packet_rows<T>
                                        : 1;

/// to[i] := i for i < count, a multiple of the widest packet, at an aligned piece of memory.
TRIFAC_INLINE void number_rows(index_t* to, index_t count) {
  constexpr int w = width<double>;
  keys<double> numbers = lane_numbers<keys<double>>(lane_sequence<double>{});
  for (index_t i = 0; i < count; i += w, numbers += w)
    __builtin_memcpy(to + i, &numbers, sizeof numbers);
}

/// to[k] := from[k], k < count; count is a multiple of eight.
template <class T>
TRIFAC_INLINE void copy_rows(const T* from, T* to, index_t count) {
  constexpr int W = packet_rows<T>;
  index_t k = 0;
  for (; k + W <= count; k += W) store_packet(to + k, load_packet(from + k));
  if (k < count) {
    const int rest = static_cast<int>(count - k);
    store_packet(to + k, load_packet(from + k, 0, rest), 0, rest);
  }
}

/// Gathers the rows that go to the top of the column into `top`, and sends those that leave it to
/// their new places.
template <class T>
TRIFAC_INLINE void move_rows_out(T* column, const permutation& moves, T* top) {
  constexpr int W = packet_rows<T>;
  index_t k = 0;
  for (; k + W <= moves.count; k += W)
    store_packet(top + k, gather_packet(column, moves.source + k));
  for (; k < moves.count; ++k) top[k] = column[moves.source[k]];
  for (k = 0; k + base_columns <= moves.count; k += base_columns) {
    TRIFAC_UNROLL
    for (int q = 0; q < base_columns; ++q) column[moves.target[k + q]] = column[k + q];
  }
  for (; k < moves.count; ++k) column[moves.target[k]] = column[k];
}

/// Moves the rows of `cols` columns. moves.count is a multiple of eight; `top` has room for so many
/// rows.
template <class T>
inline __attribute__((noinline)) void move_rows(T* A, index_t ld, index_t cols,
                                                const permutation& moves, T* top) {
  for (index_t c = 0; c < cols; ++c) {
    move_rows_out(A + c * ld, moves, top);
    copy_rows(top, A + c * ld, moves.count);
  }
}

/// The moves of one base panel, in its own eight columns: nothing passes through memory.
template <class T>
TRIFAC_INLINE void move_base_rows(T* A, index_t ld, const permutation& moves) {
  constexpr int W = packet_rows<T>, H = head_packets<T>;
  for (index_t c = 0; c < base_columns; ++c, A += ld) {
    if constexpr (W <= base_columns) {
      packet<T> top[as_size(H)];
      TRIFAC_UNROLL
      for (int v = 0; v < H; ++v) top[v] = gather_packet(A, moves.source + v * W);
      TRIFAC_UNROLL
      for (int q = 0; q < base_columns; ++q) A[moves.target[q]] = A[q];
      TRIFAC_UNROLL
      for (int v = 0; v < H; ++v) store_packet(A + v * W, top[v]);
    } else {
      T top[base_columns];
      for (int q = 0; q < base_columns; ++q) top[q] = A[moves.source[q]];
      for (int q = 0; q < base_columns; ++q) A[moves.target[q]] = A[q];
      for (int q = 0; q < base_columns; ++q) A[q] = top[q];
    }
  }
}

/// Packets of rows of a column that can be permuted in registers, without a way through memory;
/// special path permuted-packets.
template <class T>
inline constexpr int permuted_packets = has_masks && !is_complex<T> ? 4 : 0;

/// Where the rows of a few packets come from. Bytes: the load of a whole vector then waits for few
/// stores.
struct packet_sources {
  alignas(64) signed char row[64];
};

inline constexpr packet_sources rows_in_order = {
    {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
     22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
     44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63}};

template <class T>
TRIFAC_INLINE keys<T> load_sources(const packet_sources& from, int packet) {
  typedef signed char bytes __attribute__((vector_size(packet_rows<T>)));
  bytes b;
  __builtin_memcpy(&b, from.row + packet * packet_rows<T>, sizeof b);
  return __builtin_convertvector(b, keys<T>);
}

/// M packets of rows of `cols` columns: new row i := old row from.row[i].
template <int M, class T>
inline __attribute__((noinline)) void permute_packets(T* A, index_t ld, index_t cols,
                                                      const packet_sources& from) {
  constexpr int W = packet_rows<T>;
  keys<T> index[as_size(M)];
  unsigned from_upper[as_size(M)];  // lanes that come from the third packet or the fourth
  TRIFAC_UNROLL
  for (int v = 0; v < M; ++v) {
    index[v] = load_sources<T>(from, v);
    from_upper[v] = M > 2 ? equal_lanes<T>(index[v] & key<T>(2 * W), keys<T>{} + key<T>(2 * W)) : 0;
  }
  for (index_t c = 0; c < cols; ++c, A += ld) {
    vec<T> x[as_size(M)];
    TRIFAC_UNROLL
    for (int v = 0; v < M; ++v) x[v] = load(A + v * W);
    TRIFAC_UNROLL
    for (int v = 0; v < M; ++v) {
      vec<T> y = select_lanes(x[0], x[M > 1], index[v]);
      if constexpr (M > 2) y = blend<T>(y, select_lanes(x[2], x[M - 1], index[v]), from_upper[v]);
      store(A + v * W, y);
    }
  }
}

/// The same for 1 ≤ packets ≤ permuted_packets.
template <int M, class T>
TRIFAC_INLINE void permute_packets_of(index_t packets, T* A, index_t ld, index_t cols,
                                      const packet_sources& from) {
  if constexpr (M <= permuted_packets<T>) {
    if (packets == M)
      permute_packets<M>(A, ld, cols, from);
    else
      permute_packets_of<M + 1>(packets, A, ld, cols, from);
  }
}

/// Moves of rows that all lie in a few packets.
template <class T>
TRIFAC_INLINE void move_packets(index_t packets, T* A, index_t ld, index_t cols,
                                const permutation& moves) {
  packet_sources from = rows_in_order;
  for (index_t k = 0; k < moves.count; ++k) from.row[moves.target[k]] = static_cast<signed char>(k);
  for (index_t k = 0; k < moves.count; ++k) from.row[k] = static_cast<signed char>(moves.source[k]);
  permute_packets_of<1>(packets, A, ld, cols, from);
}

/// Rows `from` … rows−1 of `cols` columns: new row i := old row source[i]. `column` has room for
/// one column.
template <class T>
inline __attribute__((noinline)) void permute_rows(T* A, index_t ld, index_t cols, index_t from,
                                                   index_t rows, const index_t* source, T* column) {
  constexpr int W = packet_rows<T>;
  const index_t moved = rows - from;
  if ((permuted_packets<T>) > 0 && moved % W == 0 && moved / W <= permuted_packets<T>) {
    packet_sources local;
    for (index_t i = 0; i < moved; ++i)
      local.row[i] = static_cast<signed char>(source[from + i] - from);
    permute_packets_of<1>(moved / W, A + from, ld, cols, local);
    return;
  }
  for (index_t c = 0; c < cols; ++c, A += ld) {
    index_t i = from;
    for (; i + W <= rows; i += W) store_packet(column + i, load_packet(A + i));
    for (; i < rows; ++i) column[i] = A[i];
    for (i = from; i + W <= rows; i += W) store_packet(A + i, gather_packet(column, source + i));
    for (; i < rows; ++i) A[i] = column[source[i]];
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
    const index_t other = interchanges[k];
    index_t j = 0;
    for (; A.col_stride() == 1 && j + W <= A.cols(); j += W) {
      const packet<T> x = load_packet(&A(k, j));
      store_packet(&A(k, j), load_packet(&A(other, j)));
      store_packet(&A(other, j), x);
    }
    for (; j < A.cols(); ++j) {
      const T x = A(k, j);
      A(k, j) = A(other, j);
      A(other, j) = x;
    }
  }
}
