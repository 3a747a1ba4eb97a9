// Triangular solves of a few columns: Xᵀ := L⁻¹·Xᵀ for one block of the diagonal, in registers.

// One strip of rows of X, its columns first to last for a lower triangle L, last to first for an
// upper one.
template <substitution Order, class T>
TRIFAC_INLINE void substitute_strip(const matrix_view<T>& X, const triangle_of<target, T>& L) {
  constexpr int n = tile_columns<T>;
  tile<T, n, 1> t;
  tile_buffer<T, n, 1> copy;
  const auto place = place_tile<tile_layout::columns_or_rows>(X, copy);
  place.load(t);
  TRIFAC_UNROLL
  for (int i = 0; i < n; ++i) {
    const int c = Order == substitution::forward ? i : n - 1 - i;
    t.part[c][0] = multiply(t.part[c][0], spread_parts<T>(L.inverse[0] + c));
    TRIFAC_UNROLL
    for (int j = i + 1; j < n; ++j) {
      const int d = Order == substitution::forward ? j : n - 1 - j;
      const packet<T> l = spread_parts<T>(L.element[c][0] + d);
      t.part[d][0] = subtract_product(t.part[d][0], l, t.part[c][0]);
    }
  }
  place.store(t);
}

/// All rows of X, which has at most as many columns as a tile. Strips wait only for themselves, so
/// that several run beside each other without being one tile.
template <substitution Order, class T>
TRIFAC_ENTRY void substitute_rows(target, matrix_view<T> X, const triangle_of<target, T>& L) {
  constexpr index_t w = strip_rows<T>;
  for (index_t row = 0; row < X.rows(); row += w) {
    const index_t rows = X.rows() - row;
    substitute_strip<Order>(X.block(row, 0, rows < w ? rows : w, X.cols()), L);
  }
}
