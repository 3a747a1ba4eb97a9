// C −= L21·U12 for one micro-panel of eight columns: L21 as micro-panels or in place, U from the
// micro-panel's copy.

/// Micro-panels of eight columns, or rows, in memory of the stack: micro_ld elements from one to
/// the next. Of reals, since an array of std::complex would be filled with zeros.
template <class T, int Panels>
struct micro_panel_buffer {
  static constexpr index_t size =
      base_columns * micro_ld + 16;  // elements of a micro-panel, and a vector more
  alignas(64) real_t<T> parts[as_size(Panels * size * index_t(sizeof(T) / sizeof(real_t<T>)))];
  TRIFAC_INLINE T* micro_panel(index_t s) { return reinterpret_cast<T*>(parts) + s * size; }
};

/// The elements of a micro-panel as the right operand.
template <class T>
struct u_panel {
  const T* at;
  TRIFAC_INLINE packet<T> element(int c) const { return spread(at[c * micro_ld]); }
  TRIFAC_INLINE void next() { ++at; }
};

/// V packets of rows of eight columns at C, the last of which has `last` rows, −= L·U.
template <term Term, int V, class T, class Left>
TRIFAC_INLINE void update_tiles(T* C, index_t ldc, Left L, const T* U, index_t K, int last,
                                index_t below, index_t ahead) {
  constexpr int N = target::tile<T>.columns;
  constexpr index_t lines = V * packet_rows<T> * index_t(sizeof(T)) / cache_line;
  for (int c = 0; c < base_columns; c += N, C += N * ldc, U += N * micro_ld) {
    tile<T, N, V> t;
    load_columns(t, C, ldc, last);
    fetch_ahead<T> next;
    if (ahead > 0)
      next = {C + below, ldc, reinterpret_cast<const char*>(C + ahead * ldc),
              ldc * index_t(sizeof(T)), lines};
    sum_products<Term>(t, L, u_panel<T>{U}, K, next);
    store_columns(t, C, ldc, last);
  }
}

// What is left below the last tile of V + 1 packets.
template <term Term, int V, class T, class Left>
TRIFAC_INLINE void update_rest(T* C, index_t ldc, Left L, index_t rows, const T* U, index_t K,
                               index_t ahead) {
  constexpr index_t W = packet_rows<T>;
  if constexpr (V > 0) {
    if (rows > (V - 1) * W)
      update_tiles<Term, V>(C, ldc, L, U, K, static_cast<int>(rows - (V - 1) * W), 0, ahead);
    else
      update_rest<Term, V - 1>(C, ldc, L, rows, U, K, ahead);
  }
}

/// Eight columns and `rows` rows at C −= L·U, U of K rows. L is readable up to the next multiple of
/// a packet's rows. minus_ba says the same of Cᵀ −= Uᵀ·Lᵀ: L is Uᵀ, and U holds eight rows of L.
/// `ahead`: columns to those that are fetched into the L2 cache meanwhile, or 0. Below
/// the last tile nothing is fetched: in row-major storage another thread works there.
template <term Term = term::minus_ab, class T, class Left>
inline __attribute__((noinline)) void update_micro_panel(T* C, index_t ldc, Left L, index_t rows,
                                                         const T* U, index_t K, index_t ahead = 0) {
  constexpr int V = target::tile<T>.vectors, W = packet_rows<T>;
  index_t row = 0;
  for (; row + V * W <= rows; row += V * W)
    update_tiles<Term, V>(C + row, ldc, L.from(row), U, K, W, row + V * W < rows ? V * W : 0,
                          ahead);
  update_rest<Term, V>(C + row, ldc, L.from(row), rows - row, U, K, ahead);
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

/// Elements of a micro-panel of K columns.
template <class T>
constexpr index_t panel_stride(index_t K) {
  return K * k_step<T>;
}

/// L21 as micro-panels; rows up to the next multiple of a packet's are read and written too.
template <class T>
inline __attribute__((noinline)) void pack_left(const T* L, index_t ld, index_t rows, index_t K,
                                                real_t<T>* packed) {
  constexpr int V = target::tile<T>.vectors, W = packet_rows<T>;
  const index_t stride = panel_stride<T>(K);
  index_t row = 0;
  for (; row + V * W <= rows; row += V * W)
    pack_columns<V>(L + row, ld, K, packed + row / W * stride, stride);
  for (; row < rows; row += W) pack_columns<1>(L + row, ld, K, packed + row / W * stride, stride);
}
