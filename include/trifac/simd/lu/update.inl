// C -= L21·U12 for one strip of eight columns: tiles in registers, L from where it lies or packed,
// U from the strip's copy.

/// A block of L21 as the update reads it: column k of the tile that starts at row i is at data +
/// i·row_step + k·ld(tile). Packed: tile after tile, each with all its columns.
template <class T>
struct left_operand {
  const T* data;
  index_t ld;       // 0: packed
  index_t columns;  // K
};

// Where the tile at row i lies.
template <class T>
TRIFAC_INLINE const T* tile_of(const left_operand<T>& L, index_t row) {
  return L.ld ? L.data + row : L.data + row * L.columns;
}

/// Strips of eight columns, or rows, in memory of the stack: strip_ld elements from one to the next.
/// Of reals, since an array of std::complex would be filled with zeros.
template <class T, int Strips>
struct strip_buffer {
  static constexpr index_t size =
      base_columns * strip_ld + 16;  // elements of a strip, and a vector more
  alignas(64) real_t<T> parts[as_size(Strips * size * index_t(sizeof(T) / sizeof(real_t<T>)))];
  TRIFAC_INLINE T* strip(index_t s) { return reinterpret_cast<T*>(parts) + s * size; }
};

/// Whether vectors run along the columns of L·U or along its rows. A complex product has its parts
/// rounded in the order of its factors, L first.
enum class vectors_along { columns, rows };

/// Along rows, where that makes a difference.
template <class T>
inline constexpr vectors_along along_rows =
    is_complex<T> ? vectors_along::rows : vectors_along::columns;

template <vectors_along Along, int M, int N, class T>
TRIFAC_INLINE void subtract_column(packet<T> (&sum)[as_size(N)][as_size(M)], const T* l,
                                   const T* U) {
  packet<T> a[as_size(M)];
  TRIFAC_UNROLL
  for (int v = 0; v < M; ++v) a[v] = load_packet(l + v * packet_rows<T>);
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    const packet<T> u = spread(U[c * strip_ld]);
    TRIFAC_UNROLL
    for (int v = 0; v < M; ++v)
      sum[c][v] = Along == vectors_along::columns ? subtract_product(sum[c][v], a[v], u)
                                                  : subtract_product(sum[c][v], u, a[v]);
  }
}

/// Columns from a strip to one whose elements are fetched into the second-level cache while this
/// one is updated; 0: nothing is fetched.
using strip_ahead = index_t;

// A column of the tile below, which comes next, and of the tile in the strip ahead. Below the last
// tile nothing may be fetched: in row-major storage another thread works there.
template <int M, class T>
TRIFAC_INLINE void fetch_column(const T* column, index_t to_tile_below, index_t to_strip_ahead) {
  constexpr int W = packet_rows<T>, bytes = M * W * int(sizeof(T));
  const char* const below = reinterpret_cast<const char*>(column + to_tile_below);
  const char* const ahead = reinterpret_cast<const char*>(column + to_strip_ahead);
  TRIFAC_UNROLL
  for (int line = 0; line < bytes; line += cache_line) {
    __builtin_prefetch(below + line, 1, 3);
    __builtin_prefetch(ahead + line, 1, 2);
  }
}

template <vectors_along Along, int M, int N, class T>
TRIFAC_INLINE void subtract_tile(T* C, index_t ldc, const left_operand<T>& L, index_t row,
                                 const T* U, int last_rows, index_t below, strip_ahead ahead) {
  constexpr int W = packet_rows<T>;
  packet<T> sum[as_size(N)][as_size(M)];
  C += row;
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v + 1 < M; ++v) sum[c][v] = load_packet(C + v * W + c * ldc);
    sum[c][M - 1] = last_rows == W ? load_packet(C + (M - 1) * W + c * ldc)
                                   : load_packet(C + (M - 1) * W + c * ldc, 0, last_rows);
  }
  const T* l = tile_of(L, row);
  const index_t ldl = L.ld ? L.ld : M * W;
  index_t k = 0;
  if (ahead > 0) {  // a few lines at a time: the loads of the sum use the same buffers
    const index_t some = L.columns / (N + 1);
    for (int c = 0; c < N; ++c) {
      for (const index_t end = k + some; k < end; ++k)
        subtract_column<Along, M, N>(sum, l + k * ldl, U + k);
      fetch_column<M>(C + c * ldc, below, ahead * ldc);
    }
  }
  for (; k < L.columns; ++k) subtract_column<Along, M, N>(sum, l + k * ldl, U + k);
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    TRIFAC_UNROLL
    for (int v = 0; v + 1 < M; ++v) store_packet(C + v * W + c * ldc, sum[c][v]);
    if (last_rows == W)
      store_packet(C + (M - 1) * W + c * ldc, sum[c][M - 1]);
    else
      store_packet(C + (M - 1) * W + c * ldc, sum[c][M - 1], 0, last_rows);
  }
}

