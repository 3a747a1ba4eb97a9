// Tiles below the diagonal of a Cholesky panel.

// X := X·L⁻ᴴ in the form that `elimination` explains, which leaves Y. Only tiles of one micro-panel
// know of columns that are scaled before.
template <class T, int V>
struct elimination_triangle {
  const elimination_of<T>& block;
  const real_t<T>* u;
  const real_t<T>* before;
  TRIFAC_INLINE packet<T> divide(int c, packet<T> x) const {
    if (V == 1 && __builtin_expect(block.scaled_before, 0)) return scale(x, broadcast(before[c]));
    return x;
  }
  TRIFAC_INLINE packet<T> element(int c, int d) const {
    return spread_parts<T>(u + c * k_step<T> + d);
  }
};

// V micro-panels of rows from `micro_panel`, below the diagonal tile of tile column q. `next`: the
// tile that comes after it, fetched while this one is summed up; or null. With a lane `Diagonal`
// the micro-panel above holds the diagonal there: it is factored from the same sum; false, with
// nothing stored, as factor_diagonal.
template <int V, class T, int Diagonal = -1>
TRIFAC_ENTRY bool solve_tile(target, const cholesky_panel<T>& panel, index_t q, index_t micro_panel,
                             const T* next) {
  using R = real_t<T>;
  constexpr int n = tile_columns<T>;
  const panel_tile<T> at = tile_of(panel, q, micro_panel, V);
  const int offset = static_cast<int>(q * n % micro_rows<T>);
  tile<T, n, V> t;
  tile_buffer<T, n, V> copy;
  const auto place = place_tile<tile_layout::columns_or_rows>(at.C, copy);
  place.load(t);
  if constexpr (Diagonal < 0) {
    subtract_left(t, at, offset, {next, at.C.col_stride()});
  } else {
    if (!factor_diagonal_above<Diagonal>(t, panel, q)) return false;
  }
  const elimination_of<T>& block = *at.block;
  substitute<substitution::forward, term::minus_conj_ba>(
      t, elimination_triangle<T, V>{block, block.u[at.part][at.pending()][0] + offset,
                                    block.before + width<R> + at.pending()});
  if (!at.last_part()) pack_tile(t, at.packed_here(), at.micro_stride);
  const R* after = block.after + width<R> + at.pending();
  TRIFAC_UNROLL
  for (int c = 0; c < n; ++c) {
    const vec<R> factor = broadcast(after[c]);
    TRIFAC_UNROLL
    for (int v = 0; v < V; ++v) t.part[c][v] = scale(t.part[c][v], factor);
  }
  place.store(t);
  if (at.last_part()) {
    pack_tile(t, at.packed_here(), at.micro_stride);
    finish_pending<V>(at);
  }
  return true;
}
