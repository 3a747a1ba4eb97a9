// Triangular solves of a few columns: Xᵀ := L⁻¹·Xᵀ for one block of the diagonal, in registers.

// One tile: V strips of rows of X, its columns first to last for a lower triangle L, last to first
// for an upper one.
template <substitution Order, int V, class T>
TRIFAC_ENTRY void substitute_tile(target, const matrix_view<T>& X,
                                  const triangle_of<target, T>& L) {
  using R = real_t<T>;
  constexpr int n = tile_columns<T>;
  tile<T, n, V> t;
  tile_buffer<T, n, V> copy;
  const auto place = place_tile<tile_layout::columns_or_rows>(X, copy);
  place.load(t);
  TRIFAC_UNROLL
  for (int i = 0; i < n; ++i) {
    const int c = Order == substitution::forward ? i : n - 1 - i;
    vec<R> inverse[planes<T>];
    broadcast_element<T>(inverse, L.inverse[0] + c);
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) multiply<T>(t.part[c][v], inverse);
    TRIFAC_UNROLL
    for (int j = i + 1; j < n; ++j) {
      const int d = Order == substitution::forward ? j : n - 1 - j;
      vec<R> l[planes<T>];
      broadcast_element<T>(l, L.conjugate[c][0] + d);
      TRIFAC_UNROLL
      for (int v = 0; v < V; ++v) subtract_product<T>(t.part[d][v], t.part[c][v], l);
    }
  }
  place.store(t);
}

template <substitution Order, class T>
struct substitute_call {
  const matrix_view<T>& X;
  const triangle_of<target, T>& L;
  template <int V>
  TRIFAC_INLINE void tile() const {
    substitute_tile<Order, V>(target{}, X, L);
  }
};

/// All rows of X, which has at most as many columns as a tile.
template <substitution Order, class T>
TRIFAC_ENTRY void substitute_rows(target, matrix_view<T> X, const triangle_of<target, T>& L) {
  constexpr index_t w = strip_rows<T>;
  const index_t strips = count_strips<target, T>(X.rows());
  for (index_t strip = 0; strip < strips;) {
    const int some = next_strips<T>(strips - strip);
    const index_t row = strip * w, rows = X.rows() - row;
    const auto part = X.block(row, 0, rows < some * w ? rows : some * w, X.cols());
    with_strips<target::tile<T>.vectors, T>(some, substitute_call<Order, T>{part, L});
    strip += some;
  }
}
