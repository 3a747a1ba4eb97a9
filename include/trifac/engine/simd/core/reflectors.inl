// Reflectors applied to rows: a few vectors of rows stay in registers, [l y] of blas/reflectors.hpp
// in each lane, y over all columns of a block. After rotations.inl.

/// Packets of rows that are in work at a time: one waits while others compute.
template <class T>
inline constexpr int reflected_packets = registers / 8 / planes<T>;

template <class T>
TRIFAC_INLINE packet<T> plus(packet<T> a, packet<T> b) {
  a.re = a.re + b.re;
  if constexpr (is_complex<T>) a.im = a.im + b.im;
  return a;
}

/// A reflector of K columns of X in all lanes.
template <int K, class T>
struct spread_reflector {
  vec<real_t<T>> a;
  packet<T> s[as_size(K)], w[as_size(K)];
};
template <int K, class T>
TRIFAC_INLINE spread_reflector<K, T> spread(const reflector<T>& h) {
  spread_reflector<K, T> all;
  all.a = broadcast(h.a);
  TRIFAC_UNROLL
  for (int c = 0; c < K; ++c) {
    all.s[c] = spread(h.s[c]);
    all.w[c] = spread(h.w[c]);
  }
  return all;
}

/// V packets of rows: [l  y] := [l′  y′].
template <int K, int V, class T>
TRIFAC_INLINE void reflect_once(const spread_reflector<K, T>& h, packet<T> (&l)[as_size(V)],
                                packet<T> (&y)[as_size(K)][as_size(V)]) {
  constexpr int first = K < 2 ? K : 2;
  packet<T> next[as_size(V)], rest[as_size(V)];  // two chains: the next column waits for both
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) next[v] = scale(l[v], h.a);
  TRIFAC_UNROLL
  for (int i = 0; i < first * V; ++i)
    next[i % V] = add_product(next[i % V], y[i / V][i % V], h.s[i / V]);
  if constexpr (K == 4) {
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) rest[v] = multiply(y[2][v], h.s[2]);
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) next[v] = plus(next[v], add_product(rest[v], y[3][v], h.s[3]));
  }
  TRIFAC_UNROLL
  for (int v = 0; v < V; ++v) {
    rest[v] = plus(l[v], next[v]);
    l[v] = next[v];
  }
  TRIFAC_UNROLL
  for (int i = 0; i < K * V; ++i)
    y[i / V][i % V] = subtract_product(y[i / V][i % V], rest[i % V], h.w[i / V]);
}

/// V packets of rows, or the first `rows` of one, with a group of K columns of X. L and X are
/// column-major.
template <int K, int V, bool Whole, class T>
TRIFAC_INLINE void reflect_packets(const reflector<T>* first, index_t columns, T* L, index_t ldl,
                                   T* X, index_t ldx, int rows) {
  constexpr int w = packet_rows<T>;
  packet<T> l[as_size(V)], y[as_size(K)][as_size(V)];
  TRIFAC_UNROLL
  for (int i = 0; i < K * V; ++i)
    y[i / V][i % V] = load_part<Whole>(X + i / V * ldx + i % V * w, rows);
  for (index_t j = 0; j < columns; ++j) {
    T* const at = L + j * ldl;
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) l[v] = load_part<Whole>(at + v * w, rows);
    reflect_once<K, V>(spread<K>(first[j]), l, y);
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) store_part<Whole>(at + v * w, l[v], rows);
  }
  TRIFAC_UNROLL
  for (int i = 0; i < K * V; ++i)
    store_part<Whole>(X + i / V * ldx + i % V * w, y[i / V][i % V], rows);
}

/// The rows of L and X with K columns of a group; those of it that are missing are zeros in X.
template <int K, class T>
TRIFAC_INLINE void reflect_group(const reflector<T>* first, index_t columns, matrix_view<T> L, T* X,
                                 index_t ldx) {
  constexpr int V = reflected_packets<T>, w = packet_rows<T>;
  const index_t m = L.rows(), ld = L.col_stride();
  index_t i = 0;
  for (; i + V * w <= m; i += V * w)
    reflect_packets<K, V, true>(first, columns, L.data() + i, ld, X + i, ldx, w);
  for (; i < m; i += w)
    reflect_packets<K, 1, false>(first, columns, L.data() + i, ld, X + i, ldx, at_most(m - i, w));
}

/// All groups, on rows of L whose columns are contiguous.
template <class T>
TRIFAC_INLINE void reflect_groups(const reflector_block<T>& Q, const matrix_view<T>& L,
                                  const matrix_view<T>& X) {
  for (index_t g = 0; g < Q.groups(); ++g) {
    T* const y = X.data() + g * reflector_width * X.col_stride();
    const index_t width = Q.width(g);
    if (Q.vectors == 1 && Q.first->to_x != 0)
      rotate(Q, L, y);
    else if (width <= 2)
      reflect_group<2>(Q.group(g), Q.columns, L, y, X.col_stride());
    else
      reflect_group<4>(Q.group(g), Q.columns, L, y, X.col_stride());
  }
}

/// simd::apply_reflectors: the rows of a tile take all groups while they are in the L1 cache. Rows
/// that are contiguous are transposed in a copy.
template <class T>
TRIFAC_ENTRY void reflect(target, reflector_block<T> Q, matrix_view<T> L, matrix_view<T> X) {
  constexpr int w = packet_rows<T>, N = target::template tile<T>.columns;
  constexpr index_t rows = 4 * w;
  constexpr index_t widest = reflector_columns;
  if (L.row_stride() == 1 && Q.groups() == 1) return reflect_groups(Q, L, X);
  alignas(64) real_t<T> parts[rows * widest * planes<T>];
  const matrix_view<T> copy = {reinterpret_cast<T*>(parts), rows, widest, rows};
  for (index_t i = 0; i < L.rows(); i += rows) {
    const index_t m = L.rows() - i < rows ? L.rows() - i : rows;
    const matrix_view<T> here = L.block(i, 0, m, L.cols()), y = X.block(i, 0, m, X.cols());
    if (L.row_stride() == 1) {
      reflect_groups(Q, here, y);
      continue;
    }
    tile_buffer<T, N, 1> buffer;
    for (index_t r = 0; r < m; r += w)
      for (index_t c = 0; c < L.cols(); c += N) {
        tile<T, N, 1> t;
        place_tile<tile_layout::columns_or_rows>(
            here.block(r, c, at_most(m - r, w), at_most(L.cols() - c, N)), buffer)
            .load(t);
        for (int k = 0; k < N; ++k) store_packet(&copy(r, c + k), t.part[k][0]);
      }
    reflect_groups(Q, copy.block(0, 0, m, L.cols()), y);
    for (index_t r = 0; r < m; r += w)
      for (index_t c = 0; c < L.cols(); c += N) {
        tile<T, N, 1> t;
        for (int k = 0; k < N; ++k) t.part[k][0] = load_packet(&copy(r, c + k));
        place_tile<tile_layout::columns_or_rows>(
            here.block(r, c, at_most(m - r, w), at_most(L.cols() - c, N)), buffer)
            .store(t);
      }
  }
}
