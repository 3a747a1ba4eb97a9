// Tiles below the diagonal of a Cholesky panel, and the tiles right of it that the finished panel
// is subtracted from.

// X := X·L⁻ᴴ in the form that `elimination` explains; on return t holds Y.
template <class T, int N, int V>
TRIFAC_INLINE void substitute(tile<T, N, V>& t, const panel_tile<T>& at, int offset) {
  using R = real_t<T>;
  const elimination_of<T>& block = *at.block;
  const auto* u = block.u[at.part] + at.pending();
  const R* before = block.before + width<R> + at.pending();
  const bool scaled = __builtin_expect(block.scaled_before, 0);
  TRIFAC_UNROLL
  for (int c = 0; c < N; ++c) {
    if (scaled) {
      TRIFAC_UNROLL
      for (int v = 0; v < V; ++v) {
        TRIFAC_UNROLL
        for (int p = 0; p < planes<T>; ++p) t.part[c][v][p] *= broadcast(before[c]);
      }
    }
    TRIFAC_UNROLL
    for (int d = c + 1; d < N; ++d) {
      vec<R> m[planes<T>];
      broadcast_element<T>(m, u[c][0] + offset + d);
      TRIFAC_UNROLL
      for (int v = 0; v < V; ++v) subtract_product<T>(t.part[d][v], t.part[c][v], m);
    }
  }
}

// V strips of rows from `strip`, below the diagonal tile of tile column q.
template <int V, class T>
TRIFAC_ENTRY void solve_tile(target, const cholesky_panel<T>& panel, index_t q, index_t strip) {
  using R = real_t<T>;
  constexpr int n = tile_columns<T>;
  const panel_tile<T> at = tile_of(panel, q, strip, V);
  const int offset = static_cast<int>(q * n % strip_rows<T>);
  tile<T, n, V> t;
  load_tile(t, at.C);
  subtract_left(t, at, offset);
  substitute(t, at, offset);
  if (!at.last_part()) pack_tile(t, at.packed_here(), at.strip_stride);
  const R* after = at.block->after + width<R> + at.pending();
  TRIFAC_UNROLL
  for (int c = 0; c < n; ++c) {
    const vec<R> scale = broadcast(after[c]);
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) {
      TRIFAC_UNROLL
      for (int p = 0; p < planes<T>; ++p) t.part[c][v][p] *= scale;
    }
  }
  store_tile(t, at.C);
  if (at.last_part()) {
    pack_tile(t, at.packed_here(), at.strip_stride);
    finish_pending<V>(at);
  }
}

template <class T>
TRIFAC_INLINE void conjugate_tile(T& t) {
  for (auto& column : t.part)
    for (auto& x : column) x[1] = -x[1];
}

// A tile of the trailing matrix: C −= left·rightᴴ over the panel's columns. `next` is the tile that
// comes after it, fetched while this one is summed up.
template <class T>
struct trailing_tile {
  matrix_view<T> C;
  const real_t<T>* left;
  const real_t<T>* right;
  index_t strip_stride;
  index_t count;
  bool conjugated;  // C holds conjugates: it is the transpose of a tile of A
  const T* next;
};

template <int V, class T>
TRIFAC_INLINE void prefetch_tile(const T* C, index_t ld) {
  constexpr int bytes = V * width<real_t<T>> * planes<T> * static_cast<int>(sizeof(real_t<T>));
  TRIFAC_UNROLL
  for (int c = 0; c < tile_columns<T>; ++c) {
    const char* const first = reinterpret_cast<const char*>(C + c * ld);
    TRIFAC_UNROLL
    for (int line = 0; line < bytes; line += 64) __builtin_prefetch(first + line, 1, 3);
    __builtin_prefetch(first + bytes - 1, 1, 3);
  }
}

// Steps before the end of a sum at which the next tile is fetched.
inline constexpr index_t prefetch_distance = 32;

template <region Region, int Offset, int V, class T>
TRIFAC_ENTRY void update_tile(target, const trailing_tile<T>& at) {
  tile<T, tile_columns<T>, V> t;
  load_tile<Region, Offset>(t, at.C);
  if constexpr (is_complex<T>)
    if (at.conjugated) conjugate_tile(t);
  const real_t<T>*a = at.left, *b = at.right;
  index_t count = at.count;
  if (at.next && count > prefetch_distance) {
    subtract_sum(t, a, at.strip_stride, b, count - prefetch_distance);
    prefetch_tile<V>(at.next, at.C.col_stride());
    a += (count - prefetch_distance) * k_step<T>;
    b += (count - prefetch_distance) * k_step<T>;
    count = prefetch_distance;
  }
  subtract_sum(t, a, at.strip_stride, b, count);
  if constexpr (is_complex<T>)
    if (at.conjugated) conjugate_tile(t);
  store_tile<Region, Offset>(t, at.C);
}
