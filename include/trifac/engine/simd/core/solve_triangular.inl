// Triangular solves of a few columns: Xᵀ := L⁻¹·Xᵀ for one block of the diagonal, in registers.

/// X := X·L⁻ᵀ for the tile's columns of X, first to last for a lower triangle L, last to first for
/// an upper one: divide(c, x) ends column c, element(c, d) is that of L in column c and row d.
template <substitution Order, term Term, class T, int N, int V, class Triangle>
TRIFAC_INLINE void substitute(tile<T, N, V>& t, const Triangle& L) {
  TRIFAC_UNROLL
  for (int i = 0; i < N; ++i) {
    const int c = Order == substitution::forward ? i : N - 1 - i;
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) t.part[c][v] = L.divide(c, t.part[c][v]);
    TRIFAC_UNROLL
    for (int j = i + 1; j < N; ++j) {
      const int d = Order == substitution::forward ? j : N - 1 - j;
      const packet<T> l = L.element(c, d);
      TRIFAC_UNROLL
      for (int v = 0; v < V; ++v) t.part[d][v] = accumulate<Term>(t.part[d][v], t.part[c][v], l);
    }
  }
}

template <class T>
struct triangle_with_inverses {
  const triangle_of<target, T>& L;
  TRIFAC_INLINE packet<T> divide(int c, packet<T> x) const {
    return multiply(x, spread_parts<T>(L.inverse[0] + c));
  }
  TRIFAC_INLINE packet<T> element(int c, int d) const {
    return spread_parts<T>(L.element[c][0] + d);
  }
};

template <substitution Order, class T>
TRIFAC_INLINE void substitute_micro_panel(const matrix_view<T>& X,
                                          const triangle_of<target, T>& L) {
  constexpr int n = tile_columns<T>;
  tile<T, n, 1> t;
  tile_buffer<T, n, 1> copy;
  const auto place = place_tile<tile_layout::columns_or_rows>(X, copy);
  place.load(t);
  substitute<Order, term::minus_ba>(t, triangle_with_inverses<T>{L});
  place.store(t);
}

/// All rows of X, which has at most as many columns as a tile. Micro-panels wait only for
/// themselves, so that several run beside each other without being one tile.
template <substitution Order, class T>
TRIFAC_ENTRY void substitute_rows(target, matrix_view<T> X, const triangle_of<target, T>& L) {
  constexpr index_t w = micro_rows<T>;
  for (index_t row = 0; row < X.rows(); row += w) {
    const index_t rows = X.rows() - row;
    substitute_micro_panel<Order>(X.block(row, 0, rows < w ? rows : w, X.cols()), L);
  }
}