template <vectors_along Along, int M, int N, class T>
TRIFAC_INLINE void subtract_tiles(T* C, index_t ldc, const left_operand<T>& L, index_t row,
                                  const T* U, int last_rows, index_t below, strip_ahead ahead) {
  for (int c = 0; c < base_columns; c += N)
    subtract_tile<Along, M, N>(C + c * ldc, ldc, L, row, U + c * strip_ld, last_rows, below, ahead);
}

// What is left below the last tile of M + 1 packets.
template <vectors_along Along, int M, int N, class T>
TRIFAC_INLINE void subtract_rest(T* C, index_t ldc, const left_operand<T>& L, index_t row,
                                 index_t rows, const T* U, strip_ahead ahead) {
  constexpr index_t W = packet_rows<T>;
  if constexpr (M > 0) {
    if (rows > (M - 1) * W)
      subtract_tiles<Along, M, N>(C, ldc, L, row, U, static_cast<int>(rows - (M - 1) * W), 0,
                                  ahead);
    else
      subtract_rest<Along, M - 1, N>(C, ldc, L, row, rows, U, ahead);
  }
}

/// Eight columns and `rows` rows at C := themselves − L·U. L is readable up to the next multiple of
/// a packet's rows. Along rows the same is said of Cᵀ := itself − Uᵀ·Lᵀ: L is Uᵀ, and U holds eight
/// rows of L.
template <vectors_along Along = vectors_along::columns, class T>
inline __attribute__((noinline)) void update_strip(T* C, index_t ldc, const left_operand<T>& L,
                                                   index_t rows, const T* U,
                                                   strip_ahead ahead = 0) {
  constexpr int M = target::tile<T>.vectors, N = target::tile<T>.columns, W = packet_rows<T>;
  index_t row = 0;
  for (; row + M * W <= rows; row += M * W)
    subtract_tiles<Along, M, N>(C, ldc, L, row, U, W, row + M * W < rows ? M * W : 0, ahead);
  subtract_rest<Along, M, N>(C, ldc, L, row, rows - row, U, ahead);
}

/// L21 := tiles of consecutive memory, in the order in which update_strip reads them; rows up to
/// the next multiple of a packet's are read and written too. Elements: round_up(rows, packet_rows)
/// · columns.
template <int M, class T>
TRIFAC_INLINE void pack_tile(const T* L, index_t ld, index_t columns, T* packed) {
  constexpr int W = packet_rows<T>;
  for (index_t k = 0; k < columns; ++k, L += ld, packed += M * W) {
    TRIFAC_UNROLL
    for (int v = 0; v < M; ++v) store_packet(packed + v * W, load_packet(L + v * W));
  }
}
template <int M, class T>
TRIFAC_INLINE void pack_rest(const T* L, index_t ld, index_t rows, index_t columns, T* packed) {
  if constexpr (M > 0) {
    if (rows > (M - 1) * packet_rows<T>)
      pack_tile<M>(L, ld, columns, packed);
    else
      pack_rest<M - 1>(L, ld, rows, columns, packed);
  }
}
template <class T>
inline __attribute__((noinline)) void pack_left(const T* L, index_t ld, index_t rows,
                                                index_t columns, T* packed) {
  constexpr int M = target::tile<T>.vectors;
  constexpr index_t tile_rows = M * packet_rows<T>;
  index_t row = 0;
  for (; row + tile_rows <= rows; row += tile_rows)
    pack_tile<M>(L + row, ld, columns, packed + row * columns);
  pack_rest<M>(L + row, ld, rows - row, columns, packed + row * columns);
}
